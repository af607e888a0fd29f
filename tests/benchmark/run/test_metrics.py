import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference

from benchmark.run import metrics


@given(seed=st.integers(0, 10_000), n_classes=st.integers(2, 5))
@settings(max_examples=40)
def test_scores_agree_with_scikit_learn(seed: int, n_classes: int) -> None:
    rng = np.random.default_rng(seed)
    y_true = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 20)])
    y_pred = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 20)])
    # Rounding makes ties, which the area under the curve has to share out.
    proba = np.round(rng.dirichlet(np.ones(n_classes), len(y_true)), 1) + 0.01
    proba /= proba.sum(axis=1, keepdims=True)
    weights = rng.uniform(0.5, 2, n_classes)

    assert metrics.accuracy(y_true, y_pred) == pytest.approx(
        reference.accuracy_score(y_true, y_pred)
    )
    assert metrics.balanced_accuracy(y_true, y_pred) == pytest.approx(
        reference.balanced_accuracy_score(y_true, y_pred)
    )
    assert metrics.macro_f1(y_true, y_pred) == pytest.approx(
        reference.f1_score(y_true, y_pred, average="macro")
    )
    assert metrics.cross_entropy(y_true, proba, weights) == pytest.approx(
        reference.log_loss(y_true, proba, sample_weight=weights[y_true])
    )
    positive = proba[:, 1] if n_classes == 2 else proba
    assert metrics.auroc(y_true, proba) == pytest.approx(
        reference.roc_auc_score(y_true, positive, multi_class="ovr")
    )
    distances = ((np.eye(n_classes)[y_true] - proba) ** 2).sum(axis=1).mean()
    assert metrics.brier(y_true, proba) == pytest.approx(
        reference.brier_score_loss(y_true, positive) if n_classes == 2 else distances
    )


def test_classes_absent_from_the_test_rows_do_not_count() -> None:
    y_true = np.array([0, 0, 1, 1])
    y_pred = np.array([0, 2, 1, 1])
    assert metrics.balanced_accuracy(y_true, y_pred) == 0.75
    proba = np.array([[0.8, 0.1, 0.1], [0.1, 0.1, 0.8], [0.1, 0.8, 0.1], [0.1, 0.8, 0.1]])
    assert metrics.auroc(y_true, proba) == pytest.approx((0.75 + 1.0) / 2)


def test_area_is_unknown_with_one_class() -> None:
    assert np.isnan(metrics.auroc(np.zeros(3, dtype=int), np.full((3, 2), 0.5)))


def test_certain_and_wrong_is_finite() -> None:
    loss = metrics.cross_entropy(np.array([1]), np.array([[1.0, 0.0]]), np.ones(2))
    assert loss == pytest.approx(-np.log(1e-15))
