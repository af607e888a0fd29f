"""Run torch code with a seed and a number of threads, and leave no trace of either."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def seeded_torch(seed: int | None, n_threads: int) -> Iterator[None]:
    """Seed torch's global generators and limit its threads for the time of a ``with`` block.

    Third-party networks draw from the global generators, so these are seeded and afterwards
    put back. Without a seed the draw follows the operating system's entropy.
    """
    import torch

    threads_before = torch.get_num_threads()
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        if seed is None:
            torch.seed()
        else:
            torch.manual_seed(seed)
        torch.set_num_threads(n_threads)
        try:
            yield
        finally:
            torch.set_num_threads(threads_before)
