"""Nogueira's measure against the authors' published examples."""

import math

import numpy as np
import pytest

from benchmark.genes.stability import measure_stability

#: Their demonstration's ten random selections of four of ten features
#: (github.com/nogueirs/JMLR2018, python/stabilityDemo.ipynb, "Z3").
RANDOM = np.array(
    [
        [1, 1, 1, 1, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 1, 0, 1, 1, 1, 0, 0],
        [0, 1, 0, 0, 0, 1, 1, 1, 0, 0],
        [1, 1, 0, 0, 1, 0, 1, 0, 0, 0],
        [0, 1, 1, 0, 1, 1, 0, 0, 0, 0],
        [0, 1, 1, 1, 0, 0, 1, 0, 0, 0],
        [1, 0, 0, 1, 0, 0, 0, 0, 1, 1],
        [0, 0, 0, 1, 0, 1, 1, 1, 0, 0],
        [0, 0, 1, 1, 1, 1, 0, 0, 0, 0],
        [0, 0, 0, 0, 1, 0, 0, 1, 1, 1],
    ],
    dtype=bool,
)


def test_values_and_variance_are_the_authors():
    found = measure_stability(RANDOM)
    assert found.value == pytest.approx(-0.037037037037)
    assert found.variance == pytest.approx(0.00516666666667)
    assert found.find_interval()[0] < 0


@pytest.mark.parametrize(
    ("rows", "value"),
    [(["110", "110", "110"], 1.0), (["110", "011", "101"], -0.5)],
)
def test_their_first_examples(rows, value):
    selected = np.array([[c == "1" for c in row] for row in rows])
    assert measure_stability(selected).value == pytest.approx(value)


def test_the_interval_is_symmetric_and_normal():
    found = measure_stability(RANDOM)
    low, high = found.find_interval()
    assert (low + high) / 2 == pytest.approx(found.value)
    assert (high - low) / 2 == pytest.approx(1.959964 * math.sqrt(found.variance), rel=1e-6)


def test_random_sets_of_many_runs_are_near_zero():
    rng = np.random.default_rng(0)
    selected = np.argsort(rng.random((400, 300)), axis=1) < 30
    assert abs(measure_stability(selected).value) < 0.01


@pytest.mark.parametrize(
    "selected", [np.ones((1, 5), bool), np.ones((4, 5), bool), np.zeros((4, 5), bool)]
)
def test_it_is_undefined_where_nothing_can_differ(selected):
    assert math.isnan(measure_stability(selected).value)
