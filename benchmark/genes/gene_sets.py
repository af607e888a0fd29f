"""Sets of genes from a user's GMT file, and whether a table was cut to such sets."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from benchmark.datasets.names import is_made, parse_sample, parse_transform
from benchmark.errors import UserError

#: A table with so many of its genes in the sets was probably cut to them.
_CUT = 0.9


def read_gene_sets(path: Path) -> dict[str, frozenset[str]]:
    """Read a GMT file: per line a set's name, a description, and its genes, tab-separated.

    Returns
    -------
    dict
        Name -> genes, in upper case.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not text: give a GMT file") from error
    except OSError as error:
        raise UserError(f"--gene-sets {path}: {error.strerror}") from error
    sets: dict[str, frozenset[str]] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        name, *rest = (field.strip() for field in line.split("\t"))
        genes = frozenset(gene.upper() for gene in rest[1:] if gene)
        if not name or not genes:
            raise UserError(
                f"{path}, line {number}: a line of a GMT file has a name, a description and "
                "genes, separated by tabs"
            )
        if name in sets:
            raise UserError(f"{path}, line {number}: the set {name} is there twice")
        sets[name] = genes
    if not sets:
        raise UserError(f"{path} holds no gene sets")
    return sets


def describe_cut(
    dataset: str,
    names: Collection[str],
    sets: Mapping[str, frozenset[str]],
    registries: Sequence[Path] = (),
) -> str:
    """Return a warning if a table holds little else than genes of such sets, else nothing.

    Parameters
    ----------
    dataset
        Name of the table.
    names
        Of its genes, in upper case.
    sets
        Set -> genes.
    registries
        Where the data set may be described.
    """
    members = frozenset().union(*sets.values())
    share = sum(name in members for name in names) / len(names)
    cut_to = find_gene_list(dataset, registries)
    if not cut_to and share < _CUT:
        return ""
    was = f" was cut to the genes of {cut_to} before anything was learnt:" if cut_to else ":"
    return (
        f"{dataset}{was} {share:.0%} of its genes are in these sets. A set is compared with the "
        "table's own genes only, so what all the sets have in common cannot come up."
    )


def find_gene_list(dataset: str, registries: Sequence[Path] = ()) -> str:
    """Return the file with the genes that a registry's table was cut to, empty if it was not."""
    from benchmark.datasets.registry import find_entry

    if is_made(dataset):
        return ""
    try:
        base, _ = parse_sample(parse_transform(dataset)[0])
        entry = find_entry(base, registries)
        if entry.stand_in_for:
            entry = find_entry(entry.stand_in_for, registries)
    except UserError:  # a table of the user's
        return ""
    files = [file.name for source in entry.sources for file in source.files_of("genes")]
    return files[0] if files else ""
