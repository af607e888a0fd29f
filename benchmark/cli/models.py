"""``wpfs-bench models``: list the methods, check one."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchmark.cli.app import app

if TYPE_CHECKING:
    from baselines._shared.method import Method

models_app = typer.Typer(help="List the methods and check one of your own.")
app.add_typer(models_app, name="models")


@models_app.callback(invoke_without_command=True)
def models(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the methods: name, paper, availability, hyper-parameters and grid."""
    if context.invoked_subcommand is not None:
        return
    from baselines._shared.registry import find_catalogue

    catalogue = find_catalogue()
    rows = [_describe(m, catalogue.unavailable.get(n)) for n, m in catalogue.methods.items()]
    broken = {n: r for n, r in catalogue.unavailable.items() if n not in catalogue.methods}
    if as_json:
        import json

        print(json.dumps({"methods": rows, "broken": broken}, indent=2, default=list))
        return
    _print_models(rows, broken)


@models_app.command()
def check(
    method: Annotated[str, typer.Argument(help="Name, or path/to/file.py:ClassName.")],
) -> None:
    """Run the conformance suite on a method."""
    from rich.console import Console

    from baselines._shared.conformance import iterate_checks
    from benchmark.plan.jobs import find_method
    from benchmark.text import count_noun

    console = Console(highlight=False)
    marks = {"passed": "[green]✓[/green]", "failed": "[red]✗[/red]", "excused": "[dim]–[/dim]"}
    n_failed = 0
    for result in iterate_checks(find_method(method)):
        detail = f"  {result.detail}" if result.detail else ""
        console.print(f"{marks[result.status]} {result.name}", end="")
        console.print(detail, style="dim", markup=False, soft_wrap=True)
        n_failed += result.status == "failed"
    if n_failed:
        console.print(f"{count_noun(n_failed, 'check')} failed")
        raise typer.Exit(1)


def _describe(method: "Method", reason: str | None) -> dict[str, Any]:
    from benchmark.plan.hyperparameters import settable

    return {
        "name": method.name,
        "title": method.title,
        "reference": method.reference,
        "in_paper": method.paper_column is not None,
        "version": method.version,
        "tags": sorted(method.tags),
        "available": reason is None,
        "reason": reason or "",
        "hyperparameters": settable(method),
        "grid": {name: list(values) for name, values in method.grid.items()},
        "paper": {name: dict(values) for name, values in method.paper_values.items()},
    }


def _print_models(rows: list[dict[str, Any]], broken: dict[str, str]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 1, 0))
    table.add_column("method", no_wrap=True)
    table.add_column("hyper-parameters: default (grid)", ratio=2)
    table.add_column("reference", ratio=2)
    for row in rows:
        name = f"{row['name']} [cyan]●[/cyan]" if row["in_paper"] else row["name"]
        reference = escape(row["reference"])
        if not row["available"]:
            reference = f"[red]unavailable: {escape(row['reason'])}[/red]"
        table.add_row(name, escape(_show_hyperparameters(row)), reference)
    console.print(table)
    console.print("\n[cyan]●[/cyan] in the paper's tables; `-m paper` runs them all")
    for name, reason in broken.items():
        console.print(f"cannot be loaded: {name}: {reason}", style="red", markup=False)


def _show_hyperparameters(row: dict[str, Any]) -> str:
    shown = []
    for name, default in row["hyperparameters"].items():
        grid = row["grid"].get(name)
        choices = f" ({', '.join(str(value) for value in grid)})" if grid else ""
        shown.append(f"{name}={default}{choices}")
    return ", ".join(shown)
