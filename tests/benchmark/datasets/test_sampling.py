import numpy as np
import pytest

from benchmark.datasets import load_synthetic
from benchmark.datasets.naming import split_name
from benchmark.datasets.sampling import take_sample
from benchmark.errors import UserError


@pytest.fixture(scope="module")
def dataset():
    return load_synthetic(samples=120, features=10, informative=2)


def test_a_sample_is_stratified_keeps_the_order_and_is_always_the_same(dataset):
    sample = take_sample(dataset, 60)
    counts, all_counts = np.bincount(sample.y), np.bincount(dataset.y)
    assert np.abs(counts - all_counts / 2).max() <= 1
    positions = [dataset.sample_ids.tolist().index(i) for i in sample.sample_ids]
    assert positions == sorted(positions)
    assert take_sample(dataset, 60).checksum == sample.checksum != dataset.checksum
    assert sample.name == "synthetic:samples=120,features=10,informative=2:samples=60"
    assert sample.differences[-1] == "A stratified sample of 60 of 120 samples."
    assert sample.hyperparameters_of == dataset.hyperparameters_of


def test_names():
    assert split_name("metabric-dr") == ("metabric-dr", None)
    assert split_name("metabric-dr:samples=60") == ("metabric-dr", 60)
    with pytest.raises(UserError, match="write a sample of a data set as prostate:samples=60"):
        split_name("prostate:size=60")


@pytest.mark.parametrize("size", [2, 119, 500])
def test_impossible_sizes_are_refused(dataset, size):
    with pytest.raises(UserError, match=f"3 to 117 of its 120 samples, not {size}"):
        take_sample(dataset, size)
