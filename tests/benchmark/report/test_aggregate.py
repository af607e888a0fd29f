"""Aggregation: nothing is imputed, failures are counted."""

import numpy as np
import pytest

from benchmark.errors import UserError
from benchmark.report.aggregate import aggregate
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
    assert scores.complete_datasets() == ["prostate"]


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
