"""``wpfs-bench fill``: Markdown documents whose numbers come from commands."""

import contextlib
import io
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmark.cli import bench, report  # noqa: F401 - the commands that a block may use
from benchmark.cli.app import app
from benchmark.errors import UserError

#: Options with which report and bench write files or start work.
_WRITING = ("output", "figures", "archive")


@app.command()
def fill(
    documents: Annotated[
        list[Path], typer.Argument(help="Markdown files; paths in them count from here.")
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 if a document is out of date.")
    ] = False,
) -> None:
    """Update the outputs of commands that documents quote.

    A block begins with the comment `<!-- wpfs-bench report ... -->` and ends with `<!-- end -->`;
    all between them is replaced. `report` and `bench --read` can be used.
    """
    from benchmark.report.documents import fill_document

    outdated = []
    for document in documents:
        try:
            text = document.read_text(encoding="utf-8")
        except OSError as error:
            raise UserError(f"cannot read {document}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise UserError(f"{document} is not text in UTF-8: convert it first") from error
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
            _write(document, filled)
            typer.echo(f"{document} filled", err=True)
    if check and outdated:
        raise typer.Exit(1)


def _write(document: Path, text: str) -> None:
    from benchmark.files import write_atomically

    try:
        write_atomically(document, text.encode())
    except OSError as error:
        raise UserError(f"cannot write {document}: {error.strerror}") from error


def _capture(arguments: list[str]) -> str:
    """Run a command of ours in this process and return what it prints."""
    group = typer.main.get_command(app)
    printed = io.StringIO()
    try:
        _check_harmless(group, arguments)
        with contextlib.redirect_stdout(printed):
            code = group.main(arguments, prog_name="wpfs-bench", standalone_mode=False)
    except Exception as error:
        if not hasattr(error, "format_message"):  # typer's errors of use, which were once click's
            raise
        raise UserError(str(error)) from error
    if code:
        raise UserError(f"ended with exit code {code}")
    return printed.getvalue()


def _check_harmless(group: Any, arguments: list[str]) -> None:
    """Refuse a command that would do more than print."""
    name, *options = arguments
    if name not in ("report", "bench"):
        raise UserError("a block may use report or bench --read")
    root = group.make_context("wpfs-bench", list(arguments))
    command = group.get_command(root, name)
    values = command.make_context(name, options, parent=root).params
    if name == "bench" and values["read"] is None:
        raise UserError("a block may use report or bench --read")
    given = [f"--{option}" for option in _WRITING if values.get(option) is not None]
    if given:
        raise UserError(f"a block prints and writes nothing: leave out {', '.join(given)}")
