"""Tables as GitHub-flavoured Markdown."""

import re
from collections.abc import Sequence

from benchmark.report.table import Cell, Table

_EMPHASIS = {"best": "**{}**", "second": "<u>{}</u>", "failed": "*{}*", "": "{}"}


def render_markdown(tables: Sequence[Table]) -> str:
    """Write tables one after the other."""
    return "\n".join(_render(table) for table in tables)


def _render(table: Table) -> str:
    """Write a table with its caption above and its notes below; only those if it is empty."""
    lines = [f"**{_escape(table.title)}**"]
    if table.rows:
        aligns = (_align(table, column) for column in range(len(table.columns)))
        lines += ["", _line([_escape(head) for head in (table.head, *table.columns)])]
        lines.append(_line([":---", *aligns]))
    for row in table.rows:
        lines.append(_line([_escape(row.label) + row.mark, *(_cell(cell) for cell in row.cells)]))
    for note in table.notes:
        lines += ["", _escape(note)]
    return "\n".join(lines) + "\n"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _align(table: Table, column: int) -> str:
    return "---:" if table.holds_numbers(column) else ":---"


def _cell(cell: Cell) -> str:
    text = _EMPHASIS[cell.emphasis].format(_escape(cell.number))
    if cell.spread:
        text += f" ± {cell.spread}"
    return f"{text} ({cell.count})" if cell.count else text


def _escape(text: str) -> str:
    """Keep names and errors from becoming columns, emphasis, links or HTML."""
    text = re.sub(r"([\\|*\[\]])", r"\\\1", text.replace("\n", " "))
    # Only a letter or one of these after "<" begins a tag; "p < 0.001" may stay.
    return re.sub(r"<(?=[a-zA-Z/!?])", "&lt;", text)
