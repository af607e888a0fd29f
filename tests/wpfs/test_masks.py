from itertools import pairwise

import numpy as np
import pytest
import torch

from wpfs.masks import MaskStream, build_mask, drop


def draw(n, rate=0.2, shape=(400, 100), seed=0):
    stream = MaskStream(seed)
    return [build_mask(stream.next_key(), shape, rate).astype(float) for _ in range(n)]


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.2, 0.5])
def test_drops_the_asked_share_in_every_row_and_column(rate):
    mask = np.mean(draw(50, rate), axis=0)
    sigma = np.sqrt(rate * (1 - rate) / 50)
    assert mask.mean() == pytest.approx(1 - rate, abs=4 * sigma / 200 + 1e-9)
    assert mask.mean(axis=0) == pytest.approx(1 - rate, abs=5 * sigma / 20 + 1e-9)
    assert mask.mean(axis=1) == pytest.approx(1 - rate, abs=6 * sigma / 10 + 1e-9)


def test_masks_are_uncorrelated_with_each_other_and_with_their_neighbours():
    masks = [mask - mask.mean() for mask in draw(40)]
    limit = 5 / np.sqrt(masks[0].size)
    variance = np.mean([np.mean(mask**2) for mask in masks])
    for a, b in pairwise(masks):
        assert abs(np.mean(a * b)) / variance < limit
    for mask in masks:
        assert abs(np.mean(mask[:, 1:] * mask[:, :-1])) / variance < limit
        assert abs(np.mean(mask[1:] * mask[:-1])) / variance < limit


def test_same_seed_same_masks():
    np.testing.assert_array_equal(draw(3, seed=7), draw(3, seed=7))
    assert not np.array_equal(draw(1, seed=7), draw(1, seed=8))


def test_drop_keeps_the_expected_value_and_zeroes_exactly():
    x = torch.ones(1000, 100)
    out = drop(x, 0.2, MaskStream(0))
    assert set(out.unique().tolist()) == {0.0, 1.25}
    assert out.mean().item() == pytest.approx(1.0, abs=0.01)
    assert drop(x, 0.0, MaskStream(0)) is x
