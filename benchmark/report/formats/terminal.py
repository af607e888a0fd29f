"""Tables for the terminal."""

import io
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from benchmark.report.table import Cell, Table

_TONES = {"good": "green", "bad": "red", "warn": "yellow"}
_STYLES = {"best": "bold", "second": "underline", "failed": "red", "": ""}
#: Width of tables that go to a file or a pipe, where nothing tells the width.
_PLAIN_WIDTH = 120
#: Border and padding that rich adds to each column of ``box.SIMPLE_HEAD``.
_GAP = 2
#: Texts longer than this wrap before the table is split.
_PROSE_WIDTH = 24
#: Rows from which a table of rows against rows has numbers for heads.
_MANY = 5


def print_tables(tables: Sequence[Table]) -> None:
    """Print tables one below the other, in the width of the terminal."""
    plain = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    _print(tables, Console(width=_PLAIN_WIDTH if plain else None, highlight=False))


def render_text(tables: Sequence[Table]) -> str:
    """Write tables one below the other as plain text."""
    text = io.StringIO()
    _print(tables, Console(file=text, width=_PLAIN_WIDTH))
    return text.getvalue()


def _print(tables: Sequence[Table], console: Console) -> None:
    for position, table in enumerate(tables):
        if position:
            console.print()
        console.print(render_terminal(table, console.width))


def render_terminal(table: Table, width: int) -> RenderableType:
    """Lay out a table; one with more than ``width`` characters continues below itself."""
    from rich import box

    parts: list[RenderableType] = [Text(table.title, style="bold")]
    table = _number_heads(table)
    for block in _blocks(table, width) if table.rows else ():
        grid = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
        grid.add_column(table.head, no_wrap=True)
        for column in block:
            head, least = table.columns[column], _column_width(table, column)
            widest = max(
                [cell_len(head), *(_style(row.cells[column]).cell_len for row in table.rows)]
            )
            grid.add_column(
                head,
                justify="right" if table.holds_numbers(column) else "left",
                min_width=least,
                # Rich would take room from these as well, and then cut off the last column.
                no_wrap=widest == least,
            )
        for position, row in enumerate(table.rows):
            if table.starts_group(position):
                grid.add_section()
            grid.add_row(
                Text(row.label + row.mark), *(_style(row.cells[column]) for column in block)
            )
        parts.append(grid)
    notes = (table.legend, *table.notes) if table.legend else table.notes
    parts.extend(Text(note, style="dim") for note in notes)
    return Group(*parts)


def _style(cell: Cell) -> Text:
    """Return a cell's text with bold, underline and colour."""
    style = "dim" if cell.state not in ("ok", "failed") else _STYLES[cell.emphasis]
    text = Text(cell.number, style=style)
    if cell.spread:
        text.append(f" ± {cell.spread}", style="not bold not underline")
    if cell.count:
        text.append(f" ({cell.count})", style="not bold not underline dim")
    if cell.tone:
        text.stylize(_TONES[cell.tone])
    return text


def _number_heads(table: Table) -> Table:
    """Return a table of rows against the same rows with numbers for heads: names are too wide."""
    if table.columns != tuple(row.label for row in table.rows) or len(table.rows) < _MANY:
        return table
    rows = [
        replace(row, label=f"{number:>2} {row.label}")
        for number, row in enumerate(table.rows, start=1)
    ]
    return replace(
        table,
        head=f"   {table.head}",
        columns=tuple(str(number) for number in range(1, len(rows) + 1)),
        rows=tuple(rows),
    )


def _column_width(table: Table, column: int) -> int:
    """Return the least width of a column: its head may wrap at blanks, a value may not."""
    longest = max(cell_len(word) for word in table.columns[column].split(" "))
    return max([longest, *(_least_width(row.cells[column]) for row in table.rows)])


def _least_width(cell: Cell) -> int:
    """Return the width below which a cell would be hard to read; prose may wrap."""
    width = _style(cell).cell_len
    return width if cell.numeric else min(width, _PROSE_WIDTH)


def _blocks(table: Table, width: int) -> Iterator[list[int]]:
    """Split the columns into runs that fit the width beside what tells the rows apart."""
    label = max([cell_len(table.head), *(cell_len(row.label + row.mark) for row in table.rows)])
    needs = [_GAP + _column_width(table, column) for column in range(len(table.columns))]
    keys = list(range(table.keys))
    start = label + _GAP + sum(needs[: table.keys])
    block, used = keys.copy(), start
    for column in range(table.keys, len(needs)):
        if used + needs[column] > width and len(block) > len(keys):
            yield block
            block, used = keys.copy(), start
        block.append(column)
        used += needs[column]
    yield block
