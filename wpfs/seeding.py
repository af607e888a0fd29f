"""A seed and a number of threads for PyTorch inside a ``with`` block, restored afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wpfs.ranges import COUNT

if TYPE_CHECKING:
    import torch


@contextmanager
def seeded_torch(
    seed: int | None, n_threads: int | None, device: str | torch.device = "cpu"
) -> Iterator[None]:
    """Seed PyTorch's global generators and limit threads inside a ``with`` block.

    Only the generators of the CPU and of ``device`` are touched, and both are put back.

    Parameters
    ----------
    seed
        None draws from the operating system.
    n_threads
        Of PyTorch and of numpy's products; None leaves PyTorch's.
    device
        Where the work is done.

    Raises
    ------
    ValueError
        When ``n_threads`` is no number of threads.
    """
    import torch
    from threadpoolctl import threadpool_limits

    if n_threads is not None and not COUNT.contains(n_threads):
        raise ValueError(f"n_threads must be {COUNT} or None, not {n_threads!r}")
    device = torch.device(device)
    gpus = [device] if device.type == "cuda" else []
    before = torch.get_num_threads()
    if n_threads is not None and n_threads != before:
        torch.set_num_threads(int(n_threads))
    try:
        with (
            threadpool_limits(torch.get_num_threads(), user_api="blas"),
            torch.random.fork_rng(devices=gpus),
        ):
            # torch.manual_seed would seed every GPU of the machine.
            drawn = torch.default_generator.seed() if seed is None else seed
            torch.default_generator.manual_seed(drawn)
            for gpu in gpus:
                with torch.cuda.device(gpu):
                    torch.cuda.manual_seed(drawn)
            yield
    finally:
        if torch.get_num_threads() != before:
            torch.set_num_threads(before)
