"""The formats of ``wpfs-bench report --format NAME``.

A format is a function from tables to a text, in a module of this package, and its entry in
``FORMATS``. The modules are imported when their format is asked for: `--help` needs none.
"""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmark.errors import UserError
from benchmark.report.table import Table


@dataclass(frozen=True)
class Format:
    """A way to write tables.

    Parameters
    ----------
    renderer
        Module and function that turn tables into a text.
    titles
        Methods go by their titles, as in a publication, instead of by their names.
    is_data
        For programs, which want tables as they are: not transposed.
    """

    renderer: str
    titles: bool = False
    is_data: bool = False


FORMATS: Mapping[str, Format] = {
    "table": Format("terminal.render_text"),
    "markdown": Format("markdown.render_markdown", titles=True),
    "latex": Format("latex.render_latex", titles=True),
    "csv": Format("data.render_csv", is_data=True),
    "json": Format("data.render_json", is_data=True),
}

#: A whole page, which is made of more than tables.
PAGE = "html"


def check_format(name: str, allowed: Sequence[str] = (*FORMATS, PAGE)) -> None:
    """Raise a ``UserError`` unless ``--format NAME`` is one of those allowed."""
    if name not in allowed:
        raise UserError(f"unknown --format {name!r}: choose one of {', '.join(allowed)}")


def render_tables(tables: Sequence[Table], format: str) -> str:
    """Write tables in a format, one after the other."""
    module, _, function = FORMATS[format].renderer.partition(".")
    render = getattr(importlib.import_module(f"benchmark.report.formats.{module}"), function)
    text: str = render(tables)
    return text
