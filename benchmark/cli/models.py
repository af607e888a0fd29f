"""``wpfs-bench models``: list the methods, show one, check one."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchmark.cli.app import app
from benchmark.cli.completion import complete_methods

if TYPE_CHECKING:
    from rich.console import Console

    from baselines._shared.method import Method

MethodName = Annotated[
    str,
    typer.Argument(help="Name, or path/to/file.py:ClassName.", autocompletion=complete_methods),
]

models_app = typer.Typer(help="List the methods, show one, check one of your own.")
app.add_typer(models_app, name="models")


@models_app.callback(invoke_without_command=True)
def models(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the methods: title, year, kind, whether it selects genes, is in the paper, can run."""
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
def show(
    method: MethodName,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show one method: what it is, hyper-parameters, the paper's values, tables, cost."""
    from baselines._shared.registry import find_catalogue, is_path
    from benchmark.plan.jobs import find_method

    catalogue = find_catalogue()
    # An unavailable method is shown, too, unless its file cannot be imported.
    found = None if is_path(method) else catalogue.methods.get(method)
    found = found or find_method(method)
    row = _describe(found, catalogue.unavailable.get(found.name))
    if as_json:
        import json

        costs = _read_reference_seconds(found.name)
        print(json.dumps({**row, "reference_seconds": costs}, indent=2, default=list))
        return
    _print_method(found, row)


@models_app.command()
def check(
    method: MethodName,
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
        "kind": method.kind,
        "year": method.year,
        "selects_genes": "selects-features" in method.tags,
        "in_paper": method.paper_column is not None,
        "version": method.version,
        "tags": sorted(method.tags),
        "available": reason is None,
        "reason": reason or "",
        "hyperparameters": settable(method),
        "grid": {name: list(values) for name, values in method.grid.items()},
        "paper_values": {name: dict(values) for name, values in method.paper_values.items()},
    }


def _print_models(rows: list[dict[str, Any]], broken: dict[str, str]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    # Seven columns of one line each in a terminal 80 wide.
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("method", "title", "year", "kind", "selects", "paper", "ready"):
        table.add_column(heading, no_wrap=True)
    for row in rows:
        table.add_row(
            row["name"],
            escape(row["title"]),
            str(row["year"] or ""),
            row["kind"],
            "genes" if row["selects_genes"] else "",
            "yes" if row["in_paper"] else "",
            "yes" if row["available"] else "[red]no[/red]",
        )
    console.print(table)
    console.print("\nOne in full: `wpfs-bench models show NAME`. All of the paper: `-m paper`.")
    for row in rows:
        if not row["available"]:
            console.print(f"{row['name']} cannot run: {row['reason']}", style="red", markup=False)
    for name, reason in broken.items():
        console.print(f"cannot be loaded: {name}: {reason}", style="red", markup=False)


def _print_method(method: "Method", row: dict[str, Any]) -> None:
    """Print what ``models show`` knows: facts, hyper-parameters, costs, where it is shown."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    facts = {
        "method": f"{row['name']} (version {row['version']})",
        "title": row["title"],
        "what it is": _read_summary(method.estimator),
        "reference": row["reference"],
        "kind": row["kind"] + (", selects genes" if row["selects_genes"] else ""),
        "available": "yes" if row["available"] else f"no: {row['reason']}",
        "tags": ", ".join(row["tags"]) or "none",
    }
    for label, value in facts.items():
        _print_fact(console, label, value)
    console.print("\nHyper-parameters: default (grid)", style="bold")
    for name, default in row["hyperparameters"].items():
        choices = ", ".join(str(value) for value in row["grid"].get(name, ()))
        console.print(f"  {name} = {default}{choices and f' ({choices})'}", markup=False)
    if row["paper_values"]:
        console.print("\nThe paper's values, where not the defaults", style="bold")
        for dataset, values in row["paper_values"].items():
            where = "every other data set" if dataset == "*" else dataset
            chosen = ", ".join(f"{name} = {value}" for name, value in values.items())
            console.print(f"  {where}: {chosen}", markup=False)
    console.print()
    _print_fact(console, "tables", _name_tables(method))
    _print_fact(console, "cost", _name_costs(method.name))


def _print_fact(console: "Console", label: str, value: str) -> None:
    from benchmark.text import wrap_after

    console.print(f"[bold]{label:11}[/bold]", end=" ")
    console.print(wrap_after(12, value), markup=False)


def _read_summary(estimator: type) -> str:
    """Return the first sentence of a class's documentation."""
    text = (estimator.__doc__ or "").strip().partition("\n\n")[0]
    return " ".join(text.split()) or "not documented"


def _name_tables(method: "Method") -> str:
    from benchmark.plan.studies import STUDIES

    studies = [
        study.name
        for study in STUDIES.values()
        if any(variant.model == method.name for variant in study.variants)
    ]
    paper = f"in the paper's as {method.paper_column}" if method.paper_column else ""
    return "; ".join(
        part
        for part in (
            "every table of all methods",
            paper,
            studies and f"studies {', '.join(studies)}",
        )
        if part
    )


def _name_costs(name: str) -> str:
    """Return the median seconds of a reference run on each data set, in words."""
    import statistics

    seconds = _read_reference_seconds(name)
    if not seconds:
        return "not known: no reference run of it is here"
    medians = ", ".join(
        f"{dataset} {_show_seconds(statistics.median(values))}"
        for dataset, values in seconds.items()
    )
    return f"median per run, one thread: {medians}"


def _show_seconds(seconds: float) -> str:
    from benchmark.text import show_duration

    return f"{seconds:.2f} s" if seconds < 1 else show_duration(seconds)


def _read_reference_seconds(name: str) -> dict[str, list[float]]:
    """Return data set -> seconds of the method's reference runs; none outside a checkout."""
    from benchmark.results.durations import read_reference_durations

    seconds: dict[str, list[float]] = {}
    for _, dataset, duration in read_reference_durations([name]):
        seconds.setdefault(dataset, []).append(duration)
    return dict(sorted(seconds.items()))
