"""Numbers come back from a CSV file as they went in."""

import io

import numpy as np

from benchmark.exact_csv import read_csv


def test_numbers_are_read_to_the_last_bit():
    numbers = [0.1 + 0.2, *np.random.default_rng(0).normal(size=1000).tolist()]
    text = "\n".join(["x", *map(repr, numbers)])
    assert read_csv(io.StringIO(text))["x"].tolist() == numbers
