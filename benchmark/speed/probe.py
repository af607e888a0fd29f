"""What a measuring process does: ``python -m benchmark.speed.probe '{"...": ...}'`` prints JSON."""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np


def measure_steps(
    contenders: list[str], n_features: int, threads: int, rounds: int
) -> dict[str, list[float]]:
    """Return milliseconds of single steps, the contenders taking turns.

    In a round each contender takes two steps, of which the second counts: the first finds the
    caches full of another's numbers. The literal algorithm, thousands of times larger than a
    cache, takes one.
    """
    import torch
    from threadpoolctl import threadpool_limits

    from benchmark.speed.contenders import build_step
    from wpfs.subnormals import flushed_subnormals

    torch.set_num_threads(threads)
    # As in training; PyTorch's own products are not concerned.
    with threadpool_limits(1, user_api="blas"), flushed_subnormals():
        steps = {name: build_step(name, n_features) for name in contenders}
        for name, step in steps.items():
            if name != "literal":
                step()
        times: dict[str, list[float]] = {name: [] for name in contenders}
        for _ in range(rounds):
            for name, step in steps.items():
                if name != "literal":
                    step()
                start = time.perf_counter()
                step()
                times[name].append(1e3 * (time.perf_counter() - start))
    return times


def measure_memory(contender: str, n_features: int) -> float:
    """Return this process' peak memory in MB after three steps."""
    measure_steps([contender], n_features, threads=1, rounds=1 if contender == "literal" else 3)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_nmf(n_features: int, n_samples: int, rank: int, rounds: int) -> dict[str, list[float]]:
    """Return milliseconds of 50 multiplicative updates, ours and scikit-learn's, taking turns."""
    from sklearn.decomposition import non_negative_factorization
    from threadpoolctl import threadpool_limits

    from wpfs.factorisation import factorise, random_start

    X = np.random.default_rng(0).random((n_samples, n_features), dtype=np.float32)
    W, H = random_start(X.shape, rank, seed=0)
    settings = {"n_components": rank, "init": "custom", "solver": "mu", "max_iter": 50, "tol": 0}
    times: dict[str, list[float]] = {"ours": [], "scikit-learn": []}
    with threadpool_limits(1):
        for _ in range(rounds):
            start = time.perf_counter()
            factorise(X, W, H, max_iterations=50, tolerance=-np.inf)
            middle = time.perf_counter()
            non_negative_factorization(X, W=W.copy(), H=H.copy(), **settings)
            times["ours"].append(1e3 * (middle - start))
            times["scikit-learn"].append(1e3 * (time.perf_counter() - middle))
    return times


def main() -> None:
    """Run the probe named in the first argument and print its result."""
    from benchmark.speed.profile import measure_profile

    request: dict[str, Any] = json.loads(sys.argv[1])
    probes: dict[str, Callable[..., Any]] = {
        "steps": measure_steps,
        "memory": measure_memory,
        "nmf": measure_nmf,
        "profile": measure_profile,
    }
    print(json.dumps(probes[request.pop("probe")](**request)))


if __name__ == "__main__":
    main()
