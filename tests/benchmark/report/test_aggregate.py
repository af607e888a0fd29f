"""Aggregation: nothing is imputed, failures are counted."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.errors import UserError
from benchmark.report.aggregate import Scores, aggregate
from benchmark.run.metrics import METRICS, find_metric

METRIC = METRICS["balanced-accuracy"]


def test_mean_and_sample_standard_deviation(make_row, make_frame):
    scores = aggregate(
        make_frame([make_row(fold=0, score=0.7), make_row(fold=1, score=0.9)]), METRIC
    )
    assert scores.mean.loc["prostate", "wpfs"] == pytest.approx(0.8)
    assert scores.std.loc["prostate", "wpfs"] == pytest.approx(np.sqrt(0.02))
    assert scores.n.loc["prostate", "wpfs"] == 2


def test_a_single_run_has_no_spread(make_row, make_frame):
    scores = aggregate(make_frame([make_row()]), METRIC)
    assert np.isnan(scores.std.loc["prostate", "wpfs"])


def test_failed_and_missing_cells_stay_empty(runs):
    scores = aggregate(runs, METRIC)
    assert np.isnan(scores.mean.loc["tcga-2ysurvival-standin", "random-forest"])
    assert scores.failed.loc["tcga-2ysurvival-standin", "random-forest"] == 25
    assert np.isnan(scores.mean.loc["toxicity", "linear-svm"])
    assert scores.failed.loc["toxicity", "linear-svm"] == 0
    assert scores.n.loc["prostate", "random-forest"] == 24
    assert scores.failed.loc["prostate", "random-forest"] == 1


def complete_part(make_row, make_frame, has, keep=()):
    """Find the complete part of a table given as data set -> methods with a result."""
    rows = [make_row(dataset, model) for dataset, models in has.items() for model in models.split()]
    part = aggregate(make_frame(rows), METRIC).find_complete(keep)
    assert part.mean.notna().to_numpy().all(), "nothing is imputed"
    return " ".join(part.datasets), " ".join(part.methods)


def test_the_largest_part_without_an_empty_cell_is_found(make_row, make_frame):
    has = {"a": "w x y z", "b": "w x y", "c": "x y z", "d": "x y"}
    assert complete_part(make_row, make_frame, has) == ("a b c d", "x y")
    has = {"a": "w x y z", "b": "w x y z", "c": "z"}
    assert complete_part(make_row, make_frame, has) == ("a b", "w x y z")
    whole = {"a": "x y", "b": "x y"}
    assert complete_part(make_row, make_frame, whole) == ("a b", "x y")


def test_methods_to_keep_stay_and_data_sets_go(make_row, make_frame):
    has = {"a": "w x y z", "b": "w x y", "c": "x y z", "d": "x y"}
    assert complete_part(make_row, make_frame, has, ["w"]) == ("a b", "w x y")
    assert complete_part(make_row, make_frame, has, ["w", "z"]) == ("a", "w x y z")
    assert complete_part(make_row, make_frame, {"a": "x y", "b": "z"}, ["x", "z"]) == ("", "")


def test_a_cell_needs_one_repeat_or_as_many_runs_as_any_other(make_row, make_frame):
    def rank(**runs):
        rows = [make_row(model=m, fold=f) for m, count in runs.items() for f in range(count)]
        return aggregate(make_frame(rows), METRIC).find_complete().methods

    assert rank(x=4, y=5, z=20) == ["y", "z"]
    assert rank(x=1, y=2, z=2) == ["y", "z"]
    assert rank(x=1, y=1) == ["x", "y"]


def test_a_failed_run_is_no_reason_to_leave_a_method_unranked(make_row, make_frame):
    rows = [make_row(model=model, fold=fold) for model in ("x", "y") for fold in range(5)]
    rows[0] = make_row(model="x", fold=0, status="failed")
    assert aggregate(make_frame(rows), METRIC).find_complete().methods == ["x", "y"]


def test_a_method_alone_is_no_part_to_rank(make_row, make_frame):
    assert complete_part(make_row, make_frame, {"a": "x", "b": "y"}) == ("", "")
    assert complete_part(make_row, make_frame, {"a": "x", "b": "x"}) == ("a b", "x")


@given(st.lists(st.sets(st.sampled_from("vwxyz"), min_size=1), min_size=1, max_size=5))
def test_no_other_part_has_more_differences(makes):
    mean = pd.DataFrame([dict.fromkeys(has, 0.5) for has in makes])
    empty = mean.isna() * 0
    part = Scores(METRIC, mean, mean, mean.notna() * 25, empty, empty).find_complete()
    sizes = [
        ((len(rows) - 1) * (len(shared) - 1), len(rows) * len(shared))
        for size in range(1, len(makes) + 1)
        for rows in itertools.combinations(makes, size)
        for shared in [set.intersection(*rows)]
        if len(shared) >= min(2, mean.shape[1])
    ]
    n, k = part.mean.shape
    assert ((n - 1) * (k - 1), n * k) == max(sizes) if sizes else n * k == 0


def test_a_run_without_the_metric_did_not_fail(make_row, make_frame):
    frame = make_frame([make_row(), make_row(fold=1), make_row(fold=1, status="failed")])
    frame.loc[0, "auroc_test"] = np.nan
    frame.loc[1, "auroc_test"] = 0.8
    scores = aggregate(frame, METRICS["auroc"])
    assert scores.mean.loc["prostate", "wpfs"] == 0.8
    counts = (scores.n, scores.failed, scores.unmeasured)
    assert [int(count.loc["prostate", "wpfs"]) for count in counts] == [1, 1, 1]
    assert aggregate(frame, METRIC).unmeasured.loc["prostate", "wpfs"] == 0


def test_only_failed_runs_give_an_empty_table_of_the_right_shape(make_row, make_frame):
    scores = aggregate(make_frame([make_row(status="timeout")]), METRIC)
    assert scores.mean.shape == (1, 1)
    assert scores.mean.isna().to_numpy().all()
    assert scores.failed.loc["prostate", "wpfs"] == 1


def test_unknown_metric_names_the_known_ones():
    with pytest.raises(UserError, match=r"one of balanced-accuracy, .*auroc"):
        find_metric("acc")
