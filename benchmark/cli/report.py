"""``wpfs-bench report``: tables, statistics and figures of finished runs."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from benchmark.cli.app import app


class Format(StrEnum):
    """How tables are written."""

    TABLE = "table"
    MARKDOWN = "markdown"
    LATEX = "latex"
    CSV = "csv"
    JSON = "json"
    HTML = "html"


class Source(StrEnum):
    """Whose numbers."""

    RUNS = "runs"
    PAPER = "paper"


@app.command()
def report(
    results: Annotated[
        Path,
        typer.Option(help="Folder of runs, or of committed results.", envvar="WPFS_BENCH_RESULTS"),
    ] = Path("results/runs"),
    table: Annotated[
        str,
        typer.Option(help="summary, main, full, ranks ..."),
    ] = "summary",
    format: Annotated[Format, typer.Option("--format", "-f", help="How to write it.")] = (
        Format.TABLE
    ),
    source: Annotated[
        Source, typer.Option(help="Our runs, or the paper's published numbers.")
    ] = Source.RUNS,
    metric: Annotated[str, typer.Option(help="What to show of the test set.")] = (
        "balanced-accuracy"
    ),
    rank_method: Annotated[str, typer.Option(help="paper or average.")] = "paper",
    models: Annotated[str, typer.Option(help="Names, in this order: a,b,c.")] = "",
    datasets: Annotated[str, typer.Option(help="Names, in this order: a,b,c.")] = "",
    hyperparameters: Annotated[
        str, typer.Option(help="paper, default or tuned (chosen on validation).")
    ] = "paper",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to a file.")] = None,
) -> None:
    """Show results: ranks, the paper side by side, statistics, figures."""
    from benchmark.report import assemble
    from benchmark.report.metrics import find_metric
    from benchmark.report.writing import write_tables

    request = assemble.Request(
        metric=find_metric(metric),
        rank_method=rank_method,
        models=_names(models),
        datasets=_names(datasets),
        setting=hyperparameters,
    )
    if source is Source.PAPER:
        write_tables(assemble.build_published(table, request), format.value, output)
        return
    raise NotImplementedError


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
