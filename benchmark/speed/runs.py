"""Measures runs in worker processes: what the suite adds to one, and how many finish in a time."""

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmark.datasets.loading import DataSource
from benchmark.plan.jobs import Job, RunRequest, make_jobs
from benchmark.plan.key import FOLDS
from benchmark.results.store import Store
from benchmark.run.devices import plan_slots
from benchmark.run.executors.events import Executor, Finished
from benchmark.run.executors.local import LocalExecutor

_NO_OP = f"{Path(__file__).with_name('noop.py')}:NoOpClassifier"

#: Turns that executors take when they are compared.
_TURNS = 20

_TINY = "synthetic:samples=60,features=20,informative=2"


def measure_overhead(n_runs: int, executors: Mapping[str, Executor]) -> dict[str, Any]:
    """Time runs of a classifier that does nothing, the start of workers left out.

    The executors take turns, so that what else the machine does falls on all of them. The first
    run of a turn is not timed: a worker or a place may have to start for it.

    Parameters
    ----------
    n_runs
        Number of timed runs of each executor.
    executors
        With one place each.

    Returns
    -------
    dict
        Name of the executor -> ``runs``, ``ms_per_run`` and its part ``store_ms_per_run``.
    """
    size = -(-n_runs // _TURNS)
    n_turns = -(-n_runs // size)
    jobs = _make_jobs(n_turns * (size + 1), methods=[_NO_OP], sources=[DataSource(_TINY)])
    seconds, writing = dict.fromkeys(executors, 0.0), dict.fromkeys(executors, 0.0)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        store = Store(folder)
        for executor in executors.values():
            stack.enter_context(executor)
        for turn in (jobs[i : i + size + 1] for i in range(0, len(jobs), size + 1)):
            for name, executor in executors.items():
                begin = None
                for event in _finish(turn, executor):
                    received = time.perf_counter()
                    store.write(event.job.key, event.outcome.record, event.outcome.arrays)
                    if begin is None:
                        begin = time.perf_counter()
                    else:
                        writing[name] += time.perf_counter() - received
                assert begin is not None
                seconds[name] += time.perf_counter() - begin
    return {
        name: {
            "runs": n_turns * size,
            "ms_per_run": 1000 * seconds[name] / (n_turns * size),
            "store_ms_per_run": 1000 * writing[name] / (n_turns * size),
        }
        for name in executors
    }


def measure_scaling(
    workers: Sequence[int], n_features: int, steps: int, n_runs: int
) -> dict[int, dict[str, Any]]:
    """Time the same short runs of WPFS with each number of worker processes, one thread each.

    Parameters
    ----------
    workers
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
        Workers -> ``runs`` and ``seconds`` from the first run after warming up to the last.
    """
    found = {}
    for count in workers:
        jobs = _make_jobs(
            n_runs + count,
            methods=["wpfs"],
            sources=[DataSource(f"synthetic:features={n_features}")],
            preset="default",
            # Patience equals the step limit, so no run stops early.
            overrides={"max_steps": steps, "patience": steps},
        )
        executor = LocalExecutor(plan_slots([], count))
        ends = [time.perf_counter() for _ in _run(jobs, executor)]
        found[count] = {"runs": n_runs, "seconds": ends[-1] - ends[count - 1]}
    return found


#: Methods whose whole runs are compared: the other gates and graphs against MLP and WPFS.
RIVALS = ("mlp", "wpfs", "gcondnet", "protogate", "stg")

#: Where they are compared -> a synthetic table as large, for where that is not downloaded.
_COMPARED_ON = {
    "prostate": "synthetic:samples=102,features=5966",
    "toxicity": "synthetic:samples=171,features=5748,classes=4",
}
_SMALL = "synthetic:samples=90,features=200,informative=20"


def measure_rivals(quick: bool) -> list[dict[str, Any]]:
    """Time whole runs of the networks to the end of their training, one thread, one worker.

    On each data set they take turns, split by split: how long a training goes on differs more
    between splits than between methods.

    Returns
    -------
    list
        Per data set ``dataset``, and ``methods``: name -> ``seconds`` and ``steps`` of its runs.
    """
    names = [n if DataSource(n).is_ready() else like for n, like in _COMPARED_ON.items()]
    return [_time_rivals(name, 1 if quick else FOLDS) for name in ([_SMALL] if quick else names)]


def _time_rivals(name: str, n_splits: int) -> dict[str, Any]:
    of_method = [
        _make_jobs(n_splits, methods=[method], sources=[DataSource(name)]) for method in RIVALS
    ]
    # The first run of a process loads libraries and compiled code; it is repeated.
    jobs = [of_method[0][0], *(job for turn in zip(*of_method, strict=True) for job in turn)]
    events = list(_run(jobs, LocalExecutor(plan_slots([], 1))))[1:]
    runs: dict[str, dict[str, Any]] = {m: {"seconds": [], "steps": []} for m in RIVALS}
    for event in events:
        runs[event.job.key.model]["seconds"].append(event.outcome.record["seconds"])
        runs[event.job.key.model]["steps"].append(event.outcome.record["steps"])
    return {"dataset": jobs[0].key.dataset, "methods": runs}


def _make_jobs(n_runs: int, **request: Any) -> list[Job]:
    return make_jobs(RunRequest(repeats=-(-n_runs // FOLDS), **request))[:n_runs]


def _run(jobs: Sequence[Job], executor: Executor) -> Iterator[Finished]:
    """Do the jobs with an executor of their own."""
    with executor:
        yield from _finish(jobs, executor)


def _finish(jobs: Sequence[Job], executor: Executor) -> Iterator[Finished]:
    """Do the jobs, yielding each as it ends; a failure is an error."""
    for event in executor.run(jobs):
        if isinstance(event, Finished):
            if event.outcome.status != "ok":
                raise RuntimeError(f"a run failed: {event.outcome.record['error']}")
            yield event
