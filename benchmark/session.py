"""Does the jobs of a ``run``: executor in front, store behind, a view told of everything."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from benchmark.estimates import Durations
from benchmark.executors.events import Executor, Finished, Started
from benchmark.interrupts import hold_interrupts

if TYPE_CHECKING:
    from benchmark.runner import Job
    from benchmark.store import Store


class View(Protocol):
    """Shows a session to people."""

    def on_start(self, event: Started) -> None:
        """Show that a job began."""

    def on_finish(self, event: Finished, remaining: float | None) -> None:
        """Show that a job ended; ``remaining`` is the expected time to the end in seconds."""


@dataclass
class Tally:
    """How the jobs of a session ended."""

    ok: int = 0
    failed: list[Finished] = field(default_factory=list)

    def group_failures(self) -> list[tuple[int, str]]:
        """Return how often which failure happened, the most frequent first."""
        told = Counter(
            f"{event.job.key.dataset} {event.job.key.model}: "
            + _leave_out_measurement(event.outcome.record["error"])
            for event in self.failed
        )
        return [(count, text) for text, count in told.most_common()]


def _leave_out_measurement(error: str) -> str:
    """Make failures alike that differ only in how far a run got past the memory limit."""
    return re.sub(r"used [\d,]+ MB of memory, more than", "used more memory than", error)


def run_session(
    jobs: Sequence["Job"],
    store: "Store",
    executor: Executor,
    view: View,
    durations: Durations,
    workers: int,
) -> Tally:
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
        Is told of every start and end, after the result is safe.
    durations
        What is known of how long runs take; added to.
    workers
        How many jobs run side by side, for the expected time.
    """
    tally = Tally()
    waiting = Counter(job.cell for job in jobs)
    for event in executor.run(jobs):
        if isinstance(event, Started):
            view.on_start(event)
            continue
        with hold_interrupts():
            _record(event, store)
        waiting[event.job.cell] -= 1
        if event.outcome.status == "ok":
            tally.ok += 1
            durations.add(event.job.cell, event.outcome.record["seconds"])
        else:
            tally.failed.append(event)
        view.on_finish(event, durations.expect_all(waiting, workers))
    return tally


def _record(event: Finished, store: "Store") -> None:
    """Write the outcome of a run, unless it failed where an earlier one succeeded (--force)."""
    key, outcome = event.job.key, event.outcome
    if outcome.status == "ok" or store.read_status(key) != "ok":
        store.write(key, outcome.record, outcome.arrays)
