from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Self

import numpy as np

from benchmark.plan.jobs import Job
from benchmark.results.arrays import read_arrays
from benchmark.results.store import Store
from benchmark.run.devices import Slot
from benchmark.run.execute import Outcome
from benchmark.run.executors.events import Finished, Started
from benchmark.run.forecast import DurationEstimator
from benchmark.run.progress import View
from benchmark.run.session import SessionResult, run_session


def test_failures_that_differ_in_measured_memory_only_are_one_group(
    make_tiny_jobs: Callable[..., list[Job]],
) -> None:
    errors = [
        "used 512 MB of memory, more than the 500 MB of --memory-limit",
        "ValueError: no",
        "used 1,030 MB of memory, more than the 500 MB of --memory-limit",
    ]
    failed = [
        Finished(job, Slot(0), Outcome({"status": "failed", "error": error}), 1.0)
        for job, error in zip(make_tiny_jobs("Constant"), errors, strict=False)
    ]
    groups = SessionResult(failed=failed).group_failures()
    assert [count for count, _ in groups] == [2, 1]
    assert groups[0][1].endswith(" used more memory than the 500 MB of --memory-limit")


class Scripted:
    """An executor that gives prepared outcomes."""

    def __init__(self, *outcomes: Outcome) -> None:
        self.outcomes = outcomes

    n_places = 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def run(self, jobs: Iterable[Job]) -> Iterator[Started | Finished]:
        for job, outcome in zip(jobs, self.outcomes, strict=True):
            yield Finished(job, Slot(0), outcome, 1.0)


def run_once(job: Job, store: Store, outcome: Outcome) -> SessionResult:
    return run_session([job], store, Scripted(outcome), View(), DurationEstimator())


def test_a_failure_does_not_replace_a_result(
    make_tiny_jobs: Callable[..., list[Job]], tmp_path: Path
) -> None:
    store, job = Store(tmp_path), make_tiny_jobs("Constant")[0]
    good = Outcome({"status": "ok", "error": "", "seconds": 1.0}, {"proba": np.ones(2)})
    bad = Outcome({"status": "timeout", "error": "too long", "seconds": 1.0})
    run_once(job, store, good)
    assert len(run_once(job, store, bad).failed) == 1
    assert store.read_status(job.key) == "ok"


def test_a_result_replaces_a_failure_and_a_failure_has_no_arrays(
    make_tiny_jobs: Callable[..., list[Job]], tmp_path: Path
) -> None:
    store, job = Store(tmp_path), make_tiny_jobs("Constant")[0]
    arrays = {"proba": np.ones(2)}
    store.write(job.key, {"status": "ok"}, arrays)
    path = store.write(job.key, {"status": "failed"}, None)
    assert read_arrays(path) == {}
    run_once(job, store, Outcome({"status": "ok", "error": "", "seconds": 1.0}, arrays))
    assert store.read_status(job.key) == "ok"
