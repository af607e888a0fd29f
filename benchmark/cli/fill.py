"""``wpfs-bench fill``: Markdown documents whose numbers come from commands."""

import contextlib
import io
from pathlib import Path
from typing import Annotated

import typer
from typer.exceptions import TyperException

from benchmark.cli.app import app
from benchmark.errors import UserError

#: Commands that read results and change nothing.
_READERS = ("report", "bench")


@app.command()
def fill(
    documents: Annotated[
        list[Path], typer.Argument(help="Markdown files; paths in them count from here.")
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 if a document is out of date.")
    ] = False,
) -> None:
    """Put what commands print into the documents that name them.

    A block begins with the comment `<!-- wpfs-bench report ... -->` and ends with `<!-- end -->`;
    all between them is replaced. `report` and `bench --read` can be used.
    """
    from benchmark.atomic import write_atomically
    from benchmark.report.documents import fill_document

    outdated = []
    for document in documents:
        try:
            text = document.read_text(encoding="utf-8")
        except OSError as error:
            raise UserError(f"cannot read {document}: {error.strerror}") from error
        try:
            filled = fill_document(text, _capture)
        except UserError as error:
            raise UserError(f"{document}: {error}") from error
        if filled == text:
            typer.echo(f"{document} is up to date", err=True)
            continue
        outdated.append(document)
        if check:
            typer.echo(f"{document} is out of date: run `wpfs-bench fill {document}`", err=True)
        else:
            write_atomically(document, filled.encode())
            typer.echo(f"{document} filled", err=True)
    if check and outdated:
        raise typer.Exit(1)


def _capture(arguments: list[str]) -> str:
    """Run a command of ours in this process and return what it prints."""
    command = " ".join(arguments)
    if arguments[:1] not in ([name] for name in _READERS) or (
        arguments[0] == "bench" and "--read" not in arguments
    ):
        raise UserError(f"a block may use report or bench --read, not `wpfs-bench {command}`")
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            code = typer.main.get_command(app).main(
                arguments, prog_name="wpfs-bench", standalone_mode=False
            )
    except TyperException as error:
        raise UserError(f"`wpfs-bench {command}`: {error}") from error
    if code:
        raise UserError(f"`wpfs-bench {command}` ended with exit code {code}")
    return printed.getvalue()
