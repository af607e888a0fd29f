"""``wpfs-bench genes``: which genes the runs rest on, how sure that is."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchmark.cli.app import app
from benchmark.cli.data_options import DataDir, DataFile, Registry, Transform
from benchmark.cli.results_option import DEFAULT_RESULTS, ResultsFolder
from benchmark.cli.table_options import make_table_options, takes_own_table
from benchmark.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

    from benchmark.report.table import Table


genes_app = typer.Typer(help="List genes, their stability, and what they are worth.")
app.add_typer(genes_app, name="genes")

#: What ``--table`` takes.
_TABLES = ("consensus", "methods", "stability", "agreement")

#: What is shown without ``--table``.
_FIRST = ("consensus", "stability")

_FORMATS = ("table", "csv", "json", "markdown", "latex")
_what = partial(typer.Option, rich_help_panel="What to show")


@genes_app.callback(invoke_without_command=True)
@takes_own_table
def genes(
    context: typer.Context,
    dataset: Annotated[str | None, _what("--dataset", "-d", help="The data set.")] = None,
    models: Annotated[
        list[str] | None,
        _what("--model", "--models", "-m", help="Only these methods: a,b,c. Repeatable."),
    ] = None,
    table: Annotated[
        list[str] | None, _what(help=f"Of {', '.join(_TABLES)}; the first and third without.")
    ] = None,
    top: Annotated[
        int,
        _what(min=1, help="Length of the lists; what counts as selected if a method selects none."),
    ] = 50,
    hyperparameters: Annotated[
        str, _what(help="The paper's, the defaults, or tuned on validation data.")
    ] = "paper",
    set_: Annotated[
        list[str] | None,
        _what("--set", help="Runs made with this hyper-parameter, name=value. Repeatable."),
    ] = None,
    folds: Annotated[int | None, _what(min=2, help="Runs of this cross-validation.")] = None,
    format: Annotated[
        str, typer.Option("--format", "-f", help=f"One of {', '.join(_FORMATS)}.")
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
    """Show which genes the stored runs rest on: over methods, per method, how stable, how alike.

    Examples: `genes -d scanb-basal`, `genes -d scanb-basal -m wpfs --table methods`.
    """
    if context.invoked_subcommand is not None:
        return
    from benchmark.genes.lists import read_gene_lists
    from benchmark.genes.table import find_table
    from benchmark.plan.hyperparameters import parse_assignments
    from benchmark.plan.select import split_list
    from benchmark.report.formats.registry import FORMATS, check_format
    from benchmark.report.output import write_tables
    from benchmark.report.report import Report
    from benchmark.report.request import ReportRequest
    from benchmark.report.tables.genes import GENE_TABLES
    from benchmark.results.reading import read_results

    check_format(format, _FORMATS)
    for name in table or ():
        if name not in _TABLES:
            raise UserError(f"unknown table {name!r}: choose one of {', '.join(_TABLES)}")
    frame, arrays = read_results(results, [])
    own_options = make_table_options(data, own)
    source = None
    request = ReportRequest(
        models=tuple(split_list(models or ())),
        datasets=(_choose_dataset(frame, dataset),),
        preset=hyperparameters,
        overrides=parse_assignments(set_ or ()),
        titles=FORMATS[format].titles,
        folds=folds,
    )
    report = Report(frame, request, stored_arrays=arrays)
    runs = report.runs.of_main_table
    from benchmark.datasets.loading import DataSource

    source = DataSource(
        name="" if own_options else request.datasets[0],
        own=own_options,
        data_dir=data_dir,
        registries=tuple(registry or ()),
        transform=transform,
        impute=own.get("impute"),
    )
    checksum = str(runs["dataset_checksum"].iloc[0])
    found = find_table(source, checksum)
    names = arrays.read_names(checksum)
    lists = read_gene_lists(runs, arrays, found.dataset, names, top)
    if lists is None:
        raise UserError(f"no run on {request.datasets[0]} has scores of genes")
    tables: list[Table] = []
    for name in table or _FIRST:
        build = GENE_TABLES[name]
        reasons = (found.reason,) if name in ("consensus", "methods") else ()
        tables += build(lists, report.labels, *reasons)
    write_tables(tables, format, output)


def _choose_dataset(frame: "pd.DataFrame", name: str | None) -> str:
    if name is not None:
        return name
    have = sorted(set(frame["dataset"]))
    if len(have) > 1:
        raise UserError(f"choose a data set with -d: there are runs on {', '.join(have)}")
    return have[0]
