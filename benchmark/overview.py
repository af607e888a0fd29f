"""What a results folder holds: done, failed and missing runs per data set and model."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmark.plans import read_expected
from benchmark.store import read_records


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
