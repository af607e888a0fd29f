"""``wpfs-bench datasets``."""

from typing import TYPE_CHECKING, Annotated

import typer

from benchmark.cli.app import app
from benchmark.cli.completion import complete_datasets
from benchmark.cli.data_options import DataDir, Registry

if TYPE_CHECKING:
    from rich.console import Console

    from benchmark.datasets.cache import DataFolder
    from benchmark.datasets.listing import Description
    from benchmark.datasets.registry import Entry

#: Columns a terminal needs to show source and licence as well.
_ROOMY = 110

datasets_app = typer.Typer(help="List the data sets and show details.")
app.add_typer(datasets_app, name="datasets")


@datasets_app.callback(invoke_without_command=True)
def datasets(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    registry: Registry = None,
    data_dir: DataDir = None,
) -> None:
    """List the data sets: size, classes, state, source, licence."""
    if context.invoked_subcommand is not None:
        return
    from benchmark.datasets.cache import find_data_folder
    from benchmark.datasets.listing import describe_all

    folder = find_data_folder(data_dir)
    rows = describe_all(folder, tuple(registry or ()))
    if as_json:
        _print_json(rows)
    else:
        _print_table(rows, folder)


@datasets_app.command()
def show(
    name: Annotated[str, typer.Argument(help="A data set.", autocompletion=complete_datasets)],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    registry: Registry = None,
    data_dir: DataDir = None,
) -> None:
    """Show one data set: numbers, citation, where its files come from."""
    from rich.console import Console

    from benchmark.datasets.cache import find_data_folder
    from benchmark.datasets.listing import SYNTHETIC_DESCRIPTION, describe
    from benchmark.datasets.names import SYNTHETIC
    from benchmark.datasets.registry import find_entry

    console = Console(highlight=False, soft_wrap=True)
    if name == SYNTHETIC:
        if as_json:
            _print_json([SYNTHETIC_DESCRIPTION])
            return
        _print_facts(console, SYNTHETIC_DESCRIPTION)
        _print_fact(console, "parameters", "samples, features, informative, classes, noise, seed")
        _print_fact(console, "for example", "synthetic:samples=100,features=5000,noise=2")
        return
    entry = find_entry(name, tuple(registry or ()))
    folder = find_data_folder(data_dir)
    row = describe(entry, folder)
    if as_json:
        _print_json([row])
        return
    _print_facts(console, row)
    _print_sources(console, entry, folder)
    if row.state == "missing":
        console.print(f"\nGet it: wpfs-bench download {name}", markup=False)


def _print_json(rows: "list[Description]") -> None:
    import json
    from dataclasses import asdict

    typer.echo(json.dumps([asdict(row) for row in rows], indent=2))


def _print_table(rows: "list[Description]", folder: "DataFolder") -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    roomy = console.width >= _ROOMY
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("data set", no_wrap=True)
    table.add_column("samples", justify="right", no_wrap=True)
    table.add_column("features", justify="right", no_wrap=True)
    table.add_column("classes", no_wrap=True)
    table.add_column("state", no_wrap=True)
    if roomy:
        table.add_column("source", style="dim")
        table.add_column("licence", style="dim")
    for before, row in zip([rows[0], *rows], rows, strict=False):
        if row.collection != before.collection:
            table.add_section()
        cells = [row.name, _number(row.samples), _number(row.features)]
        cells.append("/".join(str(count) for count in row.classes.values()) or "?")
        cells.append(_state(row))
        table.add_row(*cells, *([row.source, row.licence] if roomy else []))
    console.print(table)
    ready = sum(row.state != "missing" for row in rows)
    hints = [f"{ready} of {len(rows)} ready in {folder.root}"]
    if ready < len(rows):
        hints.append("`wpfs-bench download [NAME ...]` gets the others.")
    if not roomy:
        hints.append(f"Source and licence: {_ROOMY} columns wide, --json, or `datasets show NAME`.")
    for hint in hints:
        console.print(hint, markup=False, soft_wrap=True)


def _state(row: "Description") -> str:
    if row.state == "differs":
        return f"[yellow]{'stand-in' if row.stand_in_for else 'ready, differs'}[/yellow]"
    return "[green]ready[/green]" if row.state == "ready" else "[dim]missing[/dim]"


def _number(value: int | None) -> str:
    return "?" if value is None else str(value)


def _print_facts(console: "Console", row: "Description") -> None:
    classes = ", ".join(f"{name} {count}" for name, count in row.classes.items())
    facts = {
        "data set": row.name,
        "title": row.title,
        "stands in for": f"{row.stand_in_for} (it is not the paper's table)"
        if row.stand_in_for
        else None,
        "state": "ready, but differs from the paper" if row.state == "differs" else row.state,
        "size": f"{_number(row.samples)} samples x {_number(row.features)} features",
        "classes": classes or "not known before it is ready",
        "source": row.source,
        "licence": row.licence,
        "citation": row.citation,
        "checksum": row.checksum,
    }
    for label, value in facts.items():
        if value:
            _print_fact(console, label, value)
    for sentence in row.differences:
        _print_fact(console, "difference", sentence, style="yellow")


def _print_fact(console: "Console", label: str, value: str, style: str = "bold") -> None:
    from benchmark.text import wrap_after

    console.print(f"[{style}]{label:13}[/{style}]", end=" ")
    console.print(wrap_after(14, value), markup=False)


def _print_sources(console: "Console", entry: "Entry", folder: "DataFolder") -> None:
    for number, source in enumerate(entry.sources, start=1):
        console.print()
        _print_fact(console, f"source {number}", source.note)
        for file in source.files:
            digest = f"sha256 {file.sha256}" if file.sha256 else f"git blob {file.git_blob}"
            console.print(
                f"  {folder.raw(file.name)}\n    "
                f"{digest if file.verifiable else 'no digest known: cannot be verified'}",
                markup=False,
            )
            for url in file.urls:
                console.print(f"    {url}", markup=False)
