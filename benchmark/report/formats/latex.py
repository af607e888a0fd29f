"""Tables as LaTeX that needs booktabs and nothing else."""

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
    "²": r"$^2$",
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
#: Up to so many columns a table is set in this size.
_SIZES = ((6, r"\small"), (9, r"\footnotesize"), (99, r"\scriptsize"))


def render_latex(table: Table) -> str:
    """Write a ``table*`` environment: caption, label, booktabs rules, notes below."""
    size = next(size for limit, size in _SIZES if len(table.columns) <= limit)
    align = "l" + "".join("r" if table.holds_numbers(c) else "l" for c in range(len(table.columns)))
    heads = [table.head, *table.columns]
    lines = [
        r"\begin{table*}[t]",
        r"\centering",
        rf"\caption{{{escape(table.title)}.}}",
        rf"\label{{tab:{table.name}}}",
        size,
        rf"\setlength{{\tabcolsep}}{{{'3pt' if len(table.columns) > 6 else '5pt'}}}",
        rf"\begin{{tabular}}{{@{{}}{align}@{{}}}}",
        r"\toprule",
        " & ".join(_head(head) for head in heads) + r" \\",
        r"\midrule",
    ]
    for position, row in enumerate(table.rows):
        if table.starts_group(position):
            lines.append(r"\midrule")
        cells = [escape(row.label) + escape(row.mark), *(_cell(cell) for cell in row.cells)]
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    if table.notes:
        notes = " ".join(escape(note) for note in table.notes)
        lines += [
            r"",
            r"\smallskip",
            rf"\begin{{minipage}}{{\linewidth}}\footnotesize {notes}\end{{minipage}}",
        ]
    lines.append(r"\end{table*}")
    return "\n".join(lines) + "\n"


def wrap_document(bodies: Sequence[str]) -> str:
    """Make a document that compiles by itself out of tables."""
    preamble = [
        r"\documentclass[10pt]{article}",
        r"\usepackage[a4paper,landscape,margin=15mm]{geometry}",
        r"\usepackage{booktabs}",
        r"\pagestyle{empty}",
        r"\begin{document}",
    ]
    return "\n".join([*preamble, *bodies, r"\end{document}"]) + "\n"


def escape(text: str) -> str:
    """Escape what LaTeX would read as a command."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def _head(head: str) -> str:
    words = [escape(word) for word in head.split(" ")]
    if len(words) == 1 or len(head) <= 10:
        return " ".join(words)
    return r"\shortstack{" + r" \\ ".join(words) + "}" if len(words) < 4 else " ".join(words)


def _cell(cell: Cell) -> str:
    text = escape(cell.number)
    if cell.place == "best":
        text = rf"\textbf{{{text}}}"
    elif cell.place == "second":
        text = rf"\underline{{{text}}}"
    elif cell.state == "failed":
        text = rf"\emph{{{text}}}"
    if cell.spread:
        text += rf"\,$\pm$\,{cell.spread}"
    if cell.remark:
        text += rf" {{\tiny({escape(cell.remark)})}}"
    return text
