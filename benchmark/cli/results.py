"""``wpfs-bench results``: merge and export."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from benchmark.cli.app import app
from benchmark.cli.result_options import DEFAULT_RESULTS, ResultsFolder
from benchmark.errors import UserError

results_app = typer.Typer(help="Merge and export results.", no_args_is_help=True)
app.add_typer(results_app, name="results")


class TableFormat(StrEnum):
    """How the tidy table is written."""

    CSV = "csv"
    PARQUET = "parquet"


@results_app.command()
def merge(
    folders: Annotated[
        list[Path], typer.Argument(help="Folders of results to take from, archives too.")
    ],
    results: ResultsFolder = DEFAULT_RESULTS,
) -> None:
    """Join results of several machines or shards; conflicts are reported, nothing overwritten."""
    from rich.console import Console

    from benchmark.results.archive import is_archive
    from benchmark.results.merge import merge_results
    from benchmark.results.store import Store
    from benchmark.text import count_noun

    for folder in folders:
        if not folder.is_dir():
            raise UserError(f"there is no folder {folder}")
        if folder.resolve() == results.resolve():
            raise UserError(f"{folder} cannot be merged into itself: choose another --results")
    if is_archive(results):
        raise UserError(
            f"{results} is an archive: merge into another folder, then write it again with "
            "`wpfs-bench report --results FOLDER --archive ARCHIVE`"
        )
    Store(results).prepare()
    try:
        report = merge_results(folders, results)
    except OSError as error:
        raise UserError(
            f"merging into {results} stopped: {error.strerror or error}; "
            "what was copied is whole, give the same command again to go on"
        ) from error
    if not (report.copied or report.same or report.conflicts):
        raise UserError(f"no runs in {', '.join(map(str, folders))}: nothing to merge")
    console = Console(highlight=False)
    for kept, left in report.conflicts:
        console.print(
            f"conflict: {kept} is kept, {left} has other scores",
            style="red",
            markup=False,
            soft_wrap=True,
        )
    console.print(
        f"{count_noun(report.copied, 'record')} copied to {results}, "
        f"{report.same} already there, "
        f"{count_noun(len(report.conflicts), 'conflict')}",
        soft_wrap=True,
    )
    if report.conflicts:
        raise typer.Exit(1)


@results_app.command()
def export(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; CSV goes to the terminal.")
    ] = None,
    table_format: Annotated[TableFormat, typer.Option("--format")] = TableFormat.CSV,
    results: ResultsFolder = DEFAULT_RESULTS,
) -> None:
    """Write one tidy table, a row per run."""
    import sys
    from io import BytesIO

    from benchmark.files import write_atomically
    from benchmark.results.reading import escape_formulas, flatten, read_results
    from benchmark.results.store import describe_unreadable
    from benchmark.text import count_noun

    if table_format is TableFormat.PARQUET and output is None:
        raise UserError("--format parquet needs --output FILE")
    unreadable: list[Path] = []
    frame = flatten(read_results(results, unreadable)[0])
    if unreadable:
        print(describe_unreadable(unreadable), file=sys.stderr)
    if table_format is TableFormat.CSV:
        frame = escape_formulas(frame)
    if output is None:
        frame.to_csv(sys.stdout, index=False)
        return
    buffer = BytesIO()
    write = frame.to_parquet if table_format is TableFormat.PARQUET else frame.to_csv
    try:
        write(buffer, index=False)
    except ImportError:
        raise UserError(
            "--format parquet needs pyarrow: pip install 'wpfs-bench[parquet]'"
        ) from None
    try:
        write_atomically(output, buffer.getvalue())
    except OSError as error:
        raise UserError(f"cannot write {output}: {error.strerror or error}") from error
    print(f"{count_noun(len(frame), 'run')} written to {output}")
