"""``wpfs-bench report``: tables, statistics and figures of finished runs."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchmark.cli.app import app
from benchmark.cli.completion import complete_datasets, complete_methods, complete_tables
from benchmark.cli.result_options import (
    DEFAULT_RESULTS,
    OutputFile,
    ResultsFolder,
    RunChoice,
    read_names,
    takes_runs,
)
from benchmark.datasets.splits import FOLDS, REPEATS
from benchmark.errors import UserError
from benchmark.plan.studies import STUDIES
from benchmark.report.formats.registry import FORMATS, PAGE, check_format
from benchmark.report.tables.registry import TABLE_NAMES, check_table
from benchmark.run.metrics import METRICS, find_metric
from benchmark.text import count_noun

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from benchmark.report.gaps import Gap
    from benchmark.report.request import ReportRequest
    from benchmark.report.table import Table


#: Tables that compare one method with the others.
_TESTS = ("statistics", "rank-intervals", "against")


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


@app.command()
@takes_runs
def report(
    results: ResultsFolder = DEFAULT_RESULTS,
    table: Annotated[
        str,
        typer.Option(help=f"One of {', '.join(TABLE_NAMES)}.", autocompletion=complete_tables),
    ] = "summary",
    format: Annotated[
        str,
        typer.Option(
            "--format", "-f", help=f"One of {', '.join(FORMATS)}, or {PAGE}: a whole page."
        ),
    ] = "table",
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
    datasets: Annotated[
        list[str] | None,
        typer.Option(
            "--datasets",
            "--dataset",
            "-d",
            help="Only these data sets, in this order: a,b,c, paper, stand-ins or more. "
            "Repeatable.",
            autocompletion=complete_datasets,
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="Method that the statistics compare the others with.",
            autocompletion=complete_methods,
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="List missing and failed cells; exit 1 if any.")
    ] = False,
    expect: Annotated[
        int | None,
        typer.Option(
            min=1,
            help=f"Runs that --strict expects in a cell: {REPEATS} per fold unless given.",
        ),
    ] = None,
    transpose: Annotated[
        bool, typer.Option("--transpose", help="Methods as rows, in tables of data sets x methods.")
    ] = False,
    standalone: Annotated[
        bool, typer.Option("--standalone", help="LaTeX that compiles by itself.")
    ] = False,
    output: OutputFile = None,
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
    drop_unchosen: Annotated[
        bool,
        typer.Option(
            "--drop-unchosen",
            help="Of tuned grids, archive only what validation chose, and from how many.",
        ),
    ] = False,
    *,
    chosen: RunChoice,
) -> None:
    """Show results: ranks, the paper side by side, statistics, figures.

    Examples: `report --table main --compare paper`, `report -f html -o report.html`,
    `report --table main -f latex --standalone -o table.tex`, `report --source paper`.
    """
    from benchmark.report.labels import expand_groups, list_dataset_groups, list_published_models
    from benchmark.report.output import write_tables, write_text
    from benchmark.report.paper import read_paper
    from benchmark.report.request import ReportRequest

    check_format(format)
    is_page = format == PAGE
    request = ReportRequest(
        metric=find_metric(metric),
        rank_method=rank_method.value,
        models=expand_groups(
            chosen.models,
            {"paper": list_published_models() if source is Source.RUNS else read_paper().methods},
        ),
        datasets=expand_groups(read_names(datasets, "--datasets"), list_dataset_groups()),
        preset=chosen.preset,
        overrides=chosen.overrides,
        against=against,
        titles=is_page or FORMATS[format].titles,
        folds=chosen.folds,
        expected=expect or (chosen.folds or FOLDS) * REPEATS,
    )
    if standalone and format != "latex":
        raise UserError("--standalone makes a LaTeX document: add --format latex")
    if transpose and (is_page or FORMATS[format].is_data):
        raise UserError(f"--transpose is for tables to read, not for --format {format}")
    if expect is not None and not strict and not is_page:
        raise UserError("--expect is for --strict (or --format html)")
    for option, is_given in (("--curves", curves), ("--drop-unchosen", drop_unchosen)):
        if is_given and archive is None:
            raise UserError(f"{option} is for --archive")
    if source is Source.PAPER:
        from benchmark.report.tables.published import build_published

        _refuse(
            {
                f"--format {format}": is_page,
                "--compare": compare is not None,
                **_name_changes(request),
                "--folds": chosen.folds is not None,
                "--against": against is not None,
                "--strict": strict,
                "--figures": figures is not None,
                "--archive": archive is not None,
            },
            "only for our runs, use --source runs",
        )
        tables = build_published(table, request)
        write_tables(_transpose(tables) if transpose else tables, format, output, standalone)
        return

    if against is not None and table not in _TESTS and not is_page:
        raise UserError(f"--against is for --table {', '.join(_TESTS)} (or --format html)")
    check_table(table)
    if table in (*STUDIES, "selected", "lambda-bias"):
        reason = f"--table {table} has a measure and hyper-parameters of its own"
        _refuse(_name_changes(request), reason)
    from benchmark.report.report import Report
    from benchmark.report.tables.registry import build_comparisons, build_tables
    from benchmark.results.reading import read_results

    unreadable: list[Path] = []
    frame, arrays = read_results(results, unreadable)
    made = Report(frame, request, unreadable, arrays)
    if archive is not None:
        from benchmark.results.archive import check_nothing_is_lost, write_archive

        runs = made.runs.of_any_hyperparameters
        check_nothing_is_lost(runs, archive)
        if drop_unchosen:
            from benchmark.report import tuning

            runs = tuning.drop_unchosen(runs, made.runs.labels)
        write_archive(runs, archive, arrays, curves, _read_feature_names(runs))
        typer.echo(f"{len(runs)} runs written to {archive}", err=True)
    if figures is not None:
        from benchmark.report.figures.files import draw_figures

        for line in draw_figures(made, figures):
            typer.echo(line, err=True)
    if is_page:
        from benchmark.report.html.page import render_page

        write_text(render_page(made, str(results)), output)
    elif (figures is None and archive is None) or output is not None:
        tables = build_tables(made, table)
        if transpose:
            tables = _transpose(tables)
        if compare is not None and table != "comparison":
            tables = [*tables, *build_comparisons(made, table)]
        write_tables(tables, format, output, standalone)
    for file in arrays.unreadable:
        typer.echo(f"cannot read {file}: what it holds is left out", err=True)
    if strict:
        from benchmark.report.gaps import find_every_gap, find_gaps

        _list_gaps(find_every_gap(made) if is_page else find_gaps(made, table), unreadable)


def _read_feature_names(runs: "pd.DataFrame") -> dict[str, "np.ndarray"]:
    """Return the names of the features of those tables that are at hand, by checksum."""
    from benchmark.datasets.loading import DataSource
    from benchmark.genes.table import find_table

    names = {}
    tables = runs[["dataset", "dataset_checksum"]].drop_duplicates()
    for dataset, checksum in tables.itertuples(index=False):
        table, _ = find_table(DataSource(dataset, impute="median"), checksum)
        if table is not None:
            names[checksum] = table.feature_names
    return names


def _transpose(tables: list["Table"]) -> list["Table"]:
    for table in tables:
        if not table.across:
            raise UserError(
                "--transpose is for tables of data sets by methods, such as main and runtime, "
                f"not for {table.name}"
            )
    return [table.transpose() for table in tables]


def _name_changes(request: "ReportRequest") -> dict[str, bool]:
    """Return the options that choose other scores or runs than usual, and whether each is given."""
    return {
        f"--metric {request.metric.name}": request.metric.name != "balanced-accuracy",
        f"--hyperparameters {request.preset}": request.preset != "paper",
        "--set": bool(request.overrides),
    }


def _refuse(given: Mapping[str, bool], reason: str) -> None:
    """Refuse options that would be passed over in silence."""
    options = [option for option, is_given in given.items() if is_given]
    if options:
        raise UserError(f"{', '.join(options)}: {reason}")


def _list_gaps(gaps: list["Gap"], unreadable: list[Path]) -> None:
    from benchmark.report.gaps import count_kinds

    for file in unreadable:
        typer.echo(f"unreadable: {file}", err=True)
    for gap in gaps:
        typer.echo(gap.describe(), err=True)
    if gaps:
        kinds = ", ".join(f"{count} {kind}" for kind, count in count_kinds(gaps).items())
        typer.echo(f"{count_noun(len(gaps), 'cell')}: {kinds}", err=True)
    if gaps or unreadable:
        raise typer.Exit(1)
