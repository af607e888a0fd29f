"""Which gene sets a list of genes is rich in."""

from collections.abc import Collection, Mapping

import pandas as pd

from benchmark.errors import UserError
from benchmark.text import list_some


def measure_enrichment(
    listed: Collection[str], background: Collection[str], sets: Mapping[str, frozenset[str]]
) -> pd.DataFrame:
    """Test every set for more of the listed genes than chance would give.

    One-sided hypergeometric test; Benjamini and Hochberg's correction over all sets that have a
    gene in the background, whether it is listed or not.

    Parameters
    ----------
    listed
        Genes of the list, among those of the background.
    background
        All genes that could have been listed: the table's own.
    sets
        Set -> genes, in upper case.

    Returns
    -------
    pandas.DataFrame
        A row per set with a gene in the background, the least p-value first: ``set``, ``size``
        (its genes in the background), ``found`` (those listed), ``expected``, ``p_value``,
        ``adjusted``, and ``genes`` found, in the order of the list.
    """
    from scipy.stats import false_discovery_control, hypergeom

    spelling = {name.upper(): name for name in reversed(list(background))}
    genes = list(dict.fromkeys(name.upper() for name in listed))
    rows = []
    for name, members in sets.items():
        size = len(members & spelling.keys())
        if size:
            found = [spelling[gene] for gene in genes if gene in members]
            rows.append((name, size, len(found), size * len(genes) / len(spelling), tuple(found)))
    if not rows:
        ours, theirs = list(background), sorted(next(iter(sets.values())))
        raise UserError(
            f"no gene of the table is in any set: the table has {list_some(ours, 3)}, the first "
            f"set has {list_some(theirs, 3)}"
        )
    frame = pd.DataFrame(rows, columns=["set", "size", "found", "expected", "genes"])
    frame["p_value"] = hypergeom.sf(frame["found"] - 1, len(spelling), frame["size"], len(genes))
    frame["adjusted"] = false_discovery_control(frame["p_value"])
    return frame.sort_values(["p_value", "set"], kind="stable", ignore_index=True)
