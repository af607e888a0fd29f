"""External validation: genes and classes of two cohorts matched, scores with intervals."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, brier_score_loss, roc_auc_score

from benchmark.errors import UserError
from benchmark.models.calibration import bin_probabilities
from benchmark.models.external import estimate, match_cohorts, validate
from benchmark.models.fit import FitRequest
from benchmark.run.metrics import balanced_accuracy

from .conftest import make_cohort


def make_pair(n_test: int = 90, **fields):
    """Return two cohorts of two classes, the other with its genes turned round in lower case."""
    train = make_cohort(y=np.arange(40) % 2, class_names=["rest", "basal"])
    test = make_cohort(seed=1, n=n_test)
    given = {
        "name": "other",
        "X": test.X[:, ::-1],
        "y": (test.y == 1).astype(int),
        "feature_names": [name.lower() for name in test.feature_names[::-1]],
        "class_names": ["not Basal", "Basal"],
    }
    return train, make_cohort(n=n_test, **{**given, **fields})


def make_learnable_pair():
    full = make_cohort()
    train = make_cohort(y=(full.y == 1).astype(int), class_names=["rest", "basal"])
    return match_cohorts(train, make_pair()[1])


def test_genes_and_classes_are_matched_by_name():
    train, other = make_pair(
        X=make_cohort(seed=1, n=90).X[:, :12],
        feature_names=[f"gene{j + 3}" for j in range(12)],
    )
    pair = match_cohorts(train, other)
    assert pair.train.feature_names.tolist() == [f"GENE{j + 3}" for j in range(12)]
    np.testing.assert_array_equal(pair.test.X, other.X)
    np.testing.assert_array_equal(pair.train.X, train.X[:, 3:15])
    assert pair.test.class_names.tolist() == ["rest", "basal"]
    np.testing.assert_array_equal(pair.test.y, other.y)
    assert pair.notes[0].startswith("12 shared genes, of 20 in cohort and 12 in other; 12 of them")
    assert "'Basal' of other is 'basal' of cohort" in pair.notes


def test_classes_in_another_order_get_the_training_codes():
    train, other = make_pair(class_names=["BASAL", "healthy"])
    np.testing.assert_array_equal(match_cohorts(train, other).test.y, 1 - other.y)


def test_other_classes_and_other_genes_are_refused():
    train, other = make_pair(class_names=["dead", "alive"])
    with pytest.raises(UserError, match=r"\(rest, basal\) and of other \(dead, alive\) are not"):
        match_cohorts(train, other)
    train, other = make_pair(feature_names=[f"ENSG{j}" for j in range(20)])
    with pytest.raises(UserError, match="cohort and other share 0 genes"):
        match_cohorts(train, other)


def test_scores_are_those_of_scikit_learn(tmp_path):
    pair = make_learnable_pair()
    (result,) = validate(pair, [FitRequest("lasso")], "none", tmp_path)
    y, predictions = pair.test.y, result.predictions
    expected = {
        "balanced-accuracy": balanced_accuracy_score(y, predictions.codes),
        "auroc": roc_auc_score(y, predictions.proba[:, 1]),
        "brier": brier_score_loss(y, predictions.proba[:, 1]),
    }
    for name, value in expected.items():
        score = result.scores[name]
        assert score.value == pytest.approx(value)
        assert score.low <= score.value <= score.high
    assert result.scores["auroc"].value > 0.9
    assert result.inside == {}


def test_a_cohort_on_another_scale_needs_rescaling(tmp_path):
    pair = make_learnable_pair()
    from dataclasses import replace

    moved = replace(pair, test=replace(pair.test, X=pair.test.X * 4 + 100))
    ((naive,), (rescaled,)) = (
        list(validate(moved, [FitRequest("ridge")], rescale, tmp_path))
        for rescale in ("none", "cohort")
    )
    assert "--rescale cohort" in naive.predictions.warnings[0]
    assert rescaled.predictions.warnings == ()
    difference = "balanced-accuracy"
    assert rescaled.scores[difference].value > naive.scores[difference].value + 0.2


def test_intervals_cover_as_often_as_they_say():
    """Of a recall of 0.8 in both classes, over many cohorts of 100 patients."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 50)
    covered = 0
    for _ in range(60):
        predicted = np.where(rng.random(100) < 0.8, y, 1 - y)
        interval = estimate(lambda rows, p=predicted: balanced_accuracy(y[rows], p[rows]), y)
        covered += interval.low <= 0.8 <= interval.high
    assert 51 <= covered <= 60


def test_samples_of_one_patient_widen_the_interval():
    y = np.repeat([0, 1], 50)
    predicted = np.where(np.arange(100) % 10 < 5, y, 1 - y)  # patients of five equal samples
    patients = np.array([f"p{i // 5}" for i in range(100)])

    def measure(rows):
        return balanced_accuracy(y[rows], predicted[rows])

    alone, grouped = estimate(measure, y), estimate(measure, y, patients)
    assert grouped.high - grouped.low > 1.6 * (alone.high - alone.low)


def test_bins_hold_every_patient_once_and_their_intervals_the_share():
    rng = np.random.default_rng(0)
    p = rng.random(205)
    y = (rng.random(205) < p).astype(int)
    bins = bin_probabilities(np.column_stack([1 - p, p]), y)
    assert len(bins) == 10
    assert sum(each.n for each in bins) == 205
    assert sum(each.n * each.happened for each in bins) == pytest.approx(y.sum())
    assert all(0 <= each.low <= each.happened <= each.high <= 1 for each in bins)
    assert sum(each.low <= each.said <= each.high for each in bins) >= 8
    # Equals stay together, whatever order their rows have: no bin of one class alone.
    p = np.repeat([0.1, 0.4], 100)
    y = np.r_[np.zeros(80), np.ones(20), np.zeros(60), np.ones(40)].astype(int)
    shares = [(each.n, each.happened) for each in bin_probabilities(np.c_[1 - p, p], y)]
    assert shares == [(100, pytest.approx(0.2)), (100, pytest.approx(0.4))]
    # Wilson's interval of 0 of 10, as published: 0 to 0.2775.
    (none,) = bin_probabilities(np.tile([0.9, 0.1], (10, 1)), np.zeros(10, dtype=int))
    assert (none.low, round(none.high, 4)) == (0, 0.2775)
    # Of three classes the highest probability is looked at.
    (sure,) = bin_probabilities(np.tile([0.1, 0.2, 0.7], (10, 1)), np.full(10, 2))
    assert (sure.said, sure.happened) == (pytest.approx(0.7), 1.0)
