"""``wpfs-bench genes``: which genes the runs rest on, how sure that is."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchmark.cli.app import app
from benchmark.cli.result_options import (
    DEFAULT_RESULTS,
    OutputFile,
    ResultsFolder,
    RunChoice,
    read_names,
    takes_runs,
)
from benchmark.cli.table_options import DataChoice, takes_data
from benchmark.errors import UserError
from benchmark.report.formats.registry import FORMATS, check_format

if TYPE_CHECKING:
    import pandas as pd

    from benchmark.datasets.loading import DataSource
    from benchmark.genes.lists import GeneLists
    from benchmark.report.labels import Labels
    from benchmark.report.report import Report
    from benchmark.report.table import Table

genes_app = typer.Typer(help="List genes, their stability, and what they are worth.")
app.add_typer(genes_app, name="genes")

#: What ``--table`` takes.
_TABLES = ("consensus", "methods", "stability", "agreement", "enrichment", "recovery")

#: Formats for other programs: one list, or all genes, of one data set.
_LISTS = ("tsv", "rnk", "gmt", "list")

_what = partial(typer.Option, rich_help_panel="What to show")


@genes_app.callback(invoke_without_command=True)
@takes_data
@takes_runs
def genes(
    context: typer.Context,
    datasets: Annotated[
        list[str] | None,
        _what("--dataset", "--datasets", "-d", help="The data set. Repeatable, comma lists."),
    ] = None,
    table: Annotated[
        list[str] | None,
        _what("--table", help=f"Of {', '.join(_TABLES)}. Repeatable; without it what fits."),
    ] = None,
    top: Annotated[
        int,
        _what(min=1, help="Length of the lists; so many count as selected if a method does not."),
    ] = 50,
    gene_sets: Annotated[
        Path | None,
        _what(help="GMT file: which of its sets the list is rich in.", dir_okay=False),
    ] = None,
    format: Annotated[
        str, typer.Option("--format", "-f", help=f"One of {', '.join((*FORMATS, *_LISTS))}.")
    ] = "table",
    output: OutputFile = None,
    results: ResultsFolder = DEFAULT_RESULTS,
    *,
    chosen: RunChoice,
    tables: DataChoice,
) -> None:
    """Show which genes the stored runs rest on: over methods, per method, how stable, how alike.

    Examples: `genes -d scanb-basal`, `genes -d scanb-basal -m wpfs --table methods`,
    `genes -d scanb-basal --gene-sets h.all.symbols.gmt`, `genes -d scanb-basal -f rnk -o x.rnk`.
    """
    if context.invoked_subcommand is not None:
        return
    from benchmark.genes.gene_sets import describe_cut, read_gene_sets
    from benchmark.report.output import write_tables, write_text
    from benchmark.report.tables.genes import build_recovery, explain_no_table

    check_format(format, (*FORMATS, *_LISTS))
    _check_tables(table, gene_sets, format)
    sets = read_gene_sets(gene_sets) if gene_sets else None
    titles = format in FORMATS and FORMATS[format].titles
    report = read_report(results, datasets, chosen, titles)
    names = report.request.datasets
    if len(names) > 1 and (format in _LISTS or tables.own):
        raise UserError(f"{'--data' if tables.own else f'--format {format}'}: of one data set")
    whole = format in FORMATS and FORMATS[format].is_data
    found: list[GeneLists] = []
    built: list[Table] = []
    for name in names:
        lists, reason = _read_lists(report, name, tables.find_source(name), top, results)
        found.append(lists)
        cut = ""
        if sets is not None:
            upper = [feature.upper() for feature in lists.names]
            cut = describe_cut(name, upper, sets, tables.shared["registries"])
        built += _build_tables(table, lists, report.labels, reason, sets, cut, whole)
    name_unreadable(report)
    if format in _LISTS:
        write_text(_choose_writer(format)(found[0]), output)
        if reason and format in ("tsv", "rnk"):
            typer.echo(explain_no_table(reason), err=True)
        return
    if table is None or "recovery" in table:
        recovery = build_recovery(found, report.labels)
        if not recovery and table:
            raise UserError("--table recovery: only where the truth is known, as on synthetic")
        built += recovery
    write_tables(built, format, output)


def read_report(
    results: Path, datasets: Sequence[str] | None, chosen: RunChoice, titles: bool
) -> "Report":
    """Read the runs on the data sets asked for, or on the only one that has any."""
    from benchmark.report.labels import expand_groups, list_dataset_groups, list_published_models
    from benchmark.report.report import Report
    from benchmark.report.request import ReportRequest
    from benchmark.results.reading import read_results

    unreadable: list[Path] = []
    frame, arrays = read_results(results, unreadable)
    request = ReportRequest(
        models=expand_groups(chosen.models, {"paper": list_published_models()}),
        datasets=_choose_datasets(
            frame, expand_groups(read_names(datasets, "--dataset"), list_dataset_groups())
        ),
        preset=chosen.preset,
        overrides=chosen.overrides,
        titles=titles,
        folds=chosen.folds,
    )
    return Report(frame, request, unreadable, arrays)


def take_runs(report: "Report", dataset: str) -> "pd.DataFrame":
    """Return the runs on a data set; none is a mistake."""
    runs = report.runs.of_main_table
    runs = runs[runs["dataset"] == dataset]
    if runs.empty:
        raise UserError(f"no runs on {dataset} with --hyperparameters {report.request.preset}")
    return runs


def name_unreadable(report: "Report") -> None:
    """Print which files could not be read."""
    for file in (*report.unreadable, *report.arrays.unreadable):
        typer.echo(f"cannot read {file}: what it holds is left out", err=True)


def _read_lists(
    report: "Report", dataset: str, source: "DataSource", top: int, results: Path
) -> "tuple[GeneLists, str]":
    """Return the lists of a data set and, where its table is not at hand, why."""
    from benchmark.genes.lists import read_gene_lists
    from benchmark.genes.table import find_table

    runs = take_runs(report, dataset)
    table, reason = find_table(source, str(runs["dataset_checksum"].iloc[0]))
    lists = read_gene_lists(runs, report.arrays, table, top)
    if lists is None:
        raise UserError(explain_no_scores(dataset, results))
    return lists, reason


def _check_tables(tables: list[str] | None, gene_sets: Path | None, format: str) -> None:
    for name in tables or ():
        if name not in _TABLES:
            raise UserError(f"unknown table {name!r}: choose one of {', '.join(_TABLES)}")
    if tables and format in _LISTS:
        raise UserError(f"--table {tables[0]}: not with --format {format}, which holds no tables")
    if tables and "enrichment" in tables and gene_sets is None:
        raise UserError("--table enrichment: give the sets with --gene-sets FILE.gmt")


def _choose_datasets(frame: "pd.DataFrame", names: Sequence[str]) -> tuple[str, ...]:
    """Return the data sets asked for, or the only one that has runs."""
    if names:
        return tuple(names)
    have = sorted(set(frame["dataset"]))
    if len(have) > 1:
        raise UserError(f"choose a data set with -d: there are runs on {', '.join(have)}")
    return tuple(have)


def _build_tables(
    wanted: list[str] | None,
    lists: "GeneLists",
    labels: "Labels",
    reason: str,
    sets: Mapping[str, frozenset[str]] | None,
    cut: str,
    whole: bool,
) -> "list[Table]":
    """Build the tables of one data set: those asked for, or the first ones."""
    from benchmark.report.tables import genes as build

    several = len(lists.selections) > 1
    first = ["consensus" if several else "methods", "stability"]
    built: list[Table] = []
    for name in wanted or (first if sets is None else [*first, "enrichment"]):
        if name == "consensus":
            built += build.build_consensus(lists, labels, reason)
        elif name == "methods":
            built += build.build_method_lists(lists, labels, reason)
        elif name == "stability":
            built += build.build_stability(lists, labels)
        elif name == "agreement":
            built += build.build_agreement(lists, labels)
        elif name == "enrichment":
            assert sets is not None
            built += build.build_enrichment(lists, sets, cut, whole)
    return built


def _choose_writer(format: str) -> "Callable[[GeneLists], str]":
    from benchmark.genes import export

    return {
        "tsv": export.write_genes,
        "rnk": export.write_ranking,
        "gmt": export.write_sets,
        "list": export.write_list,
    }[format]


def explain_no_scores(dataset: str, results: Path) -> str:
    """Return why there is no list of genes, and what to do."""
    from benchmark.results.archive import GENES, is_archive

    if is_archive(results) and not (results / GENES).is_file():
        return (
            f"{results} is an archive of an earlier wpfs-bench, without scores of genes: "
            "write it again from its store with `wpfs-bench report --archive`"
        )
    return (
        f"no run on {dataset} has scores of genes: the methods rank none, or their runs came from "
        "an archive that kept none (then run them again with --force)"
    )
