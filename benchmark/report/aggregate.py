"""Runs aggregated to one cell per data set and method."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from benchmark.run.metrics import Metric


@dataclass(frozen=True)
class Scores:
    """A metric per data set (rows) and method or variant (columns).

    Parameters
    ----------
    metric
        What was measured.
    mean, std
        Over the runs that ended well, as stored (fractions); NaN where there is none. ``std`` is
        the sample standard deviation, NaN for a single run.
    n, failed
        How many runs are behind the mean, and how many failed or ran out of time.
    unmeasured
        How many ended well without the metric: a method that gives no probabilities has no AUROC.
    """

    metric: Metric
    mean: pd.DataFrame
    std: pd.DataFrame
    n: pd.DataFrame
    failed: pd.DataFrame
    unmeasured: pd.DataFrame

    @property
    def datasets(self) -> list[str]:
        """Row names."""
        return list(self.mean.index)

    @property
    def methods(self) -> list[str]:
        """Column names."""
        return list(self.mean.columns)

    @cached_property
    def printed(self) -> pd.DataFrame:
        """The means as they are printed, so that ranks and bold follow what a reader sees."""
        digits, scale = self.metric.digits, self.metric.scale
        return self.mean.map(lambda value: float(f"{value * scale:.{digits}f}"))

    def complete_datasets(self) -> list[str]:
        """Return the data sets on which every method has a result."""
        return list(self.mean.index[self.mean.notna().all(axis=1)])

    @cached_property
    def _unrun(self) -> list[str]:
        runs = (self.n + self.failed + self.unmeasured).sum(axis=1)
        return list(runs.index[runs == 0])

    def list_unrun(self) -> list[str]:
        """Return the data sets on which nothing at all was run."""
        return self._unrun

    def list_failed(self, dataset: str) -> list[str]:
        """Return the methods whose runs on a data set all failed."""
        failed = (self.n.loc[dataset] == 0) & (self.failed.loc[dataset] > 0)
        return [method for method in self.methods if failed[method]]

    def select(self, datasets: Sequence[str], methods: Sequence[str]) -> "Scores":
        """Return these rows and columns in this order; absent ones become empty cells."""
        index, columns = list(datasets), list(methods)
        return Scores(
            self.metric,
            self.mean.reindex(index=index, columns=columns),
            self.std.reindex(index=index, columns=columns),
            self.n.reindex(index=index, columns=columns, fill_value=0),
            self.failed.reindex(index=index, columns=columns, fill_value=0),
            self.unmeasured.reindex(index=index, columns=columns, fill_value=0),
        )


def aggregate(frame: pd.DataFrame, metric: Metric, by: str = "model") -> Scores:
    """Aggregate runs (rows) to means, standard deviations and counts, data sets x ``by``."""
    ended_well = frame["status"].eq("ok")
    good = ended_well & frame[metric.column].notna()
    rows = pd.Index(sorted(frame["dataset"].unique()), name="dataset")
    columns = pd.Index(sorted(frame[by].unique()), name=by)

    def spread(runs: pd.Series, **missing: Any) -> pd.DataFrame:
        # pivot_table does the same with more overhead, and five are made per table.
        wide = runs.unstack(by, **missing)  # noqa: PD010
        return wide.reindex(index=rows, columns=columns, **missing)

    def count(runs: pd.DataFrame) -> pd.DataFrame:
        return spread(runs.groupby(["dataset", by]).size(), fill_value=0)

    scores = frame[good].groupby(["dataset", by])[metric.column]
    return Scores(
        metric,
        mean=spread(scores.mean()).astype(float),
        std=spread(scores.std()).astype(float),
        n=count(frame[good]),
        failed=count(frame[~ended_well]),
        unmeasured=count(frame[ended_well & ~good]),
    )
