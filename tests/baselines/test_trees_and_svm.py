"""What the conformance suite does not know of these three."""

from typing import Any

import numpy as np
import pytest

from baselines._shared.registry import get_method
from baselines.lightgbm import BoostedTreesClassifier
from baselines.linear_svm import LinearSVMClassifier
from baselines.random_forest import ForestClassifier

Arrays = tuple[np.ndarray, np.ndarray]


@pytest.fixture
def rows() -> Arrays:
    rng = np.random.default_rng(3)
    y = np.tile([0, 1, 2], 24)
    X = rng.normal(size=(72, 15))
    X[:, 4] += 2.5 * y
    return X, y


@pytest.mark.parametrize(
    ("method", "dataset", "values"),
    [
        ("random-forest", "cll", {"max_depth": 3, "min_samples_leaf": 3}),
        ("random-forest", "metabric-pam50", {"max_depth": 7, "min_samples_leaf": 2}),
        ("lightgbm", "metabric-pam50", {"learning_rate": 0.01, "max_depth": 2}),
        ("lightgbm", "lung", {"learning_rate": 0.1, "max_depth": 1}),
    ],
)
def test_published_values(method: str, dataset: str, values: dict[str, Any]) -> None:
    assert get_method(method).paper_hyperparameters(dataset) == values


@pytest.mark.parametrize("method", ["random-forest", "lightgbm"])
def test_published_values_are_points_of_the_published_grid(method: str) -> None:
    found = get_method(method)
    assert len(found.paper_values) == 9
    for values in found.paper_values.values():
        assert all(values[name] in choices for name, choices in found.grid.items())


def test_the_forest_is_the_paper_s() -> None:
    X, y = np.random.default_rng(0).normal(size=(30, 6)), np.arange(30) % 2
    forest = ForestClassifier(n_estimators=4, random_state=0, n_threads=1).fit(X, y).forest_
    assert forest.class_weight == "balanced"
    assert forest.max_features == "sqrt"
    assert ForestClassifier().n_estimators == 500


def test_the_informative_feature_matters_most(rows: Arrays) -> None:
    X, y = rows
    for model in (
        ForestClassifier(n_estimators=50, random_state=0),
        BoostedTreesClassifier(random_state=0, n_rounds=30),
        LinearSVMClassifier(),
    ):
        model.fit(X[:60], y[:60], eval_set=[(X[60:], y[60:])])
        assert np.argmax(model.feature_importances_) == 4


def test_boosting_stops_early_and_predicts_with_the_best_round(rows: Arrays) -> None:
    X, y = rows
    noise = np.random.default_rng(0).permutation(y)
    model = BoostedTreesClassifier(patience=10, random_state=0)
    model.fit(X[:50], noise[:50], eval_set=[(X[50:], noise[50:])])
    assert model.n_steps_ == model.best_step_ + 10
    losses = model.history_["valid_loss"]
    assert np.argmin(losses) + 1 == model.best_step_
    weights = 1 / np.bincount(noise[:50])
    row_weights = weights[noise[50:]]
    likelihood = model.predict_proba(X[50:])[np.arange(22), noise[50:]]
    loss = -(row_weights * np.log(likelihood)).sum() / row_weights.sum()
    assert loss == pytest.approx(min(losses), rel=1e-5)


def test_the_authors_stopped_on_the_unweighted_loss(rows: Arrays) -> None:
    X, y = rows
    y = np.minimum(y, 1)
    losses = [
        BoostedTreesClassifier(weighted_stopping=weighted, random_state=0, n_rounds=5)
        .fit(X[:40], y[:40], eval_set=[(X[40:], y[40:])])
        .history_["valid_loss"]
        for weighted in (True, False)
    ]
    assert losses[0] != losses[1]


def test_the_svm_decides_as_scikit_learn_s(rows: Arrays) -> None:
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    X, y = rows
    scaler = StandardScaler().fit(X[:50])
    plain = SVC(kernel="linear", C=0.01, class_weight="balanced", break_ties=True)
    plain.fit(scaler.transform(X[:50]), y[:50])
    model = LinearSVMClassifier().fit(X[:50], y[:50])
    np.testing.assert_array_equal(model.predict(X[50:]), plain.predict(scaler.transform(X[50:])))


def test_the_temperature_makes_probabilities_honest(rows: Arrays) -> None:
    """Confident where the classes are apart, near uniform where labels are noise."""
    X, y = rows
    clear = LinearSVMClassifier(C=1.0).fit(X, y)
    noise = LinearSVMClassifier(C=1.0).fit(X, np.random.default_rng(5).permutation(y))
    assert clear.temperature_ < noise.temperature_
    assert noise.predict_proba(X).max() < 0.5 < clear.predict_proba(X).max()


def test_validation_labels_that_were_never_trained_on_are_refused(rows: Arrays) -> None:
    X, y = rows
    seen = y < 2
    with pytest.raises(ValueError, match=r"eval_set holds labels absent from y: \[2\]"):
        BoostedTreesClassifier().fit(X[seen], y[seen], eval_set=[(X, y)])
