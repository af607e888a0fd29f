import numpy as np
import pytest

from wpfs.holdout import hold_out, read_eval_set


def test_holds_out_a_stratified_share():
    X, y = np.arange(100.0)[:, None], np.repeat([0, 1], [80, 20])
    (X_train, y_train), (X_valid, y_valid) = hold_out(X, y, 0.1, seed=0)
    assert np.bincount(y_valid).tolist() == [8, 2]
    assert sorted([*X_train[:, 0], *X_valid[:, 0]]) == X[:, 0].tolist()
    assert len(y_train) == 90


def test_every_class_is_validated_even_in_a_small_table():
    y = np.repeat([0, 1, 2], 4)
    _, (_, y_valid) = hold_out(np.zeros((12, 1)), y, 0.1, seed=0)
    assert set(y_valid) == {0, 1, 2}


def test_a_lonely_sample_means_no_hold_out():
    X, y = np.zeros((5, 1)), np.array([0, 0, 0, 0, 1])
    with pytest.warns(UserWarning, match="too few rows"):
        (_, y_train), (_, y_valid) = hold_out(X, y, 0.2, seed=0)
    assert y_train.tolist() == y_valid.tolist() == y.tolist()


X, Y = np.arange(8.0).reshape(4, 2), np.array(["a", "b", "c", "b"])


def test_an_eval_set_becomes_rows_and_codes():
    rows, codes = read_eval_set([(X.tolist(), Y)], 2, np.array(["a", "b", "c"]))
    np.testing.assert_array_equal(rows, X)
    assert codes.tolist() == [0, 1, 2, 1]


@pytest.mark.parametrize(
    ("eval_set", "message"),
    [
        ([(X, Y), (X, Y)], "holds 2 pairs"),
        ([(X[:, :1], Y)], "has 1 features, the training rows have 2"),
        ([(X[:2], ["a", "z"])], r"absent from y: \['z'\]"),
    ],
)
def test_an_eval_set_that_does_not_fit_is_refused(eval_set, message):
    with pytest.raises(ValueError, match=message):
        read_eval_set(eval_set, 2, np.array(["a", "b", "c"]))
