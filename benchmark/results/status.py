"""What a results folder holds against what was asked for: done, failed and missing runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
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
class FolderStatus:
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


def count_runs(folder: Path) -> FolderStatus:
    """Count the records of a folder against what was asked for."""
    expected = read_expected(folder)
    found = FolderStatus()
    present = set()
    for record in read_records(folder, expected=expected):
        if record["stale"]:
            found.stale += 1
            continue
        present.add(Path(record["path"]).relative_to(folder).with_suffix("").as_posix())
        counts = found.cells.setdefault((record["dataset"], record["model"]), Counts())
        if record["status"] == "ok":
            counts.done += 1
        else:
            counts.failed += 1
            found.failures.append(record)
    for path, cell in expected.list_runs().items():
        if path not in present:
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
