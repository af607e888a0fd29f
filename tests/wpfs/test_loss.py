import numpy as np
import pytest
from sklearn.utils.class_weight import compute_class_weight

from wpfs.loss import balance_classes, softmax, weighted_cross_entropy


def test_balanced_weights_are_scikit_learns_and_zero_for_absent_classes():
    codes = np.array([0] * 7 + [1] * 2 + [3] * 1)
    expected = compute_class_weight("balanced", classes=np.array([0, 1, 3]), y=codes)
    assert balance_classes(codes, 4).tolist() == [*expected[:2], 0.0, expected[2]]


def test_softmax_golden_and_of_large_numbers():
    logits = np.log(np.array([[1.0, 3.0], [4.0, 1.0]]))
    np.testing.assert_allclose(softmax(logits + 1e3), [[0.25, 0.75], [0.8, 0.2]])


def test_weighted_cross_entropy_golden():
    proba = np.array([[0.5, 0.5], [0.25, 0.75]])
    loss = weighted_cross_entropy(proba, np.array([0, 1]), np.array([1.0, 3.0]))
    assert loss == pytest.approx((np.log(2) + 3 * np.log(4 / 3)) / 4)


def test_an_impossible_prediction_costs_much_but_not_infinity():
    wrong = np.array([[1.0, 0.0]]), np.array([1]), np.array([1.0])
    assert np.isfinite(weighted_cross_entropy(*wrong))
    assert weighted_cross_entropy(*wrong, smallest=1e-3) == pytest.approx(-np.log(1e-3))
