"""Tables written to the terminal or a file."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmark.errors import UserError
from benchmark.report.table import Table

#: Width of tables that go to a file or a pipe, where nothing tells the width.
_PLAIN_WIDTH = 120


def render_tables(tables: Sequence[Table], format: str, standalone: bool = False) -> str:
    """Write tables in one of the text formats.

    Parameters
    ----------
    tables
        At least one.
    format
        ``markdown``, ``latex``, ``csv`` or ``json``.
    standalone
        Make a LaTeX document that compiles by itself.
    """
    if format == "markdown":
        from benchmark.report.formats.markdown import render_markdown

        return "\n".join(render_markdown(table) for table in tables)
    if format == "latex":
        from benchmark.report.formats.latex import render_latex, wrap_document

        bodies = [render_latex(table) for table in tables]
        return wrap_document(bodies) if standalone else "\n".join(bodies)
    from benchmark.report.formats.data import render_csv, render_json

    return render_csv(tables) if format == "csv" else render_json(tables)


def write_tables(
    tables: Sequence[Table], format: str, output: Path | None, standalone: bool = False
) -> None:
    """Print tables, or write them to a file."""
    if format == "table":
        _print_tables(tables, output)
    else:
        write_text(render_tables(tables, format, standalone), output)


def write_text(text: str, output: Path | None) -> None:
    """Print a text as it is, or write it to a file."""
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"--output {output}: {error.strerror}; choose another file") from error
    print(f"written to {output}", file=sys.stderr)


def _print_tables(tables: Sequence[Table], output: Path | None) -> None:
    from rich.console import Console

    from benchmark.report.formats.terminal import print_tables

    if output is not None:
        import io

        buffer = io.StringIO()
        print_tables(list(tables), Console(file=buffer, width=_PLAIN_WIDTH))
        write_text(buffer.getvalue(), output)
        return
    plain = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    print_tables(list(tables), Console(width=_PLAIN_WIDTH if plain else None, highlight=False))
