"""``wpfs-bench report``: tables, statistics and figures of finished runs."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchmark.cli.app import app
from benchmark.cli.results_option import DEFAULT_RESULTS, ResultsFolder
from benchmark.errors import UserError
from benchmark.plan.studies import STUDIES
from benchmark.report.table import PROTOCOL_RUNS
from benchmark.run.metrics import METRICS, find_metric

if TYPE_CHECKING:
    from benchmark.report.completeness import Gap


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


class Reference(StrEnum):
    """Whose numbers ours are set beside."""

    PAPER = "paper"


class RankMethod(StrEnum):
    """How ties are ranked."""

    PAPER = "paper"
    AVERAGE = "average"


class Setting(StrEnum):
    """Which hyper-parameters."""

    PAPER = "paper"
    DEFAULT = "default"
    TUNED = "tuned"


_TABLES = (
    "summary, main, full (with standard deviations), ranks, statistics, comparison, "
    "stand-ins, hyperparameters, parameters, runtime, selected, datasets, or a study: "
    f"{', '.join(STUDIES)}."
)

#: Tables of data sets x methods.
_TRANSPOSABLE = ("main", "full", "ranks", "runtime", "parameters")


@app.command()
def report(
    results: ResultsFolder = DEFAULT_RESULTS,
    table: Annotated[str, typer.Option(help=_TABLES)] = "summary",
    format: Annotated[
        Format, typer.Option("--format", "-f", help="html is a whole page, --table aside.")
    ] = Format.TABLE,
    source: Annotated[
        Source, typer.Option(help="Our runs, or the paper's published numbers.")
    ] = Source.RUNS,
    compare: Annotated[
        Reference | None, typer.Option(help="Set our numbers beside the paper's.")
    ] = None,
    metric: Annotated[
        str, typer.Option(help=f"One of {', '.join(METRICS)}, on the test rows.")
    ] = "balanced-accuracy",
    rank_method: Annotated[
        RankMethod, typer.Option(help="Competition ranks as in the paper, or shared averages.")
    ] = RankMethod.PAPER,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--models",
            "--model",
            "-m",
            help="Only these methods, in this order: a,b,c or paper. Repeatable.",
        ),
    ] = None,
    datasets: Annotated[
        list[str] | None,
        typer.Option(
            "--datasets",
            "--dataset",
            "-d",
            help="Only these data sets, in this order: a,b,c or paper. Repeatable.",
        ),
    ] = None,
    hyperparameters: Annotated[
        Setting, typer.Option(help="The paper's, the defaults, or tuned on validation data.")
    ] = Setting.PAPER,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="Runs made with this hyper-parameter, name=value. Repeatable."),
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="Method that the statistics compare the others with.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="List missing and failed cells; exit 1 if any.")
    ] = False,
    expect: Annotated[
        int | None,
        typer.Option(
            min=1, help=f"Runs that --strict expects in every cell: {PROTOCOL_RUNS} unless given."
        ),
    ] = None,
    transpose: Annotated[
        bool, typer.Option("--transpose", help="Methods as rows, in tables of data sets x methods.")
    ] = False,
    standalone: Annotated[
        bool, typer.Option("--standalone", help="LaTeX that compiles by itself.")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to a file.")] = None,
    figures: Annotated[
        Path | None,
        typer.Option(help="Draw the paper's figures into this folder.", file_okay=False),
    ] = None,
    archive: Annotated[
        Path | None,
        typer.Option(help="Write the runs, compact, into this folder.", file_okay=False),
    ] = None,
    curves: Annotated[
        bool,
        typer.Option("--curves", help="Keep loss curves and importance scores in the archive."),
    ] = False,
) -> None:
    """Show results: ranks, the paper side by side, statistics, figures.

    Examples: `report --table main --compare paper`, `report -f html -o report.html`,
    `report --table main -f latex --standalone -o table.tex`, `report --source paper`.
    """
    from benchmark.plan.hyperparameters import parse_assignments
    from benchmark.report.labels import list_published_datasets, list_published_models
    from benchmark.report.paper import read_paper
    from benchmark.report.report import Report, Request, check_table
    from benchmark.report.selection import expand_group
    from benchmark.report.writing import write_tables

    request = Request(
        metric=find_metric(metric),
        rank_method=rank_method.value,
        models=expand_group(
            _names(models, "--models"),
            list_published_models if source is Source.RUNS else lambda: read_paper().methods,
        ),
        datasets=expand_group(_names(datasets, "--datasets"), list_published_datasets),
        setting=hyperparameters.value,
        overrides=parse_assignments(set_ or ()),
        against=against,
        titles=format in (Format.MARKDOWN, Format.LATEX, Format.HTML),
        expected=expect or PROTOCOL_RUNS,
    )
    if standalone and format is not Format.LATEX:
        raise UserError("--standalone makes a LaTeX document: add --format latex")
    if transpose and table not in _TRANSPOSABLE:
        raise UserError(f"--transpose is for --table {', '.join(_TRANSPOSABLE)}, not {table}")
    if transpose and format in (Format.CSV, Format.JSON, Format.HTML):
        raise UserError(f"--transpose is for tables to read, not for --format {format.value}")
    if expect is not None and not strict and format is not Format.HTML:
        raise UserError("--expect is for --strict (or --format html)")
    if set_ and hyperparameters is Setting.TUNED:
        raise UserError("--set and --hyperparameters tuned contradict each other: choose one")
    if curves and archive is None:
        raise UserError("--curves is for --archive")
    if source is Source.PAPER:
        from benchmark.report.published import build_published

        _refuse(
            {
                "--format html": format is Format.HTML,
                "--compare": compare is not None,
                f"--metric {metric}": metric != "balanced-accuracy",
                f"--hyperparameters {hyperparameters.value}": hyperparameters is not Setting.PAPER,
                "--set": bool(set_),
                "--against": against is not None,
                "--strict": strict,
                "--figures": figures is not None,
                "--archive": archive is not None,
            },
            "only for our runs, use --source runs",
        )
        tables = build_published(table, request)
        if transpose:
            tables = [each.transpose("method") for each in tables]
        write_tables(tables, format.value, output, standalone)
        return

    if against is not None and table != "statistics" and format is not Format.HTML:
        raise UserError("--against is for --table statistics (or --format html)")
    check_table(table)
    if table in STUDIES or table == "selected":
        _refuse(
            {
                f"--metric {metric}": metric != "balanced-accuracy",
                f"--hyperparameters {hyperparameters.value}": hyperparameters is not Setting.PAPER,
                "--set": bool(set_),
            },
            f"--table {table} has a measure and settings of its own",
        )
    from benchmark.results.reading import read_results

    unreadable: list[Path] = []
    frame, arrays = read_results(results, unreadable)
    made = Report(frame, request, unreadable, arrays)
    if archive is not None:
        from benchmark.results.archive import check_nothing_is_lost, write_archive

        check_nothing_is_lost(made.covered, archive)
        write_archive(made.covered, archive, arrays, curves)
        typer.echo(f"{len(made.covered)} runs written to {archive}", err=True)
    if figures is not None:
        from benchmark.report.figures.drawing import draw_figures

        for line in draw_figures(made, arrays, figures):
            typer.echo(line, err=True)
    if format is Format.HTML:
        from benchmark.report.html.page import render_page
        from benchmark.report.writing import write_text

        write_text(render_page(made, arrays, str(results)), output)
    elif (figures is None and archive is None) or output is not None:
        tables = made.build(table)
        if transpose:
            tables = [each.transpose("method") for each in tables]
        if compare is not None and table != "comparison":
            tables = [*tables, *made.compare(table)]
        write_tables(tables, format.value, output, standalone)
    for file in arrays.unreadable:
        typer.echo(f"cannot read {file}: its run is drawn without arrays", err=True)
    if strict:
        gaps = made.every_gap if format is Format.HTML else made.find_gaps(table)
        _list_gaps(gaps, unreadable)


def _refuse(given: Mapping[str, bool], reason: str) -> None:
    """Refuse options that would be passed over in silence."""
    options = [option for option, is_given in given.items() if is_given]
    if options:
        raise UserError(f"{', '.join(options)}: {reason}")


def _list_gaps(gaps: list["Gap"], unreadable: list[Path]) -> None:
    for file in unreadable:
        typer.echo(f"unreadable: {file}", err=True)
    for gap in gaps:
        typer.echo(gap.describe(), err=True)
    if gaps:
        cells = "1 cell is" if len(gaps) == 1 else f"{len(gaps)} cells are"
        typer.echo(f"{cells} missing, failed or incomplete", err=True)
    if gaps or unreadable:
        raise typer.Exit(1)


def _names(given: list[str] | None, option: str) -> tuple[str, ...]:
    stripped = (name.strip() for text in given or () for name in text.split(","))
    names = tuple(name for name in stripped if name)
    if given and not names:
        raise UserError(f"{option} {','.join(given)}: names nothing; leave it out for all")
    return names
