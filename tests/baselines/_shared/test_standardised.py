"""Scaling, labels, weights and validation rows of the plain classifiers."""

import numpy as np
import pytest

from baselines._shared.standardised import Samples, StandardisedClassifier
from baselines.majority import MajorityClassifier
from baselines.shrunken_centroids import ShrunkenCentroidsClassifier


class Recorder(StandardisedClassifier):
    """Keeps what it is given."""

    needs_validation = True

    def __init__(self, random_state: int | None = None):
        self.random_state = random_state

    def _learn(self, train: Samples, valid: Samples | None) -> None:
        self.train_, self.valid_ = train, valid

    def _probabilities(self, X):
        return np.full((len(X), len(self.classes_)), 0.5)


X = np.random.default_rng(0).normal(5, 3, size=(40, 4))
Y = np.repeat(["a", "b"], [30, 10])


def test_rows_are_scaled_by_the_training_rows_only():
    model = Recorder().fit(X, Y, eval_set=[(X[:6] + 100, Y[:6])])
    np.testing.assert_allclose(model.train_.X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(model.train_.X.std(axis=0), 1)
    np.testing.assert_allclose(model.valid_.X, (X[:6] + 100 - X.mean(0)) / X.std(0))


def test_weights_are_balanced_by_the_training_rows():
    model = Recorder().fit(X, Y, eval_set=[(X[28:32], Y[28:32])])
    np.testing.assert_allclose(model.class_weights_, [40 / 60, 40 / 20])
    np.testing.assert_allclose(model.train_.weights.sum(), 40)
    np.testing.assert_allclose(model.valid_.weights, [40 / 60, 40 / 60, 2, 2])


def test_a_tenth_is_held_out_when_no_validation_rows_are_given():
    model = Recorder(random_state=0).fit(X, Y)
    assert len(model.train_.X) == 36
    assert np.bincount(model.valid_.codes).tolist() == [3, 1]
    np.testing.assert_allclose(model.train_.X.mean(axis=0), 0, atol=1e-12)


def test_held_out_rows_follow_the_seed():
    first, again, other = (Recorder(random_state=seed).fit(X, Y) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.valid_.X, again.valid_.X)
    assert not np.array_equal(first.valid_.X, other.valid_.X)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="one class only"):
        MajorityClassifier().fit(X, np.zeros(40))


def test_missing_values_are_refused():
    broken = X.copy()
    broken[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        MajorityClassifier().fit(broken, Y)


def test_another_number_of_features_is_refused_when_predicting():
    model = MajorityClassifier().fit(X, Y)
    with pytest.raises(ValueError, match="3 features"):
        model.predict(X[:, :3])


def test_the_majority_class_predicts_shares():
    model = MajorityClassifier().fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X[:2]), [[0.75, 0.25]] * 2)
    assert set(model.predict(X)) == {"a"}


def test_column_names_are_kept():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["g1", "g2", "g3", "g4"])
    model = ShrunkenCentroidsClassifier(random_state=0).fit(frame, Y)
    assert model.feature_names_in_.tolist() == ["g1", "g2", "g3", "g4"]
