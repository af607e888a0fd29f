"""Nearest shrunken centroids."""

import numpy as np
import pytest

from baselines._shared.example_tables import make_table
from baselines.shrunken_centroids import ShrunkenCentroidsClassifier


def test_golden_values_without_shrinkage():
    X = np.array([[0.0], [2.0], [10.0], [12.0]])
    y = np.array([0, 0, 1, 1])
    model = ShrunkenCentroidsClassifier(threshold=0.0).fit(X, y, eval_set=[(X, y)])
    # z-scores: mean 6, standard deviation sqrt(26); pooled within-class spread sqrt(2) / sqrt(26).
    spread = np.sqrt(2) / np.sqrt(26)
    assert model.scale_[0] == pytest.approx(2 * spread)
    np.testing.assert_allclose(
        model.differences_[:, 0], np.array([-5, 5]) / np.sqrt(26) / (2 * spread * 0.5)
    )
    # Halfway between the centroids both classes are equally likely; at 7 the log-odds are
    # ((7 - 1)^2 - (7 - 11)^2) / (2 * scale^2), the scale in raw units being 2 * sqrt(2).
    np.testing.assert_allclose(model.predict_proba([[6.0]]), [[0.5, 0.5]])
    odds = model.predict_proba([[7.0]])[0]
    assert np.log(odds[1] / odds[0]) == pytest.approx((36 - 16) / (2 * 8))


def test_priors_are_uniform():
    X = np.array([[0.0], [0.5], [0.0], [0.5], [10.0], [10.5]])
    y = np.array([0, 0, 0, 0, 1, 1])
    model = ShrunkenCentroidsClassifier(threshold=0.0).fit(X, y, eval_set=[(X, y)])
    np.testing.assert_allclose(model.predict_proba([[5.25]]), [[0.5, 0.5]])


def test_shrinking_drops_uninformative_features_first():
    table = make_table((20, 20, 20), 100)
    model = ShrunkenCentroidsClassifier().fit(
        table.X, table.y, eval_set=[(table.X_valid, table.y_valid)]
    )
    assert 0 < len(model.selected_features_) <= 12
    assert set(model.selected_features_.tolist()) <= set(range(10))
    np.testing.assert_array_equal(
        model.selected_features_, np.flatnonzero(model.feature_importances_)
    )


def test_the_largest_of_equally_good_thresholds_is_chosen():
    table = make_table((20, 20, 20), 30)
    model = ShrunkenCentroidsClassifier().fit(
        table.X, table.y, eval_set=[(table.X_valid, table.y_valid)]
    )
    errors = np.array(model.history_["valid_error"])
    assert model.best_step_ == np.flatnonzero(errors == errors.min()).max()
    assert model.threshold_ == model.history_["threshold"][model.best_step_]
