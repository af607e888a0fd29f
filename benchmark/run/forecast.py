"""Estimates how long runs will take from those that are done."""

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmark.plan.key import RunKey

if TYPE_CHECKING:
    from benchmark.plan.jobs import Job

Cell = tuple[str, str]
"""Model and data set."""


_Means = dict[Cell, tuple[float, int]]
"""Mean seconds and number of runs."""

_NOTHING = (0.0, 0)


def _add(means: _Means, cell: Cell, seconds: float) -> None:
    mean, number = means.get(cell, _NOTHING)
    means[cell] = (mean + (seconds - mean) / (number + 1), number + 1)


class DurationEstimator:
    """Estimates how long runs take from those that are done.

    Runs of the same model on the same data set count first. Without one, runs of the model
    elsewhere (on other data sets, on another machine) count, scaled by how much longer other
    models took here than there. Where no model was run here nothing is known.
    """

    def __init__(self) -> None:
        self._here: _Means = {}
        self._elsewhere: _Means = {}

    @classmethod
    def from_records(
        cls, jobs: Iterable["Job"], records: Mapping[RunKey, Mapping[str, Any]]
    ) -> "DurationEstimator":
        """Count jobs that are done, by their records."""
        estimator = cls()
        for job in jobs:
            if (seconds := records[job.key].get("seconds")) is not None:
                estimator.add(job.cell, seconds)
        return estimator

    def add(self, cell: Cell, seconds: float) -> None:
        """Count a run that is done."""
        _add(self._here, cell, seconds)

    def add_elsewhere(self, cell: Cell, seconds: float) -> None:
        """Count a run of another time or machine."""
        _add(self._elsewhere, cell, seconds)

    def estimate(self, cell: Cell) -> float | None:
        """Return the expected seconds of a run, None if nothing is known."""
        if cell in self._here:
            return self._here[cell][0]
        scaled = []
        for means in (self._here, self._elsewhere):
            for (model, dataset), (mean, _) in means.items():
                if model == cell[0]:
                    scaled += [mean * ratio for ratio in self._compare(cell[1], means, dataset)]
        return median(scaled) if scaled else None

    def _compare(self, dataset: str, means: "_Means", other: str) -> Iterator[float]:
        """Return how many times as long each model took here on a data set as on another."""
        for (model, where), (mean, _) in self._here.items():
            if where == dataset and means.get((model, other), _NOTHING)[0] > 0:
                yield mean / means[model, other][0]

    def estimate_jobs(self, jobs: Iterable["Job"], workers: int) -> float | None:
        """Return the expected wall time of jobs, as ``estimate_all`` does."""
        return self.estimate_all(Counter(job.cell for job in jobs), workers)

    def estimate_all(self, counts: Mapping[Cell, int], workers: int) -> float | None:
        """Return the expected wall time of runs shared by workers, None if nothing is known.

        Parameters
        ----------
        counts
            Number of runs per model and data set.
        workers
            Runs done side by side.
        """
        total = 0.0
        for cell, count in counts.items():
            if count:
                seconds = self.estimate(cell)
                if seconds is None:
                    return None
                total += seconds * count
        return total / max(1, min(workers, sum(counts.values())))


@dataclass(frozen=True)
class ReferenceTimes:
    """Mean seconds of reference runs, and the sizes by which they hold for other data sets.

    Parameters
    ----------
    means
        By model and data set.
    sizes
        Samples × features of data sets.
    """

    means: Mapping[Cell, float]
    sizes: Mapping[str, int]

    @classmethod
    def from_runs(
        cls, runs: Iterable[tuple[str, str, float]], sizes: Mapping[str, int]
    ) -> "ReferenceTimes":
        """Average the runs: model, data set, seconds."""
        means: _Means = {}
        for model, dataset, seconds in runs:
            _add(means, (model, dataset), seconds)
        return cls({cell: mean for cell, (mean, _) in means.items()}, sizes)

    def estimate(self, cell: Cell) -> float | None:
        """Return the expected seconds of a run, None if the model has no reference runs."""
        return self.means.get(cell) or self.estimate_by_size(cell)

    def estimate_by_size(self, cell: Cell) -> float | None:
        """Return what the runs of the model on other data sets let expect, by their sizes."""
        model, dataset = cell
        scaled = [
            mean * self.sizes[dataset] / self.sizes[other]
            for (name, other), mean in self.means.items()
            if name == model and other != dataset and {dataset, other} <= self.sizes.keys()
        ]
        return median(scaled) if scaled else None

    def check_sizes(self, models: Collection[str]) -> list[float]:
        """Return, for runs that were done, estimates by size over true times, in order."""
        pairs = (
            (self.estimate_by_size(cell), mean)
            for cell, mean in self.means.items()
            if cell[0] in models
        )
        return sorted(estimate / mean for estimate, mean in pairs if estimate and mean)


def schedule(seconds: Iterable[float], workers: int) -> float:
    """Return when the last of runs ends that workers take in this order, each when it is free."""
    ends = [0.0] * workers
    for duration in seconds:
        heapq.heappushpop(ends, ends[0] + duration)
    return max(ends)
