"""Differences in standard errors."""

import csv
import io
import math

import pytest

from benchmark.report.aggregate import aggregate
from benchmark.report.agreement import compare, count_standard_errors, write_verdict
from benchmark.report.formats.data import render_csv
from benchmark.report.formats.terminal import render_text
from benchmark.report.labels import DatasetLabel, Labels
from benchmark.report.paper import read_paper
from benchmark.report.report import Report
from benchmark.report.tables.registry import build_tables
from benchmark.run.metrics import METRICS


def test_standard_errors_by_hand():
    # (90 - 88) / sqrt(4^2 / 16 + 5^2 / 25) = 2 / sqrt(2)
    assert count_standard_errors(90, 4, 16, 88, 5, 25) == pytest.approx(math.sqrt(2))


def test_a_single_run_cannot_be_judged():
    assert math.isnan(count_standard_errors(90, math.nan, 1, 88, 5, 25))


def test_a_cell_is_compared_with_the_full_table(make_row, make_frame):
    rows = [make_row(fold=f, score=s) for f, s in enumerate([0.89, 0.90, 0.91, 0.90, 0.90])]
    scores = aggregate(make_frame(rows), METRICS["balanced-accuracy"])
    (cell,) = compare(scores, read_paper().tables["full"], {"wpfs": "WPFS"}, Labels())
    assert cell.paper == pytest.approx(0.8915)
    assert cell.difference == pytest.approx(0.0085)
    spread = math.sqrt(cell.our_std**2 / 5 + 0.0673**2 / 25)
    assert cell.errors == pytest.approx(0.0085 / spread)
    assert cell.agrees is True


def test_the_verdict_of_stand_ins_stands_apart(make_row, make_frame):
    rows = [
        make_row(dataset=name, fold=f, score=s)
        for name in ("toxicity", "toxicity-standin")
        for f, s in enumerate([0.30, 0.31, 0.32])
    ]
    scores = aggregate(make_frame(rows), METRICS["balanced-accuracy"])
    labels = Labels(datasets={"toxicity-standin": DatasetLabel("toxicity-standin", "toxicity")})
    cells = compare(scores, read_paper().tables["full"], {"wpfs": "WPFS"}, labels)
    assert write_verdict(cells) == (
        "0 of 1 cells on the paper's data sets lie within two standard errors of the paper's, "
        "0 above, 1 below; 0 of 1 cells on stand-ins lie within two standard errors of the "
        "paper's, 0 above, 1 below."
    )


def test_nothing_to_compare_is_said():
    assert write_verdict([]) == "No cell of ours has a counterpart in the paper."


def test_methods_and_data_sets_the_paper_lacks_are_left_out(make_row, make_frame):
    rows = [make_row(dataset="synthetic"), make_row(dataset="synthetic", model="linear-svm")]
    rows += [make_row(model="linear-svm")]
    scores = aggregate(make_frame(rows), METRICS["balanced-accuracy"])
    columns = {"wpfs": None, "linear-svm": None}
    assert compare(scores, read_paper().tables["full"], columns, Labels()) == []
    scores = scores.select(["synthetic"], ["wpfs"])
    assert compare(scores, read_paper().tables["full"], {"wpfs": "WPFS"}, Labels()) == []


def test_cells_we_lack_stay_with_the_papers_value_and_are_counted(runs):
    (table,) = build_tables(Report(runs), "comparison")
    rows = {(row.label, row.cells[0].value): row.cells for row in table.rows}
    failed = rows["tcga-2ysurvival-standin", "random-forest"]
    assert [cell.number for cell in failed[1:]] == ["failed", failed[2].number, "—", "—"]
    assert failed[2].value == pytest.approx(61.30)
    assert "1 cell of the paper's table has no result here" in table.notes[0]
    assert "too few" not in table.notes[0]
    without = runs[(runs["dataset"] != "toxicity") | (runs["model"] != "mlp")]
    (table,) = build_tables(Report(without), "comparison")
    rows = {(row.label, row.cells[0].value): row.cells for row in table.rows}
    assert rows["toxicity", "mlp"][1].number == "—"
    assert "2 cells of the paper's table have no result here" in table.notes[0]


def test_data_sets_that_differ_are_counted_apart(make_row, make_frame):
    rows = [
        make_row(dataset=name, fold=f, score=s, dataset_differences=differences)
        for name, differences in (("toxicity", []), ("prostate", ["fewer features"]))
        for f, s in enumerate([0.30, 0.31, 0.32])
    ]
    (table,) = build_tables(Report(make_frame(rows)), "comparison")
    assert table.notes[0].startswith("0 of 1 cells on the paper's data sets lie")
    assert "; 0 of 1 cells on data sets that differ from the paper's lie" in table.notes[0]


@pytest.mark.parametrize(
    ("dataset", "stand_in_for", "model", "noted"),
    [
        ("tcga-2ysurvival", "", "cae", True),
        ("other", "tcga-2ysurvival", "cae", True),
        ("tcga-2ysurvival", "", "mlp", False),
        ("prostate", "", "cae", False),
    ],
)
def test_a_contradiction_is_noted_where_its_cell_is_shown(
    make_row, make_frame, dataset, stand_in_for, model, noted
):
    frame = make_frame([make_row(dataset=dataset, model=model, stand_in_for=stand_in_for)])
    (table,) = build_tables(Report(frame), "comparison")
    assert any("52.79 in Table 10" in note for note in table.notes) is noted


def test_csv_of_a_comparison_has_the_method_as_key_and_the_mark(runs):
    lines = list(csv.DictReader(io.StringIO(render_csv(build_tables(Report(runs), "comparison")))))
    keys = [(line["row"], line["key"], line["column"]) for line in lines]
    assert len(set(keys)) == len(keys)
    assert ("prostate", "mlp", "ours") in keys
    assert {line["mark"] for line in lines} == {"", "†"}


def test_distances_are_coloured_alike_on_either_side(runs):
    (table,) = build_tables(Report(runs), "comparison")
    cells = [row.cells[4] for row in table.rows if isinstance(row.cells[4].value, float)]
    known = [(abs(cell.value), cell.tone) for cell in cells if not math.isnan(cell.value)]
    assert len(known) > 5
    for distance, tone in known:
        assert tone == ("good" if distance <= 2 else "warn" if distance <= 4 else "bad")
    assert "green up to 2, amber up to 4, red beyond" in render_text([table])


def test_errors_over_patients_by_hand(make_row, make_frame):
    rows = [make_row(dataset="other", fold=f, score=0.85) for f in range(3)]
    scores = aggregate(make_frame(rows), METRICS["balanced-accuracy"])
    labels = Labels(datasets={"other": DatasetLabel("other", "prostate")})
    (cell,) = compare(
        scores, read_paper().tables["full"], {"wpfs": "WPFS"}, labels, {("other", "wpfs"): 0.02}
    )
    assert cell.patient_errors == pytest.approx((85 - 89.15) / 2)
    verdict = write_verdict([cell])
    assert "of the 1 on stand-ins whose score varies over patients, 0 lie within" in verdict
