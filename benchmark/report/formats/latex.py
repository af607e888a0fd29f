"""Tables as LaTeX that needs booktabs and nothing else."""

import math
from collections.abc import Sequence

from benchmark.report.table import Cell, Table

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "†": r"$^\dagger$",
    "‡": r"$^\ddagger$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "−": r"$-$",
    "—": "---",
    "–": "--",
    "→": r"$\to$",
    "≥": r"$\ge$",
    "≤": r"$\le$",
    "λ": r"$\lambda$",
    "χ": r"$\chi$",
    "∞": r"$\infty$",
    "²": r"$^2$",
    "₁": r"$_1$",
    "₂": r"$_2$",
    "α": r"$\alpha$",
    "…": r"\ldots{}",
    "“": "``",
    "”": "''",
    "’": "'",
    "é": r"\'e",
    "ö": r"\"o",
    "ü": r"\"u",
    "š": r"\v{s}",
    "ó": r"\'o",
}
_EMPHASIS = {"best": r"\textbf", "second": r"\underline", "failed": r"\emph", "": ""}

#: Up to so many characters in its widest line a table is set in this size.
_SIZES = ((90, r"\small"), (120, r"\footnotesize"))
#: So many fit a landscape page in the smallest size; a wider table continues below itself.
_WIDEST = 150
#: Rows that fit a page; longer tables go on in a further one.
_PAGE = 45


def render_latex(tables: Sequence[Table]) -> str:
    """Write tables one after the other."""
    return "\n".join(_render(table) for table in tables)


def _render(table: Table) -> str:
    """Write ``table*`` environments: caption, label, booktabs rules, notes below the last.

    A table without rows is a paragraph: its title and its notes.
    """
    if not table.rows:
        text = " ".join(escape(note) for note in table.notes)
        return rf"\paragraph{{{escape(table.title)}.}} {text}" + "\n"
    parts = _split(table)
    texts = []
    for number, rows in enumerate(parts):
        suffix = "" if number == 0 else f"-{number + 1}"
        title = table.title + ("" if number == 0 else " (continued)")
        notes = table.notes if number == len(parts) - 1 else ()
        texts.append(_render_part(table, rows, title, table.name + suffix, notes))
    return "\n".join(texts)


def _render_part(table: Table, rows: range, title: str, label: str, notes: Sequence[str]) -> str:
    blocks = _split_columns(table)
    lines = [
        r"\begin{table*}[t]",
        r"\centering",
        rf"\caption{{{escape(title)}.}}",
        rf"\label{{tab:{label}}}",
        # Without it the caption touches the upper rule.
        r"\vspace{4pt}",
        _size(table, blocks),
        rf"\setlength{{\tabcolsep}}{{{'3pt' if len(table.columns) > 6 else '5pt'}}}",
    ]
    for number, block in enumerate(blocks):
        lines += ["", r"\medskip"] if number else []
        lines += _render_block(table, rows, block)
    if notes:
        text = " ".join(escape(note) for note in notes)
        lines += [
            "",
            r"\smallskip",
            rf"\begin{{minipage}}{{\linewidth}}\footnotesize {text}\end{{minipage}}",
        ]
    lines.append(r"\end{table*}")
    return "\n".join(lines) + "\n"


def _render_block(table: Table, rows: range, columns: range) -> list[str]:
    align = "".join("r" if table.holds_numbers(column) else "l" for column in columns)
    heads = (table.head, *(table.columns[column] for column in columns))
    lines = [
        rf"\begin{{tabular}}{{@{{}}l{align}@{{}}}}",
        r"\toprule",
        " & ".join(_head(head) for head in heads) + r" \\",
        r"\midrule",
    ]
    for position in rows:
        row = table.rows[position]
        if position != rows.start and table.starts_group(position):
            lines.append(r"\midrule")
        cells = [escape(row.label + row.mark), *(_cell(row.cells[column]) for column in columns)]
        lines.append(" & ".join(cells) + r" \\")
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _split(table: Table) -> list[range]:
    """Split the rows into pages, between groups where there are any."""
    grouped = any(row.group for row in table.rows)
    parts, start = [], 0
    for position in range(1, len(table.rows)):
        full = position - start >= _PAGE
        nearly = grouped and table.starts_group(position) and position - start >= _PAGE - 11
        if full or nearly:
            parts.append(range(start, position))
            start = position
    return [*parts, range(start, len(table.rows))]


def _split_columns(table: Table) -> list[range]:
    """Split the columns into blocks that fit a page beside the labels, about equally wide."""
    label, widths = _label_width(table), _column_widths(table)
    count = max(1, math.ceil(sum(widths) / max(1, _WIDEST - label)))
    share = sum(widths) / count
    blocks, start, used = [], 0, 0
    for column, width in enumerate(widths):
        if column > start and used + width > min(share + width / 2, _WIDEST - label):
            blocks.append(range(start, column))
            start, used = column, 0
        used += width
    return [*blocks, range(start, len(widths))]


def _label_width(table: Table) -> int:
    return max([len(table.head), *(len(row.label) for row in table.rows)])


def _column_widths(table: Table) -> list[int]:
    widths = []
    for column, head in enumerate(table.columns):
        texts = [
            len(cell.number) + len(cell.spread) + len(cell.count)
            for cell in (row.cells[column] for row in table.rows)
        ]
        widths.append(max([max(len(word) for word in head.split(" ")), *texts]))
    return widths


def _size(table: Table, blocks: Sequence[range]) -> str:
    widths = _column_widths(table)
    widest = _label_width(table) + max(sum(widths[block.start : block.stop]) for block in blocks)
    return next((size for limit, size in _SIZES if widest <= limit), r"\scriptsize")


def wrap_document(body: str) -> str:
    """Make a document that compiles by itself out of tables."""
    preamble = [
        r"\documentclass[10pt]{article}",
        r"\usepackage[a4paper,landscape,margin=15mm]{geometry}",
        r"\usepackage{booktabs}",
        r"\pagestyle{empty}",
        r"\makeatletter\@fptop=0pt\makeatother % tables start at the top of the page",
        r"\begin{document}",
    ]
    return "\n".join([*preamble, body, r"\end{document}"]) + "\n"


def escape(text: str) -> str:
    """Escape what LaTeX would read as a command."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def _head(head: str) -> str:
    words = [escape(word) for word in head.split(" ")]
    if len(words) == 1 or len(head) <= 10:
        return " ".join(words)
    middle = (len(words) + 1) // 2
    lines = (" ".join(words[:middle]), " ".join(words[middle:]))
    return r"\shortstack{\strut " + r" \\ ".join(lines) + "}"


def _cell(cell: Cell) -> str:
    value = escape(cell.number)
    if cell.numeric and value.startswith("-") and value[1:2].isdigit():
        value = f"$-${value[1:]}"
    command = _EMPHASIS[cell.emphasis]
    parts = [f"{command}{{{value}}}" if command else value]
    if cell.spread:
        parts.append(rf"\,$\pm$\,{cell.spread}")
    if cell.count:
        parts.append(rf" {{\tiny({escape(cell.count)})}}")
    return "".join(parts)
