"""The paper's claims beside the runs."""

import pandas as pd
import pytest

from benchmark.errors import UserError
from benchmark.report.report import Report
from benchmark.report.request import ReportRequest
from benchmark.report.tables.registry import build_tables


def build(runs, **request):
    claims, ranks = build_tables(Report(runs, ReportRequest(**request)), "verdict")
    return {row.label: [cell.number for cell in row.cells] for row in claims.rows}, ranks


def test_ranks_stand_beside_the_papers(runs):
    claims, ranks = build(runs, titles=True)
    assert claims["Table 2"][1].startswith("place 1 of 2 of them over 3 data sets, average rank 1")
    in_paper = {row.label: row.cells[-1].number for row in ranks.rows}
    assert in_paper == {"WPFS": "2.66", "MLP": "4.44"}


def test_a_better_method_of_the_paper_is_named(runs):
    swapped = runs.replace({"model": {"wpfs": "mlp", "mlp": "wpfs"}})
    claims, _ = build(swapped)
    assert claims["Table 2"][1].endswith("average rank 2; the first is mlp with 1")


def test_scores_are_counted_by_kind_of_data_set(runs):
    claims, _ = build(runs)
    assert claims["Table 10"][1].startswith("within two standard errors: ")
    assert " of 2 on stand-ins" in claims["Table 10"][1]


def test_what_was_not_run_is_empty_and_the_papers_side_is_computed(runs):
    claims, _ = build(runs)
    assert [claims[name][1] for name in ("Table 8", "Table 9", "Figure 7")] == ["—"] * 3
    assert "gains 1.57 points on average over 9 data sets" in claims["Table 8"][0]
    assert "on 9 of 9 data sets" in claims["Table 9"][0]


def test_gains_are_paired_and_averaged_over_data_sets(runs, make_row, make_frame):
    without_network = {"sparsity_network": False}
    without_predictor = {"weight_predictor": False}
    studied = (  # at lambda 0; whole, without one network, without the other
        ("prostate", {"validation_interval": 4}, {}, 0.83),
        ("prostate", {"validation_interval": 4}, without_network, 0.79),
        ("prostate", {"validation_interval": 4}, without_predictor, 0.84),
        ("toxicity", {}, {}, 0.83),
        ("toxicity", {}, without_network, 0.80),
        ("toxicity", {}, without_predictor, 0.86),
    )
    rows = [
        make_row(
            dataset=dataset,
            fold=fold,
            score=score + 0.02 * fold,  # splits differ, gains do not
            presets=("grid",),
            hyperparameters=common | changes,
        )
        for dataset, common, changes, score in studied
        for fold in range(5)
    ]
    claims, _ = build(pd.concat([runs, make_frame(rows)], ignore_index=True))
    assert claims["Table 8"][1] == "+3.50 ± 0.00 points (prostate, toxicity)"
    assert claims["Figure 7"][1] == "λ = 0: -2.00 ± 0.00 points (prostate, toxicity)"


def test_it_needs_the_method_it_is_about(runs):
    with pytest.raises(UserError, match="about wpfs"):
        build_tables(Report(pd.DataFrame(runs[runs["model"] != "wpfs"])), "verdict")
