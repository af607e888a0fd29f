"""How long runs will take, from how long others took."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmark.runner import Job
    from benchmark.store import Store

Cell = tuple[str, str]
"""Model and data set."""


class Durations:
    """Measured seconds of runs, by model and data set."""

    def __init__(self) -> None:
        self._seconds: Counter[tuple[str, ...]] = Counter()
        self._runs: Counter[tuple[str, ...]] = Counter()

    def add(self, cell: Cell, seconds: float) -> None:
        """Take note of a run."""
        for group in (cell, cell[:1], ()):
            self._seconds[group] += seconds  # type: ignore[assignment]
            self._runs[group] += 1

    def expect(self, cell: Cell) -> float | None:
        """Return the mean of like runs, else of the model's, else of all; None if there is none."""
        for group in (cell, cell[:1], ()):
            if self._runs[group]:
                return self._seconds[group] / self._runs[group]
        return None

    def expect_all(self, counts: Mapping[Cell, int], workers: int) -> float | None:
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
                seconds = self.expect(cell)
                if seconds is None:
                    return None
                total += seconds * count
        return total / max(1, min(workers, sum(counts.values())))


def measure_durations(store: "Store", jobs: Iterable["Job"]) -> Durations:
    """Read how long the finished jobs of a store took."""
    durations = Durations()
    for job in jobs:
        record = store.read_record(job.key)
        if record is not None and record.get("seconds") is not None:
            durations.add(job.cell, record["seconds"])
    return durations
