"""``wpfs-bench inspect``."""

import shlex
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchmark.cli.app import app
from benchmark.cli.data_options import Registry
from benchmark.cli.table_options import list_words, make_table_options, takes_table

if TYPE_CHECKING:
    from rich.console import Console

    from benchmark.datasets.own_table.inspection import Inspection

#: Methods of the command to copy: the paper's, and the two controls that take seconds.
_FIRST_METHODS = "wpfs,linear-svm,random-forest"

_COLOURS = {"stop": "red", "warning": "yellow", "note": "cyan"}


@app.command()
@takes_table()
def inspect(
    file: Annotated[Path, typer.Argument(help="Your table, in any format of docs/own-cohort.md.")],
    registry: Registry = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    *,
    own: Mapping[str, Any],
) -> None:
    """Show how a table of yours is read, what may spoil a benchmark, and the command to run.

    Nothing is written.
    """
    from rich.console import Console

    from benchmark.datasets.own_table.inspection import inspect_table

    options = make_table_options(file, own)
    assert options is not None
    found = inspect_table(options, tuple(registry or ()))
    command = _make_command(file, found)
    if as_json:
        import json

        plain = {**asdict(found), "command": command}
        del plain["options"]
        print(json.dumps(plain, indent=2, default=str))
        return
    console = Console(highlight=False)
    _print_facts(console, file, found)
    _print_findings(console, found)
    console.print()
    if command is None:
        console.print("Next, with the column that holds the classes:")
        words = [str(file), *list_words(options), "--target", "COLUMN"]
        command = shlex.join(["wpfs-bench", "inspect", *words])
    else:
        console.print("Next:")
    console.print(f"  {command}", markup=False, soft_wrap=True)


def _print_facts(console: "Console", file: Path, found: "Inspection") -> None:
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")

    def add(name: str, value: str) -> None:
        grid.add_row(name, Text(value))

    add("file", str(file))
    for name, value in found.details.items():
        add(name, value)
    add("samples", f"{found.n_samples}: {', '.join(found.first_samples)}, ...")
    add("features", f"{found.n_features}: {', '.join(found.first_features)}, ...")
    if found.classes:
        add("classes", ", ".join(f"{name} {count}" for name, count in found.classes.items()))
    if found.groups is not None:
        add("groups", str(found.groups))
    for name, counts in found.candidates.items():
        add("target?", f"{name}: {', '.join(f'{key} {n}' for key, n in counts.items())}")
    add("missing values", str(found.missing))
    if found.classes:
        add("constant features", str(found.constant))
        advice = f": {found.scale.advice}" if found.scale.advice else ""
        add("scale", f"{found.scale.name}{advice}")
    console.print(grid)


def _print_findings(console: "Console", found: "Inspection") -> None:
    from rich.markup import escape

    if found.needed or found.findings:
        console.print()
    for flag, reason in found.needed.items():
        console.print(f"[yellow]needs --{flag}[/yellow]  {escape(reason)}", soft_wrap=True)
    for finding in found.findings:
        colour = _COLOURS[finding.level]
        console.print(
            f"[{colour}]{finding.level} {finding.code}[/{colour}]  {escape(finding.text)}",
            soft_wrap=True,
        )
        console.print(f"  {finding.help}", markup=False, style="dim", soft_wrap=True)


def _make_command(file: Path, found: "Inspection") -> str | None:
    if not found.classes or found.options is None:
        return None
    words = [*list_words(found.options)]
    if "--transform" in found.scale.advice:
        words += ["--transform", "log2p1"]
    return shlex.join(["wpfs-bench", "run", "-m", _FIRST_METHODS, "--data", str(file), *words])
