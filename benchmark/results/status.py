"""What a results folder holds against what was asked for: done, failed and missing runs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmark.plan.key import RunKey
from benchmark.results.expected import read_expected
from benchmark.results.store import read_records

if TYPE_CHECKING:
    from benchmark.plan.jobs import Job
    from benchmark.results.store import Store


@dataclass
class Counts:
    """Runs of one model on one data set."""

    done: int = 0
    failed: int = 0
    missing: int = 0

    @property
    def total(self) -> int:
        """All runs that are there or were asked for."""
        return self.done + self.failed + self.missing


@dataclass
class Overview:
    """The state of a results folder.

    Parameters
    ----------
    cells
        (data set, model) -> counts.
    failures
        Records of runs that failed or ran out of time.
    stale
        Number of records of another method version, protocol or data; not counted elsewhere.
    """

    cells: dict[tuple[str, str], Counts] = field(default_factory=dict)
    failures: list[dict[str, Any]] = field(default_factory=list)
    stale: int = 0

    @property
    def datasets(self) -> list[str]:
        """Data sets, sorted."""
        return sorted({dataset for dataset, _ in self.cells})

    @property
    def models(self) -> list[str]:
        """Models, sorted."""
        return sorted({model for _, model in self.cells})


def make_overview(folder: Path) -> Overview:
    """Count the records of a folder against what was asked for."""
    return count_records(read_records(folder), read_expected(folder), folder)


def count_records(
    records: Iterable[dict[str, Any]], expected: dict[str, tuple[str, str]], folder: Path
) -> Overview:
    """Count records against expected paths (``plans.read_expected``)."""
    overview = Overview()
    present = set()
    for record in records:
        if record["stale"]:
            overview.stale += 1
            continue
        present.add(Path(record["path"]).relative_to(folder).with_suffix("").as_posix())
        counts = overview.cells.setdefault((record["dataset"], record["model"]), Counts())
        if record["status"] == "ok":
            counts.done += 1
        else:
            counts.failed += 1
            overview.failures.append(record)
    for path, cell in expected.items():
        if path not in present:
            overview.cells.setdefault(cell, Counts()).missing += 1
    return overview


@dataclass(frozen=True)
class Backlog:
    """Jobs by what the store has of them; ``records`` holds those of done and failed ones."""

    done: list["Job"] = field(default_factory=list)
    failed: list["Job"] = field(default_factory=list)
    missing: list["Job"] = field(default_factory=list)
    records: dict[RunKey, dict[str, Any]] = field(default_factory=dict)

    def list_finished(self) -> Iterator[tuple["Job", dict[str, Any]]]:
        """Yield the jobs that are done with their records."""
        for job in self.done:
            yield job, self.records[job.key]


def sort_jobs(store: "Store", jobs: Sequence["Job"]) -> Backlog:
    """Look up which jobs are done."""
    backlog = Backlog()
    for job in jobs:
        record = store.read_record(job.key)
        if record is None:
            backlog.missing.append(job)
            continue
        backlog.records[job.key] = record
        (backlog.done if record["status"] == "ok" else backlog.failed).append(job)
    return backlog


def choose_pending(
    backlog: Backlog, planned: Sequence["Job"], force: bool = False, retry_failed: bool = False
) -> list["Job"]:
    """Return the jobs to do: what is not ``ok``, or everything, or only what failed."""
    if force:
        return list(planned)
    if retry_failed:
        return list(backlog.failed)
    done = {job.key for job in backlog.done}
    return [job for job in planned if job.key not in done]
