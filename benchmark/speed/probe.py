"""What a measuring process does: ``python -m benchmark.speed.probe '{"...": ...}'`` prints JSON."""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from typing import Any


def measure_steps(
    contenders: list[str], n_features: int, threads: int, rounds: int
) -> dict[str, list[float]]:
    """Return milliseconds of single steps, the contenders taking turns.

    In a round each contender takes two steps, of which the second counts: the first finds the
    caches full of another's numbers. Numpy's products may use all threads; ours divide the work
    themselves.
    """
    import torch
    from threadpoolctl import threadpool_limits

    from benchmark.speed.contenders import build_step
    from wpfs.subnormals import flushed_subnormals

    torch.set_num_threads(threads)
    # As in training; PyTorch's own products are not concerned.
    with threadpool_limits(1, user_api="blas"), flushed_subnormals():
        steps = {name: build_step(name, n_features) for name in contenders}
        for step in steps.values():
            step()
        times: dict[str, list[float]] = {name: [] for name in contenders}
        for _ in range(rounds):
            for name, step in steps.items():
                inside = threads if name == "floor-openblas" else 1
                with threadpool_limits(inside, user_api="blas"):
                    step()
                    start = time.perf_counter()
                    step()
                    times[name].append(1e3 * (time.perf_counter() - start))
    return times


def measure_memory(contender: str, n_features: int) -> float:
    """Return this process' peak memory in MB after three steps."""
    measure_steps([contender], n_features, threads=1, rounds=1)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Run the probe named in the first argument and print its result."""
    from benchmark.speed.fits import measure_fits
    from benchmark.speed.profile import measure_profile

    request: dict[str, Any] = json.loads(sys.argv[1])
    probes: dict[str, Callable[..., Any]] = {
        "steps": measure_steps,
        "memory": measure_memory,
        "profile": measure_profile,
        "fits": measure_fits,
    }
    print(json.dumps(probes[request.pop("probe")](**request)))


if __name__ == "__main__":
    main()
