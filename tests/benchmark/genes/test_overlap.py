"""Overlap of lists against published values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.genes.overlap import measure_jaccard, measure_rank_overlap


def encode(text):
    return [ord(letter) for letter in text]


@pytest.mark.parametrize(
    ("first", "second", "persistence", "value"),
    [
        # github.com/b4ny4n/rankmeasures, README: RBO.eval(List(1,2,3,4,5), List(2,3,4,1,5), 0.9).
        ("12345", "23415", 0.9, 0.828),
        ("abcde", "abcde", 0.5, 1.0),
        ("abcde", "fghij", 0.9, 0.0),
        # The shorter list, extended as it goes, is the longer one.
        ("abcdefghijklmnopqrstuvwxyz", "abcdefg", 0.9, 1.0),
    ],
)
def test_rank_overlap(first, second, persistence, value):
    lists = encode(first), encode(second)
    assert measure_rank_overlap(*lists, persistence) == pytest.approx(value, abs=5e-4)
    assert measure_rank_overlap(*lists[::-1], persistence) == pytest.approx(value, abs=5e-4)


@given(st.permutations(range(8)), st.permutations(range(4, 12)))
def test_it_is_the_series_with_the_last_agreement_kept(first, second):
    """Webber et al. (2010), equation 4, over lists of one length."""
    p = 0.9
    agreement = [len(set(first[:d]) & set(second[:d])) / d for d in range(1, 9)]
    series = (1 - p) * sum(p**d * (agreement + [agreement[-1]] * 500)[d] for d in range(500))
    assert measure_rank_overlap(first, second, p) == pytest.approx(series, abs=1e-9)


def test_early_agreement_counts_more():
    swapped_first = measure_rank_overlap(encode("bacdef"), encode("abcdef"))
    swapped_last = measure_rank_overlap(encode("abcdfe"), encode("abcdef"))
    assert swapped_first < swapped_last < 1


def test_jaccard():
    assert measure_jaccard([1, 2, 3], [2, 3, 4]) == 0.5
    assert np.isnan(measure_jaccard([], []))
    assert np.isnan(measure_rank_overlap([], [1]))
