"""Plans the probes, starts each in a process of its own and collects what they print."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

from benchmark.run.executors.worker import environment_of

#: Contender -> what it is.
CONTENDERS = {
    "literal": "Algorithm 1 with the D x D diagonal product",
    "plain": "PyTorch modules, no diagonal",
    "ours": "wpfs",
    "floor": "the matrix products alone",
}


@dataclass(frozen=True)
class StepTimes:
    """Median milliseconds per training step for one width and number of threads.

    ``plain_process`` holds ours and the floor measured again without the workers' memory settings,
    as somebody who imports the library has it.
    """

    features: int
    threads: int
    milliseconds: Mapping[str, float]
    plain_process: Mapping[str, float]
    skipped: str | None = None


@dataclass(frozen=True)
class SpeedReport:
    """Everything one ``wpfs-bench bench`` measured about training steps."""

    steps: list[StepTimes] = field(default_factory=list)
    peak_memory_mb: dict[int, dict[str, float]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self)


def measure_speed(
    widths: list[int], threads: list[int], quick: bool, announce: Callable[[str], None]
) -> SpeedReport:
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
        Told what is being measured.
    """
    report = SpeedReport()
    for width in widths:
        skipped = _reason_to_skip_literal(width)
        contenders = [name for name in CONTENDERS if name != "literal" or skipped is None]
        for count in threads:
            announce(f"steps at {width} features, threads: {count}")
            rounds = 2 if quick else _rounds(width)
            request = {"probe": "steps", "n_features": width, "threads": count}
            together = _probe({**request, "contenders": contenders, "rounds": rounds})
            alone = _probe(
                {**request, "contenders": ["ours", "floor"], "rounds": rounds}, tuned=False
            )
            report.steps.append(
                StepTimes(width, count, _medians(together), _medians(alone), skipped)
            )
        announce(f"peak memory at {width} features")
        report.peak_memory_mb[width] = {
            name: _probe({"probe": "memory", "contender": name, "n_features": width})
            for name in contenders
        }
    return report


def measure_parts(width: int, quick: bool) -> dict[str, float]:
    """Measure the parts of a step of ours and, beside it, the literal algorithm: milliseconds."""
    rounds = 2 if quick else _rounds(width)
    return _medians(_probe({"probe": "profile", "n_features": width, "rounds": rounds}))


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
    environment = {
        **os.environ,
        **(environment_of(request.get("threads", 1), None) if tuned else {}),
    }
    result = subprocess.run(
        [sys.executable, "-m", "benchmark.speed.probe", json.dumps(request)],
        capture_output=True,
        text=True,
        env=environment,
    )
    if result.returncode != 0:
        last = (result.stderr.strip().splitlines() or [f"exit code {result.returncode}"])[-1]
        raise RuntimeError(f"probe {request} failed: {last}")
    return json.loads(result.stdout)


def _medians(times: Mapping[str, list[float]]) -> dict[str, float]:
    return {name: median(values) for name, values in times.items()}
