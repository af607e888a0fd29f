"""``wpfs-bench genes evaluate``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmark.cli.data_options import DataDir, DataFile, Registry, Transform
from benchmark.cli.genes import choose_datasets, explain_no_scores, genes_app
from benchmark.cli.report import Preset
from benchmark.cli.results_option import DEFAULT_RESULTS, ResultsFolder
from benchmark.cli.table_options import make_table_options, takes_own_table
from benchmark.errors import UserError
from benchmark.report.formats.registry import FORMATS, check_format


@genes_app.command()
@takes_own_table
def evaluate(
    dataset: Annotated[
        str | None, typer.Option("--dataset", "-d", help="The data set, where runs are on several.")
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option("--model", "--models", "-m", help="Only these methods: a,b,c. Repeatable."),
    ] = None,
    count: Annotated[
        int, typer.Option("--count", "-k", min=1, help="Genes to take of each run.")
    ] = 50,
    hyperparameters: Annotated[
        Preset, typer.Option(help="The paper's, the defaults, or tuned on validation data.")
    ] = Preset.PAPER,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="Runs made with this hyper-parameter, name=value. Repeatable."),
    ] = None,
    folds: Annotated[int | None, typer.Option(min=2, help="Runs of this cross-validation.")] = None,
    format: Annotated[
        str, typer.Option("--format", "-f", help=f"One of {', '.join(FORMATS)}.")
    ] = "table",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to a file.")] = None,
    results: ResultsFolder = DEFAULT_RESULTS,
    registry: Registry = None,
    data_dir: DataDir = None,
    transform: Transform = None,
    data: DataFile = None,
    *,
    own: Mapping[str, Any],
) -> None:
    """Try the genes each stored run rests on in a linear SVM, beside random genes and all.

    A run's genes were chosen on its training rows; the SVM learns from these and is scored on the
    run's test rows.
    """
    from rich.console import Console
    from rich.progress import Progress

    from benchmark.datasets.loading import DataSource
    from benchmark.genes.selections import read_selections
    from benchmark.genes.table import find_table
    from benchmark.models.sufficiency import Evaluation, build_sufficiency
    from benchmark.plan.hyperparameters import parse_assignments
    from benchmark.plan.select import split_list
    from benchmark.report.output import write_tables
    from benchmark.report.report import Report
    from benchmark.report.request import ReportRequest
    from benchmark.results.reading import read_results

    check_format(format, tuple(FORMATS))
    if set_ and hyperparameters is Preset.TUNED:
        raise UserError("--set and --hyperparameters tuned contradict each other: choose one")
    table_options = make_table_options(data, own)
    unreadable: list[Path] = []
    frame, arrays = read_results(results, unreadable)
    (name,) = choose_datasets(frame, [dataset] if dataset else [])
    request = ReportRequest(
        models=tuple(split_list(models or ())),
        datasets=(name,),
        preset=hyperparameters.value,
        overrides=parse_assignments(set_ or ()),
        titles=FORMATS[format].titles,
        folds=folds,
    )
    report = Report(frame, request, unreadable, arrays)
    runs = report.runs.of_main_table
    if runs.empty:
        raise UserError(f"no runs on {name} with --hyperparameters {hyperparameters.value}")
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
    selections = read_selections(runs, arrays)
    for file in (*unreadable, *arrays.unreadable):
        typer.echo(f"cannot read {file}: its run is left out", err=True)
    if not selections:
        raise UserError(explain_no_scores(name, results))
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("runs", total=sum(len(s.runs) for s in selections.values()))
        evaluation = Evaluation(table.dataset, count, lambda: progress.advance(task))
        found = [evaluation.measure(of_method) for of_method in selections.values()]
    titles = {model: report.labels.title(model) for model in selections}
    write_tables([build_sufficiency(table.dataset, found, count, titles)], format, output)
