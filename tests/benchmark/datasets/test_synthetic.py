"""The built-in data set: deterministic, plausible, and its truth can be found."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import f_oneway, skew

from benchmark.datasets.listing import SYNTHETIC_DESCRIPTION
from benchmark.datasets.loading import load
from benchmark.datasets.synthetic import load_synthetic, name_of, parse_parameters
from benchmark.errors import UserError


def test_it_is_the_same_every_time_and_another_with_another_seed():
    assert load("synthetic").checksum == load_synthetic().checksum
    assert load("synthetic").checksum != load("synthetic:seed=1").checksum


def test_golden_values():
    dataset = load("synthetic")
    np.testing.assert_allclose(dataset.X[0, :3], [29.850, 164.638, 641.850], rtol=1e-4)
    assert dataset.y[:10].tolist() == [0, 1, 0, 1, 2, 0, 0, 1, 1, 0]


def test_what_the_catalogue_says_of_it_is_true():
    dataset = load("synthetic")
    assert (SYNTHETIC_DESCRIPTION.samples, SYNTHETIC_DESCRIPTION.features) == dataset.X.shape
    assert tuple(SYNTHETIC_DESCRIPTION.classes.values()) == dataset.class_counts
    assert list(SYNTHETIC_DESCRIPTION.classes) == dataset.class_names.tolist()


def test_values_are_positive_heavy_tailed_and_correlated_in_modules():
    dataset = load("synthetic")
    assert dataset.X.min() > 0
    assert np.median(skew(dataset.X, axis=0)) > 1
    correlation = np.corrcoef(np.log(dataset.X[:, :400]), rowvar=False)
    np.fill_diagonal(correlation, 0)
    assert (np.abs(correlation) > 0.5).any(axis=0).mean() > 0.3


def test_classes_are_imbalanced_but_large_enough_for_five_folds():
    counts = load("synthetic").class_counts
    assert max(counts) > 2 * min(counts)
    assert min(counts) >= 10


def test_linear_genes_depend_on_the_class_and_others_do_not():
    dataset = load_synthetic(samples=600, informative=8, features=300)
    groups = [np.log(dataset.X[dataset.y == c]) for c in range(3)]
    p_values = f_oneway(*groups).pvalue
    others = np.setdiff1d(np.arange(300), dataset.informative)
    assert (p_values[dataset.informative] < 1e-6).sum() == 4, "half of the eight are linear"
    assert np.median(p_values[others]) > 0.2


def test_interacting_genes_say_nothing_alone_but_their_product_does():
    dataset = load_synthetic(samples=4000, informative=8, features=100, classes=2, noise=0.2)
    values = np.log(dataset.X)
    alone = f_oneway(values[dataset.y == 0], values[dataset.y == 1]).pvalue
    silent = [j for j in dataset.informative if alone[j] > 1e-4]
    centred = values - values.mean(axis=0)
    strongest = {}
    for j in silent:
        differences = [
            abs(
                np.corrcoef(centred[dataset.y == 0][:, [j, k]], rowvar=False)[0, 1]
                - np.corrcoef(centred[dataset.y == 1][:, [j, k]], rowvar=False)[0, 1]
            )
            for k in silent
            if k != j
        ]
        strongest[j] = max(differences)
    assert len(silent) == 4
    assert min(strongest.values()) > 0.5


def test_more_noise_hides_the_truth():
    def signal(noise):
        dataset = load_synthetic(samples=400, features=200, informative=20, noise=noise)
        groups = [np.log(dataset.X[dataset.y == c])[:, dataset.informative] for c in range(3)]
        return np.median(f_oneway(*groups).statistic)

    assert signal(0.5) > 2 * signal(4)


@settings(max_examples=25)
@given(
    samples=st.integers(60, 120),
    features=st.integers(20, 60),
    informative=st.integers(1, 20),
    noise=st.sampled_from([0.0, 0.5, 2.0]),
    seed=st.integers(0, 1000),
)
def test_its_name_loads_it_again(samples, features, informative, noise, seed):
    dataset = load_synthetic(samples, features, informative, 2, noise, seed)
    assert dataset.X.shape == (samples, features)
    assert len(set(dataset.informative)) == informative
    again = load(dataset.name)
    assert again.checksum == dataset.checksum
    assert again.name == dataset.name == name_of({**parse_parameters(dataset.name)})


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("synthetic:sample=3", "unknown parameter 'sample', use one of samples"),
        ("synthetic:samples=many", "samples must be a number"),
        ("synthetic:samples=20", "too few"),
        ("synthetic:classes=1", "at least 2"),
        ("synthetic:features=10", "informative must be 1 to 10"),
        ("synthetic:features=1,informative=1", "at least 2"),
        ("synthetic:noise=-1", "noise must be a number from 0"),
    ],
)
def test_wrong_parameters_are_explained(name, words):
    with pytest.raises(UserError, match=words):
        load(name)


def test_the_record_is_frozen():
    dataset = load("synthetic")
    with pytest.raises(ValueError, match="read-only"):
        dataset.X[0, 0] = 1
    with pytest.raises(AttributeError):
        dataset.name = "other"


def test_a_table_beyond_memory_is_refused():
    with pytest.raises(UserError, match="more than 500,000,000 values"):
        load_synthetic(samples=10**8)
