"""Where a report goes: to the terminal or into a file."""

import sys
from collections.abc import Sequence
from pathlib import Path

from benchmark.errors import UserError
from benchmark.files import write_atomically
from benchmark.report.formats.registry import render_tables
from benchmark.report.table import Table


def write_tables(
    tables: Sequence[Table], format: str, output: Path | None, standalone: bool = False
) -> None:
    """Print tables or write them to a file; ``standalone`` LaTeX compiles by itself."""
    if format == "table" and output is None:
        from benchmark.report.formats.terminal import print_tables

        print_tables(tables)
        return
    text = render_tables(tables, format)
    if standalone:
        from benchmark.report.formats.latex import wrap_document

        text = wrap_document(text)
    write_text(text, output)


def write_text(text: str, output: Path | None) -> None:
    """Print a text as it is, or write it to a file."""
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(output, text.encode())
    except OSError as error:
        raise UserError(f"--output {output}: {error.strerror}; choose another file") from error
    print(f"written to {output}", file=sys.stderr)
