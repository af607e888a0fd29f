"""What executors have in common: the events they yield and the limits they keep."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self

from benchmark.run.devices import Slot

if TYPE_CHECKING:
    from benchmark.plan.jobs import Job
    from benchmark.run.execute import Outcome


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
    outcome: "Outcome"
    seconds: float


class Executor(Protocol):
    """Does jobs somewhere; a context that ends all work when it is left."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def run(self, jobs: Iterable["Job"]) -> Iterator[Started | Finished]:
        """Do the jobs, yielding an event whenever one starts or ends."""


def make_failure(
    job: "Job",
    device: str,
    threads: int,
    started: str,
    seconds: float,
    reason: str,
    status: str = "failed",
) -> "Outcome":
    """Return the outcome of a run that could not report itself."""
    from benchmark.run.execute import Outcome
    from benchmark.run.provenance import describe_environment

    return Outcome(
        {
            **job.description,
            **describe_environment(job.requires, device, threads, started),
            "status": status,
            "error": reason,
            "seconds": seconds,
        }
    )


def explain_timeout(seconds: float) -> str:
    """Return the record's line for a run that took too long."""
    return f"stopped after {seconds:g} s (--timeout)"
