"""Names that the shell offers on Tab, from indexes that are read in milliseconds."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import typer

from benchmark.errors import UserError


def complete_methods(incomplete: str) -> list[str]:
    """Return the methods and their groups that end what was typed, comma lists included."""
    from benchmark.plan.methods import read_method_cards
    from benchmark.plan.select import ALL, PAPER

    return list(_extend(incomplete, [*read_method_cards(), ALL, PAPER]))


def complete_datasets(context: typer.Context, incomplete: str) -> list[str]:
    """Return the data sets, those of ``--registry`` too, and their collections."""
    from benchmark.datasets.registry import known_names, list_collections
    from benchmark.plan.select import ALL

    registries = [Path(path) for path in context.params.get("registry") or ()]
    try:
        names = [*known_names(registries), *list_collections(registries), ALL]
    except UserError:  # of a registry, which the command itself will name
        names = list(known_names())
    return list(_extend(incomplete, names))


def complete_studies(incomplete: str) -> list[str]:
    """Return the studies of the paper."""
    from benchmark.plan.studies import STUDIES

    return [name for name in STUDIES if name.startswith(incomplete)]


def complete_tables(incomplete: str) -> list[str]:
    """Return the tables of a report."""
    from benchmark.report.tables.registry import TABLE_NAMES

    return [name for name in TABLE_NAMES if name.startswith(incomplete)]


def _extend(incomplete: str, names: Iterable[str]) -> Iterator[str]:
    """Yield what was typed with its last name made whole; a name given before is not offered."""
    before, comma, last = incomplete.rpartition(",")
    taken = before.split(",")
    for name in sorted(names):
        if name.startswith(last) and name not in taken:
            yield f"{before}{comma}{name}"
