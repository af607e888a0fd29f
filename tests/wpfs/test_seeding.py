import numpy as np
import pytest
import torch
from threadpoolctl import threadpool_info

from wpfs.seeding import seeded_torch


def count_blas_threads():
    np.ones((2, 2)) @ np.ones((2, 2))
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_the_same_seed_gives_the_same_numbers_and_the_generator_comes_back():
    torch.manual_seed(1)
    before = torch.get_rng_state()
    with seeded_torch(5, 1):
        first = torch.rand(3)
    assert torch.equal(torch.get_rng_state(), before)
    with seeded_torch(5, 1):
        assert torch.equal(torch.rand(3), first)


def test_without_a_seed_every_time_is_different():
    drawn = []
    for _ in range(2):
        with seeded_torch(None, 1):
            drawn.append(torch.rand(3))
    assert not torch.equal(*drawn)


def test_threads_are_limited_inside_and_come_back_after_an_error():
    before, blas = torch.get_num_threads(), count_blas_threads()
    other = before + 1

    def fail_inside():
        with seeded_torch(0, other):
            assert torch.get_num_threads() == other
            raise KeyError

    with pytest.raises(KeyError):
        fail_inside()
    assert torch.get_num_threads() == before
    with seeded_torch(0, 1):
        assert count_blas_threads() == {1}
    assert count_blas_threads() == blas


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "two"])
def test_what_is_no_number_of_threads_is_refused(wrong):
    before = torch.get_num_threads()
    with (
        pytest.raises(ValueError, match="n_threads must be a whole number from 1 or None, not "),
        seeded_torch(0, wrong),
    ):
        pass
    assert torch.get_num_threads() == before


def test_other_gpus_are_not_seeded(monkeypatch):
    seeded = []
    monkeypatch.setattr(torch.cuda, "manual_seed_all", seeded.append)
    with seeded_torch(0, None):
        torch.rand(1)
    assert not seeded
