"""PyTorch with a seed and a number of threads for a while, and no trace of either afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


@contextmanager
def seeded_torch(
    seed: int | None, n_threads: int | None, device: str | torch.device = "cpu"
) -> Iterator[None]:
    """Seed PyTorch's global generators and limit threads for the time of a ``with`` block.

    Parameters
    ----------
    seed
        None draws from the operating system.
    n_threads
        Of PyTorch and of numpy's products; None leaves PyTorch's.
    device
        A GPU's generator is put back afterwards too.
    """
    import torch
    from threadpoolctl import threadpool_limits

    before = torch.get_num_threads()
    if n_threads is not None and n_threads != before:
        torch.set_num_threads(n_threads)
    device = torch.device(device)
    try:
        with (
            threadpool_limits(torch.get_num_threads(), user_api="blas"),
            torch.random.fork_rng(devices=[device] if device.type == "cuda" else []),
        ):
            if seed is None:
                torch.seed()
            else:
                torch.manual_seed(seed)
            yield
    finally:
        if torch.get_num_threads() != before:
            torch.set_num_threads(before)
