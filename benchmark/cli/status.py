"""``wpfs-bench status``."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchmark.cli.app import app
from benchmark.cli.result_options import DEFAULT_RESULTS, ResultsFolder
from benchmark.errors import UserError

if TYPE_CHECKING:
    from rich.table import Table

    from benchmark.results.status import Counts, FolderStatus


@app.command()
def status(
    results: ResultsFolder = DEFAULT_RESULTS,
    failed: Annotated[bool, typer.Option("--failed", help="List the failures.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show which runs are done, failed and missing."""
    from rich.console import Console

    from benchmark.results.status import count_runs
    from benchmark.results.store import describe_unreadable
    from benchmark.text import count_noun

    if not results.is_dir():
        raise UserError(f"there is no folder {results}: give the one of `run` with --results")
    found = count_runs(results)
    if not found.cells:
        _refuse_archive(results)
    if found.unreadable:
        print(describe_unreadable(found.unreadable), file=sys.stderr)
    if as_json:
        import json

        print(json.dumps(_to_plain(found), indent=2))
        return
    console = Console(highlight=False)
    if not found.cells:
        console.print(f"no runs in {results} yet")
    elif failed:
        _print_failures(console, found)
    else:
        for folds in found.folds:
            if len(found.folds) > 1:
                console.print(f"{folds} folds", style="bold")
            console.print(_make_table(found.of_folds(folds)))
            console.print()
        console.print(_sum_up(found))
    if found.stale:
        console.print(
            f"{count_noun(found.stale, 'stale record')} left out "
            "(another method version, protocol or data)",
            style="yellow",
        )


def _refuse_archive(folder: Path) -> None:
    """Refuse an archive: only a store knows what was asked for."""
    from benchmark.results.archive import is_archive

    if is_archive(folder):
        raise UserError(
            f"{folder} is an archive, which does not say what was asked for: see it with "
            f"`wpfs-bench report --results {folder}`"
        )


def _make_table(counts: "Mapping[tuple[str, str], Counts]") -> "Table":
    """Lay out a row per data set: what is done, and which methods are not."""
    from rich.table import Table

    from benchmark.results.status import Counts

    rows: dict[str, dict[str, Counts]] = {}
    for (dataset, model), cell in sorted(counts.items()):
        rows.setdefault(dataset, {})[model] = cell
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("data set", overflow="fold")
    table.add_column("methods", justify="right", no_wrap=True)
    table.add_column("runs", justify="right", no_wrap=True)
    table.add_column("not done", overflow="fold")
    for dataset, cells in rows.items():
        runs, whole = sum(cells.values(), Counts()), sum(c.done == c.total for c in cells.values())
        open_cells = (f"{model} {_show(c)}" for model, c in cells.items() if c.done < c.total)
        table.add_row(dataset, f"{whole}/{len(cells)}", _show(runs), ", ".join(open_cells))
    return table


def _show(counts: "Counts") -> str:
    """Return ``3/5 ✗1``: done, asked for and failed."""
    text = f"{counts.done}/{counts.total}"
    if counts.done == counts.total:
        text = f"[green]{text}[/green]"
    return f"{text} [red]✗{counts.failed}[/red]" if counts.failed else text


def _sum_up(found: "FolderStatus") -> str:
    counts = found.cells.values()
    parts = [f"{sum(c.done for c in counts)} done"]
    n_failed = sum(c.failed for c in counts)
    n_missing = sum(c.missing for c in counts)
    if n_failed:
        parts.append(f"{n_failed} failed (✗; --failed lists them)")
    if n_missing:
        parts.append(f"{n_missing} missing (asked for, not run yet)")
    return ", ".join(parts)


def _print_failures(console: Any, found: "FolderStatus") -> None:
    from benchmark.results.store import key_of

    if not found.failures:
        console.print("no failures")
    for record in found.failures:
        console.print(
            f"{record['status']}: {key_of(record)}: {record.get('error', '')}",
            markup=False,
            soft_wrap=True,
        )


def _to_plain(found: "FolderStatus") -> dict[str, Any]:
    return {
        "cells": [
            {
                "dataset": dataset,
                "model": model,
                "folds": folds,
                "done": counts.done,
                "failed": counts.failed,
                "missing": counts.missing,
            }
            for (dataset, model, folds), counts in sorted(found.cells.items())
        ],
        "failures": [
            {
                name: record.get(name)
                for name in ("dataset", "model", "hyperparameters", "repeat", "fold", "folds",
                             "seed", "status", "error", "path")
            }
            for record in found.failures
        ],
        "stale": found.stale,
        "unreadable": [str(path) for path in found.unreadable],
    }  # fmt: skip
