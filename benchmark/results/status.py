"""What a results folder holds against what was asked for: done, failed and missing runs."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmark.plan.key import RunKey
from benchmark.results.expected import read_expected
from benchmark.results.store import read_records

if TYPE_CHECKING:
    from benchmark.plan.jobs import Job
    from benchmark.results.store import Store


class Cell(NamedTuple):
    """What is counted together: runs of other folds are runs of another protocol."""

    dataset: str
    model: str
    folds: int


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

    def __add__(self, other: "Counts") -> "Counts":
        """Return the runs of both."""
        return Counts(
            self.done + other.done, self.failed + other.failed, self.missing + other.missing
        )


@dataclass
class FolderStatus:
    """The state of a results folder.

    Parameters
    ----------
    cells
        Counts by data set, model and number of folds.
    failures
        Records of runs that failed or ran out of time.
    stale
        Number of records of another method version, protocol or data; not counted elsewhere.
    unreadable
        Damaged records and plans; not counted elsewhere.
    """

    cells: dict[Cell, Counts] = field(default_factory=dict)
    failures: list[dict[str, Any]] = field(default_factory=list)
    stale: int = 0
    unreadable: list[Path] = field(default_factory=list)

    @property
    def folds(self) -> list[int]:
        """Numbers of folds, sorted."""
        return sorted({cell.folds for cell in self.cells})

    def of_folds(self, folds: int) -> dict[tuple[str, str], Counts]:
        """Return the counts of one number of folds by data set and model."""
        return {
            (cell.dataset, cell.model): counts
            for cell, counts in self.cells.items()
            if cell.folds == folds
        }


def count_runs(folder: Path) -> FolderStatus:
    """Count the records of a folder against what was asked for."""
    found = FolderStatus()
    expected = read_expected(folder, found.unreadable)
    present: set[str] = set()
    folds: dict[str, int] = {}
    begin = len(f"{folder}{os.sep}")
    for record in read_records(folder, found.unreadable, expected):
        if record["stale"]:
            found.stale += 1
            continue
        run = record["path"][begin : -len(".json")].replace(os.sep, "/")
        present.add(run)
        folds[run.rpartition("/")[0]] = record["folds"]
        counts = found.cells.setdefault(
            Cell(record["dataset"], record["model"], record["folds"]), Counts()
        )
        if record["status"] == "ok":
            counts.done += 1
        else:
            counts.failed += 1
            found.failures.append(record)
    for run, (dataset, model, planned) in expected.list_runs().items():
        if run not in present:
            # Records are sure of their folds, early plans are not.
            cell = Cell(dataset, model, folds.get(run.rpartition("/")[0], planned))
            found.cells.setdefault(cell, Counts()).missing += 1
    return found


@dataclass(frozen=True)
class JobStatus:
    """What a store has of the jobs that are asked for.

    Parameters
    ----------
    jobs
        All that are asked for.
    records
        Key -> record of those that were run before.
    """

    jobs: Sequence["Job"]
    records: Mapping[RunKey, Mapping[str, Any]]

    @cached_property
    def done(self) -> list["Job"]:
        """Jobs whose runs succeeded."""
        return [job for job in self.jobs if self._get_status(job) == "ok"]

    @cached_property
    def failed(self) -> list["Job"]:
        """Jobs whose runs failed or ran out of time."""
        return [job for job in self.jobs if self._get_status(job) not in ("ok", None)]

    def choose_pending(self, force: bool = False, retry_failed: bool = False) -> list["Job"]:
        """Return the jobs to do: those that are not done, or all, or only those that failed."""
        if force:
            return list(self.jobs)
        if retry_failed:
            return self.failed
        return [job for job in self.jobs if self._get_status(job) != "ok"]

    def _get_status(self, job: "Job") -> str | None:
        record = self.records.get(job.key)
        return None if record is None else record["status"]


def read_job_status(store: "Store", jobs: Sequence["Job"]) -> JobStatus:
    """Read the records of the jobs that were run before, each once."""
    found = {job.key: store.read_record(job.key) for job in jobs}
    return JobStatus(jobs, {key: record for key, record in found.items() if record is not None})
