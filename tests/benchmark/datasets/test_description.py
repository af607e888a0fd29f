"""One line per table."""

from dataclasses import replace

import numpy as np
import pytest

from benchmark.datasets import Dataset, describe_table


@pytest.fixture
def table():
    """8 samples, 3 features, the last one constant."""
    X = np.arange(24, dtype=np.float32).reshape(8, 3)
    X[:, 2] = 7
    return Dataset(
        name="good",
        X=X,
        y=np.repeat([0, 1], [5, 3]),
        feature_names=np.array(["a", "b", "c"]),
        sample_ids=np.array(list("stuvwxyz")),
        class_names=np.array(["no", "yes"]),
    )


def test_size_classes_and_constant_features_are_told(table):
    line = "good: 8 samples × 3 features, classes no 5 / yes 3; 1 constant feature kept"
    assert describe_table(table) == line


def test_missing_values_and_groups_are_counted(table):
    X = table.X.copy()
    X[0, 1] = X[1, 2] = np.nan
    X[:, 0] = 1
    spoilt = replace(table, X=X, impute="median", groups=np.array(list("aabbccdd")))
    assert describe_table(spoilt).split("; ")[1:] == [
        "4 groups",
        "2 constant features kept",
        "2 missing values filled per split",
    ]


def test_many_classes_are_not_listed(table):
    y = np.arange(8).clip(max=6)
    many = replace(table, y=y, class_names=np.array([f"class-{i}" for i in range(7)]))
    assert "features, 7 classes of 1 to 2 samples;" in describe_table(many)
