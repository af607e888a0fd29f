"""Average ranks: the paper's to the digit, and the usual ones."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.errors import UserError
from benchmark.report.paper import read_paper
from benchmark.report.ranks import average_ranks, format_rank, rank_methods, truncate
from benchmark.report.report import Report
from benchmark.report.request import ReportRequest
from benchmark.report.tables.registry import build_tables

TABLE_2 = ["2.66", "6.66", "7.88", "6.22", "11", "4.33", "4.33", "10", "4.44", "4.55", "3.44"]


def test_average_ranks_of_the_papers_table_2_to_the_digit():
    mean = read_paper().scores("main").mean
    ranks = average_ranks(mean, "paper")
    assert [format_rank(rank) for rank in ranks] == TABLE_2
    assert tuple(ranks) == read_paper().tables["main"].average_rank


def test_rounding_instead_of_truncating_would_not_reproduce_them():
    mean = read_paper().scores("main").mean
    exact = rank_methods(mean, "paper").mean(axis=0)
    assert [f"{rank:.2f}".removesuffix(".00") for rank in exact] != TABLE_2


def test_ties_share_the_smaller_or_the_mean_rank():
    mean = pd.DataFrame({"a": [0.9], "b": [0.9], "c": [0.8]}, index=["x"])
    assert list(rank_methods(mean, "paper").loc["x"]) == [1, 1, 3]
    assert list(rank_methods(mean, "average").loc["x"]) == [1.5, 1.5, 3]


def test_a_difference_in_the_last_bits_is_a_tie():
    mean = pd.DataFrame({"a": [0.1 + 0.2], "b": [0.3]}, index=["x"])
    assert list(rank_methods(mean, "paper").loc["x"]) == [1, 1]


def test_lower_is_better_turns_the_order():
    mean = pd.DataFrame({"a": [0.2], "b": [0.1]}, index=["x"])
    assert list(rank_methods(mean, "average", higher_is_better=False).loc["x"]) == [2, 1]


def test_unknown_method_is_a_users_mistake():
    with pytest.raises(UserError, match="choose one of paper, average"):
        rank_methods(pd.DataFrame({"a": [1.0]}), "dense")


@given(st.integers(min_value=1, max_value=99), st.integers(min_value=1, max_value=20))
def test_truncation_never_rounds_up_nor_loses_a_hundredth(total, count):
    value = total / count
    assert truncate(value) <= value + 1e-9
    assert value - truncate(value) < 0.01
    assert truncate(total * 100 // count / 100) == total * 100 // count / 100


@pytest.mark.parametrize("method", ["paper", "average"])
def test_what_is_printed_alike_ranks_alike(make_row, make_frame, method):
    scores = {"wpfs": 0.900004, "mlp": 0.899996, "lightgbm": 0.8}
    rows = [make_row(model=model, score=score) for model, score in scores.items()]
    report = Report(make_frame(rows), ReportRequest(rank_method=method))
    (table,) = build_tables(report, "main")
    assert [cell.number for cell in table.rows[0].cells] == ["90.00", "90.00", "80.00"]
    assert [cell.place for cell in table.rows[0].cells] == ["best", "best", "second"]
    ranks = [cell.number for cell in table.rows[-1].cells]
    assert ranks == (["1", "1", "3"] if method == "paper" else ["1.50", "1.50", "3"])
