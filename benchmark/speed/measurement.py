"""Plans the probes, starts each in a process of its own and collects what they print."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

from benchmark.run.executors.worker import environment_of

#: Contender -> what it is.
CONTENDERS = {
    "literal": "Algorithm 1 with the D x D diagonal product",
    "plain": "PyTorch modules, no diagonal",
    "ours": "wpfs",
    "floor": "the matrix products alone",
    "floor-openblas": "the same by numpy's library in place of PyTorch's",
}

#: Of them the products alone; the faster one is the floor.
FLOORS = ("floor", "floor-openblas")


def measure_speed(
    widths: list[int], threads: list[int], quick: bool, announce: Callable[[str], None]
) -> dict[str, Any]:
    """Measure all contenders at the given numbers of features and threads.

    Parameters
    ----------
    widths
        Numbers of features D.
    threads
        Thread counts.
    quick
        A few steps only: shows that it works, not how fast it is.
    announce
        Called with what is being measured.

    Returns
    -------
    dict
        ``steps``: per width and number of threads the median milliseconds of each contender, those
        of a process without the workers' memory settings (``plain_process``, as somebody who
        imports the library has it) and why the literal algorithm was ``skipped``, if it was.
        ``peak_memory_mb``: by width and contender.
    """
    report: dict[str, Any] = {"steps": [], "peak_memory_mb": {}}
    for width in widths:
        skipped = _reason_to_skip_literal(width)
        contenders = [name for name in CONTENDERS if name != "literal" or skipped is None]
        for count in threads:
            announce(f"steps at {width} features, threads: {count}")
            rounds = 2 if quick else _rounds(width)
            request = {"probe": "steps", "n_features": width, "threads": count}
            together = _probe({**request, "contenders": contenders, "rounds": rounds})
            # Each library by itself: after their products its threads wait without sleeping.
            alone: dict[str, list[float]] = {}
            for name in ("ours", *FLOORS):
                alone |= _probe({**request, "contenders": [name], "rounds": rounds}, tuned=False)
            report["steps"].append(
                {
                    "features": width,
                    "threads": count,
                    "milliseconds": _medians(together),
                    "plain_process": _medians(alone),
                    "skipped": skipped,
                }
            )
        announce(f"peak memory at {width} features")
        report["peak_memory_mb"][width] = {
            name: _probe({"probe": "memory", "contender": name, "n_features": width})
            for name in contenders
            if name not in FLOORS[1:]
        }
    return report


def measure_parts(width: int, quick: bool) -> dict[str, float]:
    """Measure the parts of a step of ours and, beside it, the literal algorithm: milliseconds."""
    rounds = 2 if quick else _rounds(width)
    return _medians(_probe({"probe": "profile", "n_features": width, "rounds": rounds}))


def measure_fits(width: int, quick: bool) -> list[dict[str, Any]]:
    """Measure whole fits, as ``benchmark.speed.fits.measure_fits`` does."""
    steps, rounds = (20, 1) if quick else (100, 3)
    found: list[dict[str, Any]] = _probe(
        {"probe": "fits", "n_features": width, "steps": steps, "rounds": rounds}
    )
    return found


def _rounds(width: int) -> int:
    """Return how often to go round so that each width takes about as long."""
    return max(5, min(60, 200_000 // width))


def _reason_to_skip_literal(width: int) -> str | None:
    """Return why the literal algorithm cannot run, if so: it holds about five D x D matrices."""
    import psutil

    needed = 5 * 4 * width**2
    available = psutil.virtual_memory().available
    if needed < 0.8 * available:
        return None
    return f"needs about {needed / 1e9:.0f} GB, {available / 1e9:.0f} GB are free"


def _probe(request: dict[str, Any], tuned: bool = True) -> Any:
    tuning = environment_of(request.get("threads", 1), None) if tuned else {}
    result = subprocess.run(
        [sys.executable, "-m", "benchmark.speed.probe", json.dumps(request)],
        capture_output=True,
        text=True,
        env={**os.environ, **tuning},
    )
    if result.returncode != 0:
        last = (result.stderr.strip().splitlines() or [f"exit code {result.returncode}"])[-1]
        raise RuntimeError(f"probe {request} failed: {last}")
    return json.loads(result.stdout)


def _medians(times: Mapping[str, list[float]]) -> dict[str, float]:
    return {name: median(values) for name, values in times.items()}
