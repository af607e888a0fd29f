"""What executors have in common: the events they yield and the limits they keep."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol, Self

from benchmark.run.devices import Slot
from benchmark.run.outcome import Outcome

if TYPE_CHECKING:
    from benchmark.plan.jobs import Job


@dataclass(frozen=True)
class Limits:
    """What a run may use.

    Parameters
    ----------
    seconds
        Wall time, None for no limit.
    memory_mb
        Resident memory of the worker, None for no limit.
    """

    seconds: float | None = None
    memory_mb: float | None = None


@dataclass(frozen=True)
class Started:
    """A worker has begun a job."""

    job: "Job"
    slot: Slot


@dataclass(frozen=True)
class Finished:
    """A job is over, well or badly; ``seconds`` counts from its start."""

    job: "Job"
    slot: Slot
    outcome: Outcome
    seconds: float


@dataclass(frozen=True)
class Notice:
    """A line for people about where the jobs are done: a node came, for example."""

    text: str


Event = Started | Finished | Notice


@dataclass(frozen=True)
class RunningJob:
    """A job that was given to a worker.

    Parameters
    ----------
    job, slot, threads
        What runs where, and with how many threads.
    begin
        By the monotonic clock.
    started
        Date and time, for the record.
    """

    job: "Job"
    slot: Slot
    threads: int
    begin: float = field(default_factory=time.monotonic)
    started: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))

    @property
    def seconds(self) -> float:
        """Wall time so far."""
        return time.monotonic() - self.begin

    def finish(self, outcome: Outcome) -> Finished:
        """Return the event that the job is over."""
        return Finished(self.job, self.slot, outcome, self.seconds)

    def fail(self, reason: str, status: str = "failed") -> Finished:
        """Return the event that the job ended without an outcome of its own."""
        from benchmark.run.provenance import describe_environment

        job, device = self.job, self.slot.device
        record = {
            **job.description,
            **describe_environment(job.requires, device, self.threads, self.started),
            "status": status,
            "error": reason,
            "seconds": self.seconds,
        }
        return self.finish(Outcome(record))

    def time_out(self, seconds: float) -> Finished:
        """Return the event that the job was stopped after so many seconds."""
        return self.fail(f"stopped after {seconds:g} s (--timeout)", "timeout")


class Executor(Protocol):
    """Does jobs somewhere; a context that ends all work when it is left."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def run(self, jobs: Iterable["Job"]) -> Iterator[Event]:
        """Do the jobs, yielding an event whenever one starts or ends."""

    @property
    def n_places(self) -> int:
        """How many jobs run side by side, as far as is known now."""
