"""Does the jobs of a ``run``: an executor does them, a store keeps them, a view shows them."""

import re
import signal
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from benchmark.plan.key import RunKey
from benchmark.run.executors.events import Executor, Finished, Notice, Started
from benchmark.run.forecast import DurationEstimator

if TYPE_CHECKING:
    import numpy as np

    from benchmark.plan.jobs import Job
    from benchmark.run.progress import View


@contextmanager
def stop_on_termination() -> Iterator[None]:
    """Let SIGTERM, which batch systems send first, act as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def hold_interrupts() -> Iterator[None]:
    """Delay interrupts to the end of the block, so that what is computed gets written."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []

    def hold(number: int, _: object) -> None:
        held.append(number)

    before = {number: signal.signal(number, hold) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if held:
        signal.raise_signal(held[0])


class ResultSink(Protocol):
    """Takes results; ``benchmark.results.store.Store`` is one."""

    def lock(self) -> AbstractContextManager[None]:
        """Keep others from writing meanwhile."""

    def read_status(self, key: RunKey) -> str | None:
        """Return the status of a run that is there already, None if there is none."""

    def write(
        self, key: RunKey, record: Mapping[str, Any], arrays: "Mapping[str, np.ndarray] | None"
    ) -> object:
        """Keep a record and its arrays."""

    def write_names(self, checksum: str, names: "np.ndarray") -> None:
        """Keep the names of the features of the table with a checksum."""


@dataclass
class SessionResult:
    """How the jobs of a session ended.

    Parameters
    ----------
    ok
        Number of runs that succeeded.
    failed
        Those that did not.
    records
        Key -> record of every run that was written.
    """

    ok: int = 0
    failed: list[Finished] = field(default_factory=list)
    records: dict[RunKey, Mapping[str, Any]] = field(default_factory=dict)

    def group_failures(self) -> list[tuple[int, str]]:
        """Return how often which failure happened, the most frequent first."""
        counts = Counter(
            f"{event.job.key.dataset} {event.job.key.model}: "
            + _leave_out_measurement(event.outcome.record["error"])
            for event in self.failed
        )
        return [(count, text) for text, count in counts.most_common()]


def _leave_out_measurement(error: str) -> str:
    """Make failures alike that differ only in how far a run got past the memory limit."""
    return re.sub(r"used [\d,]+ MB of memory, more than", "used more memory than", error)


def run_session(
    jobs: Sequence["Job"],
    store: ResultSink,
    executor: Executor,
    view: "View",
    estimator: DurationEstimator,
) -> SessionResult:
    """Do jobs and write each result the moment it is there.

    Parameters
    ----------
    jobs
        What to do.
    store
        Where results go.
    executor
        Does the jobs; the caller closes it.
    view
        Shows every start and end, after the result is safe.
    estimator
        Of the time that is left; learns from every run.
    """
    result = SessionResult()
    waiting = Counter(job.cell for job in jobs)
    for event in executor.run(jobs):
        if isinstance(event, Started):
            view.on_start(event)
            continue
        if isinstance(event, Notice):
            view.on_notice(event)
            continue
        with hold_interrupts():
            written = _record(event, store)
        waiting[event.job.cell] -= 1
        if written:
            result.records[event.job.key] = event.outcome.record
        if event.outcome.status == "ok":
            result.ok += 1
            estimator.add(event.job.cell, event.outcome.record["seconds"])
        else:
            result.failed.append(event)
        view.on_finish(event, estimator.estimate_all(waiting, executor.n_places))
    return result


def keep_feature_names(jobs: Sequence["Job"], store: ResultSink) -> None:
    """Keep the names of the features of tables of the user's: nothing else in a store has them."""
    from benchmark.datasets.loading import load_dataset

    tables = {job.key.dataset_checksum: job.source for job in jobs if job.source.own}
    for checksum, source in tables.items():
        store.write_names(checksum, load_dataset(source).feature_names)


def _record(event: Finished, store: ResultSink) -> bool:
    """Write the outcome of a run, unless it failed where an earlier one succeeded (--force).

    Returns whether it was written.
    """
    key, outcome = event.job.key, event.outcome
    with store.lock():
        if outcome.status != "ok" and store.read_status(key) == "ok":
            return False
        store.write(key, outcome.record, outcome.arrays)
    return True
