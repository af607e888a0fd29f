"""Differences in standard errors."""

import math

import pytest

from benchmark.report.comparison import compare, count_standard_errors, write_verdict
from benchmark.report.metrics import METRICS
from benchmark.report.paper import read_paper
from benchmark.report.remarks import DatasetRemark
from benchmark.report.scores import aggregate


def test_standard_errors_by_hand():
    # (90 - 88) / sqrt(4^2 / 16 + 5^2 / 25) = 2 / sqrt(2)
    assert count_standard_errors(90, 4, 16, 88, 5, 25) == pytest.approx(math.sqrt(2))


def test_a_single_run_cannot_be_judged():
    assert math.isnan(count_standard_errors(90, math.nan, 1, 88, 5, 25))


def test_a_cell_is_compared_with_the_full_table(make_row, make_frame):
    rows = [make_row(fold=f, score=s) for f, s in enumerate([0.89, 0.90, 0.91, 0.90, 0.90])]
    scores = aggregate(make_frame(rows), METRICS["balanced-accuracy"])
    (cell,) = compare(scores, read_paper().tables["full"], {"wpfs": "WPFS"}, {})
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
    remarks = {"toxicity-standin": DatasetRemark("toxicity-standin", "toxicity")}
    cells = compare(scores, read_paper().tables["full"], {"wpfs": "WPFS"}, remarks)
    assert write_verdict(cells) == (
        "0 of 1 cells on the paper's data sets lie within two standard errors of the paper's, "
        "0 above, 1 below; 0 of 1 cells on stand-ins lie within two standard errors of the "
        "paper's, 0 above, 1 below."
    )


def test_nothing_to_compare_is_said():
    assert write_verdict([]) == "No cell of ours has a counterpart in the paper."


def test_methods_and_data_sets_the_paper_lacks_are_left_out(make_row, make_frame):
    rows = [make_row(dataset="synthetic"), make_row(model="linear-svm")]
    scores = aggregate(make_frame(rows), METRICS["balanced-accuracy"])
    columns = {"wpfs": "WPFS", "linear-svm": None}
    assert compare(scores, read_paper().tables["full"], columns, {}) == []
