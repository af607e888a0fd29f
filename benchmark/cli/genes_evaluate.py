"""``wpfs-bench genes evaluate``."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from benchmark.cli.data_options import DataDir, DataFile, Registry, Transform
from benchmark.cli.genes import (
    explain_no_scores,
    genes_app,
    name_unreadable,
    read_report,
    take_runs,
)
from benchmark.cli.result_options import (
    DEFAULT_RESULTS,
    Assignments,
    ChosenPreset,
    Folds,
    Models,
    OutputFile,
    Preset,
    ResultsFolder,
)
from benchmark.cli.table_options import make_table_options, takes_own_table
from benchmark.errors import UserError
from benchmark.report.formats.registry import FORMATS, check_format


@genes_app.command()
@takes_own_table
def evaluate(
    dataset: Annotated[
        str | None, typer.Option("--dataset", "-d", help="The data set, where runs are on several.")
    ] = None,
    models: Models = None,
    count: Annotated[
        int, typer.Option("--count", "-k", min=1, help="Genes to take of each run.")
    ] = 50,
    hyperparameters: ChosenPreset = Preset.PAPER,
    set_: Assignments = None,
    folds: Folds = None,
    format: Annotated[
        str, typer.Option("--format", "-f", help=f"One of {', '.join(FORMATS)}.")
    ] = "table",
    output: OutputFile = None,
    results: ResultsFolder = DEFAULT_RESULTS,
    registry: Registry = None,
    data_dir: DataDir = None,
    transform: Transform = None,
    data: DataFile = None,
    *,
    own: Mapping[str, Any],
) -> None:
    """Score the best genes of each stored run in a linear SVM, beside random genes and all.

    A run's genes were chosen on its training rows; the SVM learns from these and is scored on the
    run's test rows.
    """
    from rich.console import Console
    from rich.progress import Progress

    from benchmark.datasets.loading import DataSource
    from benchmark.genes.selections import read_selections
    from benchmark.genes.table import find_table
    from benchmark.models.sufficiency import Evaluation, build_sufficiency
    from benchmark.report.output import write_tables

    check_format(format, tuple(FORMATS))
    table_options = make_table_options(data, own)
    chosen = [dataset] if dataset else None
    titles = FORMATS[format].titles
    report = read_report(results, chosen, models, hyperparameters, set_, folds, titles)
    (name, *others) = report.request.datasets
    if others:
        raise UserError(f"-d {dataset}: one data set at a time")
    runs = take_runs(report, name)
    source = DataSource(
        name="" if table_options else name,
        own=table_options,
        data_dir=data_dir,
        registries=tuple(registry or ()),
        transform=transform,
        impute="median",  # the judge fills what the runs filled, from the same training rows
    )
    table = find_table(source, str(runs["dataset_checksum"].iloc[0]))
    if table.dataset is None:
        raise UserError(f"the genes cannot be tried without the table: {table.reason}")
    selections = read_selections(runs, report.arrays)
    name_unreadable(report)
    if not selections:
        raise UserError(explain_no_scores(name, results))
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("runs", total=sum(len(s.runs) for s in selections.values()))
        evaluation = Evaluation(table.dataset, count, lambda: progress.advance(task))
        found = [evaluation.measure(of_method) for of_method in selections.values()]
    called = {model: report.labels.title(model) for model in selections}
    write_tables([build_sufficiency(table.dataset, found, count, called)], format, output)
