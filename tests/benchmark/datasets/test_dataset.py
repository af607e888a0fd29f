"""The record of a table: its description in one line, and samples of it."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.impute import SimpleImputer

from benchmark.datasets.dataset import (
    Dataset,
    describe_table,
    fill_gaps,
    take_medians,
    take_sample,
)
from benchmark.datasets.names import parse_sample
from benchmark.datasets.synthetic import load_synthetic
from benchmark.errors import UserError


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


@pytest.fixture(scope="module")
def synthetic():
    return load_synthetic(samples=120, features=10, informative=2)


def test_a_sample_is_stratified_keeps_the_order_and_is_always_the_same(synthetic):
    sample = take_sample(synthetic, 60)
    counts, all_counts = np.bincount(sample.y), np.bincount(synthetic.y)
    assert np.abs(counts - all_counts / 2).max() <= 1
    positions = [synthetic.sample_ids.tolist().index(i) for i in sample.sample_ids]
    assert positions == sorted(positions)
    assert take_sample(synthetic, 60).checksum == sample.checksum != synthetic.checksum
    assert sample.name == "synthetic:samples=120,features=10,informative=2:samples=60"
    assert sample.differences[-1] == "A stratified sample of 60 of 120 samples."
    assert sample.hyperparameters_of == synthetic.hyperparameters_of


def test_names():
    assert parse_sample("metabric-dr") == ("metabric-dr", None)
    assert parse_sample("metabric-dr:samples=60") == ("metabric-dr", 60)
    with pytest.raises(UserError, match="write a sample of a data set as prostate:samples=60"):
        parse_sample("prostate:size=60")


@pytest.mark.parametrize("size", [2, 119, 500])
def test_impossible_sizes_are_refused(synthetic, size):
    with pytest.raises(UserError, match=f"3 to 117 of its 120 samples, not {size}"):
        take_sample(synthetic, size)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows", [1, 2, 7, 40, 700])
def test_gaps_are_filled_as_scikit_learn_fills_them(rows, dtype):
    rng = np.random.default_rng(rows)
    X = rng.lognormal(3, 2, (rows, 30)).astype(dtype)
    X[rng.random(X.shape) < 0.3] = np.nan
    X[:, 4] = np.nan
    others = np.where(rng.random((9, 30)) < 0.5, np.nan, 1.0).astype(dtype)
    imputer = SimpleImputer(strategy="median", keep_empty_features=True).fit(X)
    medians = take_medians(X)
    for part in (X, others):
        filled = fill_gaps(part, medians)
        assert filled.dtype == dtype
        np.testing.assert_array_equal(filled, imputer.transform(part))
