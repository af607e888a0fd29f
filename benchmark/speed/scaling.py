"""Measures how many short WPFS runs finish in a time, by the number of worker processes."""

import time
from typing import Any

from benchmark.datasets.loading import DataSource
from benchmark.plan.jobs import Request, make_jobs
from benchmark.run.devices import plan_slots
from benchmark.run.executors.events import Finished
from benchmark.run.executors.local import LocalExecutor


def measure_scaling(
    jobs: list[int], n_features: int, steps: int, n_runs: int
) -> dict[int, dict[str, Any]]:
    """Time the same runs with each number of worker processes, one thread each.

    Parameters
    ----------
    jobs
        Numbers of worker processes.
    n_features
        D of the synthetic table.
    steps
        Training steps of a run.
    n_runs
        Runs that are timed, after one per worker that warms it up.

    Returns
    -------
    dict
        Jobs -> ``runs`` and ``seconds`` from the first run after warming up to the last.
    """
    source = DataSource(f"synthetic:features={n_features}")
    found = {}
    for count in jobs:
        # Patience equals the step limit, so no run stops early.
        request = Request(
            methods=["wpfs"],
            sources=[source],
            hyperparameters="default",
            overrides={"max_steps": steps, "patience": steps},
            repeats=-(-(n_runs + count) // 5),
        )
        ends = []
        with LocalExecutor(plan_slots([], count)) as executor:
            for event in executor.run(make_jobs(request)[: n_runs + count]):
                if isinstance(event, Finished):
                    if event.outcome.status != "ok":
                        raise RuntimeError(f"a run failed: {event.outcome.record['error']}")
                    ends.append(time.perf_counter())
        found[count] = {"runs": n_runs, "seconds": ends[-1] - ends[count - 1]}
    return found
