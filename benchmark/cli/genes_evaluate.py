"""``wpfs-bench genes evaluate``."""

from typing import Annotated

import typer

from benchmark.cli.genes import (
    explain_no_scores,
    genes_app,
    name_unreadable,
    read_report,
    take_runs,
)
from benchmark.cli.result_options import (
    DEFAULT_RESULTS,
    OutputFile,
    ResultsFolder,
    RunChoice,
    TableFormat,
    takes_runs,
)
from benchmark.cli.table_options import DataChoice, takes_data
from benchmark.errors import UserError
from benchmark.report.formats.registry import FORMATS, check_format


@genes_app.command()
@takes_data
@takes_runs
def evaluate(
    dataset: Annotated[
        str | None, typer.Option("--dataset", "-d", help="The data set, where runs are on several.")
    ] = None,
    count: Annotated[
        int, typer.Option("--count", "-k", min=1, help="Genes to take of each run.")
    ] = 50,
    format: TableFormat = "table",
    output: OutputFile = None,
    results: ResultsFolder = DEFAULT_RESULTS,
    *,
    chosen: RunChoice,
    tables: DataChoice,
) -> None:
    """Score the best genes of each stored run in a linear SVM, beside random genes and all.

    A run's genes were chosen on its training rows; the SVM learns from these and is scored on the
    run's test rows.
    """
    from rich.console import Console
    from rich.progress import Progress

    from benchmark.genes.selections import read_selections
    from benchmark.genes.table import find_table
    from benchmark.models.sufficiency import Evaluation, build_sufficiency
    from benchmark.report.output import write_tables

    check_format(format, tuple(FORMATS))
    datasets = [dataset] if dataset else None
    report = read_report(results, datasets, chosen, FORMATS[format].titles)
    (name, *others) = report.request.datasets
    if others:
        raise UserError(f"-d {dataset}: one data set at a time")
    runs = take_runs(report, name)
    table, reason = find_table(tables.find_source(name), str(runs["dataset_checksum"].iloc[0]))
    if table is None:
        raise UserError(f"the genes cannot be tried without the table: {reason}")
    selections = read_selections(runs, report.arrays)
    name_unreadable(report)
    if not selections:
        raise UserError(explain_no_scores(name, results))
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("runs", total=sum(len(s.runs) for s in selections.values()))
        evaluation = Evaluation(table, count, lambda: progress.advance(task))
        found = [evaluation.measure(of_method) for of_method in selections.values()]
    called = {model: report.labels.title(model) for model in selections}
    write_tables([build_sufficiency(table, found, count, called)], format, output)
