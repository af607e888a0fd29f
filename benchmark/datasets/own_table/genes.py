"""Names of features: cleaned, chosen, and one column each."""

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from benchmark.errors import UserError
from benchmark.text import count_noun, list_some

_ENSEMBL_VERSION = re.compile(r"(ENS[A-Z]*[GTP]\d{6,})\.\d+")


def clean_names(names: pd.Index) -> tuple[pd.Index, Mapping[str, str]]:
    """Strip blanks, quotes and Ensembl versions.

    Returns
    -------
    tuple
        The names, and what was changed, for people.
    """
    texts = pd.Index([str(name).strip().strip("\"'") for name in names])
    details = {}
    trimmed = int((texts != pd.Index([str(name) for name in names])).sum())
    if trimmed:
        details["gene names trimmed"] = str(trimmed)
    bare = pd.Index([_ENSEMBL_VERSION.sub(r"\1", name) for name in texts])
    versions = int((bare != texts).sum())
    if versions:
        details["Ensembl versions cut"] = str(versions)
    return bare, details


def select_columns(path: Path, values: pd.DataFrame, pattern: str | None) -> pd.DataFrame:
    """Keep the features whose name matches ``--columns``."""
    if pattern is None:
        return values
    try:
        wanted = re.compile(pattern)
    except re.error as error:
        raise UserError(f"--columns {pattern}: not a regular expression ({error})") from None
    kept = [wanted.search(str(name)) is not None for name in values.columns]
    if not any(kept):
        raise UserError(f"{path}: no column matches --columns {pattern}")
    return values.loc[:, kept]


def merge_duplicates(
    path: Path, values: pd.DataFrame, rule: str | None
) -> tuple[pd.DataFrame, Mapping[str, str]]:
    """Merge columns of the same name; no rule looks at the labels.

    Parameters
    ----------
    path
        For the message.
    values
        Samples x features.
    rule
        ``first``, ``mean`` or ``max-variance`` over the columns of a name; None refuses them.
    """
    repeated = values.columns[values.columns.duplicated()].unique()
    if not len(repeated):
        return values, {}
    if rule is None:
        raise UserError(
            f"{path}: {count_noun(len(repeated), 'feature name')} "
            f"{'occurs' if len(repeated) == 1 else 'occur'} more than once "
            f"({list_some(repeated.tolist(), 3)}): choose with --duplicates first, mean or "
            "max-variance"
        )
    names = values.columns
    if rule == "mean":
        order = names.unique()
        codes = order.get_indexer(names)
        matrix = np.full((len(values), len(order)), np.nan)
        given = values.to_numpy(dtype=np.float64)
        single = ~names.duplicated(keep=False)
        matrix[:, codes[single]] = given[:, single]
        for name in repeated:
            matrix[:, order.get_loc(name)] = np.nanmean(given[:, names == name], axis=1)
        merged = pd.DataFrame(matrix, index=values.index, columns=order)
    elif rule == "first":
        merged = values.loc[:, ~names.duplicated()]
    else:
        variance = np.nanvar(values.to_numpy(dtype=np.float64), axis=0)
        best = pd.Series(np.arange(len(names))).groupby(names.to_numpy(), sort=False)
        places = [int(group.iloc[int(np.argmax(variance[group]))]) for _, group in best]
        merged = values.iloc[:, places]
    extra = len(names) - merged.shape[1]
    return merged, {"duplicate names": f"{extra} columns merged ({rule})"}
