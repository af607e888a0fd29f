"""Every format shows values, spread, counts, failures and gaps."""

import csv
import io
import json
import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from benchmark.report.formats.latex import escape, render_latex, wrap_document
from benchmark.report.formats.registry import render_tables
from benchmark.report.formats.terminal import render_terminal
from benchmark.report.report import Report
from benchmark.report.request import ReportRequest
from benchmark.report.table import Cell, Row, Table
from benchmark.report.tables.published import build_published
from benchmark.report.tables.registry import build_tables


@pytest.fixture
def full_table(runs):
    return build_tables(Report(runs), "full")[0]


def show(table, width=100):
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(render_terminal(table, width))
    return console.export_text()


def test_a_terminal_table_that_continues_below_repeats_what_tells_its_rows_apart():
    """And cuts nothing off: heads wrap, names and numbers do not."""
    columns = ("method", *("seconds, in the middle",) * 7)
    rows = [
        Row("1,000", (Cell(name), *(Cell(0.25, digits=2) for _ in range(7))))
        for name in ("mlp", "diet-networks")
    ]
    table = Table("fits", "Fits", "genes", columns, tuple(rows), keys=1)
    text = show(table, width=60)
    assert max(map(len, text.splitlines())) <= 60
    assert text.count("diet-networks") == text.count("genes") >= 2
    assert text.count("0.25") == 2 * 7


def test_terminal_shows_gaps_and_fits_the_width(full_table):
    text = show(full_table, width=60)
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 60
    assert "failed" in text
    assert "—" in text
    assert "(n=24)" in text
    assert text.count("data set") >= 2, "a table wider than the terminal continues below itself"


def test_terminal_marks_best_bold_and_second_underlined(full_table):
    console = Console(width=120, record=True, file=io.StringIO(), force_terminal=True)
    console.print(render_terminal(full_table, 120))
    styled = console.export_text(styles=True)
    best = full_table.rows[0].cells[3].number
    second = full_table.rows[0].cells[0].number
    # Older versions of rich mark the space before a number, too.
    assert re.search(rf"\x1b\[1m *{best}", styled)
    assert re.search(rf"\x1b\[4m *{second}", styled)


def test_terminal_breaks_heads_and_no_value():
    cells = (Cell("100%"), Cell(14.2, 12.3, digits=1), Cell(0.0973, 0.035), Cell(12))
    heads = ("share of runs", "mean rank", "mean score", "place over all methods")
    text = show(Table("t", "T", "gene", heads, (Row("SLC22A5", cells),)), width=52)
    assert len([line for line in text.splitlines() if "SLC22A5" in line]) == 1
    assert "14.2 ± 12.3" in text
    assert "0.10 ± 0.04" in text


def test_terminal_numbers_the_heads_of_a_table_of_rows_against_rows():
    names = tuple(f"some-long-name-{place}" for place in range(9))
    rows = tuple(Row(name, tuple(Cell(0.5, text=".50") for _ in names)) for name in names)
    table = Table("t", "T", "method", names, rows)
    text = show(table, width=80)
    assert text.count("some-long-name-3") == 1
    assert text.splitlines()[2].split() == ["method", *map(str, range(1, 10))]
    # Four fit with their names, and programs always get these.
    few = Table("t", "T", "m", names[:2], tuple(Row(n, (Cell(1), Cell(1))) for n in names[:2]))
    assert show(few).count("some-long-name-1") == 2
    assert names[3] in json.loads(render_tables([table], "json"))[0]["columns"]


def test_csv_keeps_the_digits_of_a_small_number():
    table = Table("t", "T", "set", ("p",), (Row("A", (Cell(2.3433e-9),)),))
    assert "2.3433e-09" in render_tables([table], "csv")


def test_markdown_is_a_table_with_gaps_as_such(full_table):
    text = render_tables([full_table], "markdown")
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in lines}) == 1
    assert "*failed*" in text
    assert re.search(r"\*\*\d\d\.\d\d\*\* ± \d", text)
    assert "tcga-2ysurvival-standin†" in text


def test_markdown_escapes_pipes():
    table = Table("t", "a | b", "h", ("c",), (Row("r", (Cell("x|y"),)),))
    assert "| r | x\\|y |" in render_tables([table], "markdown")


def test_markdown_shows_names_as_text():
    evil = "<script>alert(1)</script>"
    link = "[x](https://example.org) a\\|b *c*"
    table = Table("t", evil, evil, (evil,), (Row(evil, (Cell(link),)),), (evil, "p < 0.001"))
    text = render_tables([table], "markdown")
    assert "<script" not in text
    assert text.count("&lt;script>alert(1)&lt;/script>") == 5
    assert "\\[x\\](https://example.org) a\\\\\\|b \\*c\\*" in text
    assert "p < 0.001" in text


@pytest.mark.parametrize("name", ["=HYPERLINK(1)", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)"])
def test_csv_leaves_no_formula_to_a_spreadsheet(name):
    table = Table("t", "t", "h", (name,), (Row(name, (Cell(name),)), Row("r", (Cell(-1.5),))))
    first, second = csv.DictReader(io.StringIO(render_tables([table], "csv")))
    assert [first[field] for field in ("row", "column", "value")] == [f"'{name}"] * 3
    assert second["value"] == "-1.5"
    assert json.loads(render_tables([table], "json"))[0]["rows"][0]["label"] == name


def test_csv_has_one_line_per_cell_and_says_what_is_missing(full_table):
    records = list(csv.DictReader(io.StringIO(render_tables([full_table], "csv"))))
    by_cell = {(record["row"], record["column"]): record for record in records}
    assert len(records) == 4 * 4
    failed = by_cell["tcga-2ysurvival-standin", "random-forest"]
    assert (failed["value"], failed["state"], failed["failed"]) == ("", "failed", "25")
    missing = by_cell["toxicity", "linear-svm"]
    assert (missing["value"], missing["state"], missing["n"]) == ("", "missing", "0")
    whole = by_cell["prostate", "wpfs"]
    assert (whole["state"], whole["n"]) == ("ok", "25")
    assert float(whole["value"]) > 1, "percent, as shown"


def test_json_is_strict_and_keeps_notes_and_marks(full_table):
    def refuse(text):
        raise AssertionError(f"{text} is not JSON")

    (table,) = json.loads(render_tables([full_table], "json"), parse_constant=refuse)
    assert table["rows"][1]["mark"] == "†"
    assert table["rows"][1]["cells"][2]["state"] == "failed"
    assert any("stands in for" in note for note in table["notes"])


def test_latex_has_the_structure_of_a_booktabs_table(full_table):
    text = render_latex([full_table])
    for command in ("toprule", "midrule", "bottomrule"):
        assert f"\\{command}" in text
    assert text.count("\\begin{") == text.count("\\end{")
    assert text.count("{") - text.count("\\{") == text.count("}") - text.count("\\}")
    body = text.split("\\toprule")[1].split("\\bottomrule")[0]
    rows = [line for line in body.splitlines() if line.endswith(r"\\")]
    assert {row.replace(r"\&", "").count("&") for row in rows} == {len(full_table.columns)}
    assert r"\textbf{" in text
    assert r"\underline{" in text
    assert r"\emph{failed}" in text
    assert r"$^\dagger$" in text


def test_latex_escapes_what_it_would_read_as_commands():
    assert escape("50% of a_b & {c} #1 $x^2~\\") == (
        r"50\% of a\_b \& \{c\} \#1 \$x\textasciicircum{}2\textasciitilde{}\textbackslash{}"
    )


def test_latex_splits_tables_longer_than_a_page():
    rows = tuple(Row(f"r{i}", (Cell(i),), group=f"g{i // 7}") for i in range(100))
    text = render_latex([Table("long", "Long", "h", ("c",), rows, ("A note.",))])
    assert text.count(r"\begin{table*}") == 3
    assert text.count("(continued)") == 2
    assert text.count("A note.") == 1
    assert text.count(r"\label{tab:long}") == 1


def make_wide_table(columns):
    heads = tuple(f"method {number}" for number in range(columns))
    row = Row("tcga-tumor-grade-standin", (Cell(57.25, 10.76),) * columns)
    return Table("wide", "Wide", "data set", heads, (row,), ("A note.",))


@given(columns=st.integers(1, 60))
def test_latex_continues_tables_wider_than_a_page_below(columns):
    text = render_latex([make_wide_table(columns)])
    for number in range(columns):
        assert len(re.findall(rf"method {number}\b", text)) == 1
    blocks = text.count(r"\begin{tabular}")
    assert blocks == 1 if columns <= 12 else blocks > 1
    assert text.count("tcga-tumor-grade-standin &") == blocks
    assert text.count(r"\caption") == text.count("A note.") == 1


def test_latex_document_compiles(tmp_path, runs):
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed (texlive-latex-base, texlive-latex-recommended)")
    report = Report(runs, ReportRequest(titles=True))
    names = ("main", "full", "statistics", "comparison", "hyperparameters", "runtime", "datasets")
    tables = [table for name in names for table in build_tables(report, name)]
    tables += build_published("main", ReportRequest())
    odd = Table("odd", "100% & more_", "h_h", ("a&b",), (Row("x#y", (Cell("~^\\{}<>λ²"),)),))
    tables += [odd, make_wide_table(20)]
    (tmp_path / "t.tex").write_text(wrap_document(render_latex(tables)))
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "t.pdf").stat().st_size > 1000
    assert "Overfull \\hbox" not in done.stdout


def test_a_table_with_ragged_rows_is_a_mistake():
    with pytest.raises(ValueError, match="1 cells for 2 columns"):
        Table("t", "t", "h", ("a", "b"), (Row("r", (Cell(1),)),))
