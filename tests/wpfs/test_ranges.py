import numpy as np
import pytest

from wpfs import WPFSClassifier


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("dropout", 1.0, "a number from 0 to below 1"),
        ("dropout", float("nan"), "a number from 0"),
        ("sparsity", -1, "a number from 0,"),
        ("sparsity", "much", "a number from 0,"),
        ("learning_rate", 0, "a number above 0"),
        ("batch_size", 1, "a whole number from 2"),
        ("batch_size", 8.5, "a whole number from 2"),
        ("max_steps", float("inf"), "a whole number from 1"),
        ("validation_interval", 0, "a whole number from 1"),
        ("validation_fraction", 2.0, "a number above 0 to below 1"),
        ("hidden_sizes", (), "one or more whole numbers"),
        ("hidden_sizes", 100, "one or more whole numbers"),
        ("auxiliary_sizes", (100, 0), "one or more whole numbers"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(name: str, value: object, allowed: str) -> None:
    X, y = np.random.default_rng(0).normal(size=(20, 5)), np.arange(20) % 2
    with pytest.raises(ValueError, match=f"{name} must be {allowed}"):
        WPFSClassifier(**{name: value}).fit(X, y)


def test_ends_that_count() -> None:
    WPFSClassifier(
        dropout=0, sparsity=0.0, batch_size=np.int64(2), hidden_sizes=[1], weight_predictor=False
    ).check_hyperparameters()
