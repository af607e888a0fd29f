"""Runs aggregated to one cell per data set and method."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from benchmark.datasets.splits import FOLDS
from benchmark.run.metrics import Metric

#: With more sets of data sets than these only the largest are tried: no real table comes near.
_MOST_SETS = 5_000


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

    def find_complete(self, keep: Sequence[str] = ()) -> "Scores":
        """Return the largest part with enough runs in every cell: what ranks and tests are about.

        Enough are those of one repeat, which tests every patient once, or as many as any method
        has, failed ones included. Nothing is imputed, so either data sets or methods have to go.
        The part stays that has most differences between methods within data sets, (data sets - 1)
        x (methods - 1): the degrees of freedom that Friedman's test has. Of equal parts the one
        with more cells stays, then that with more data sets.

        Parameters
        ----------
        keep
            Methods that have to be in it; without a data set that all of them have it is empty.
        """
        ended = self.n + self.failed + self.unmeasured
        full = ended.ge(ended.max(axis=1).clip(1, FOLDS), axis=0) & self.mean.notna()
        bits = [1 << place for place in range(len(self.datasets))]
        masks = {m: sum(bit for bit, has in zip(bits, full[m], strict=True) if has) for m in full}
        start = sum(bits)
        for method in keep:
            start &= masks[method]
        # Every set of data sets that some methods have in common; the best is among them.
        common = {start}
        for mask in sorted(set(masks.values()), key=lambda mask: (-mask.bit_count(), mask)):
            common |= {known & mask for known in common}
            if len(common) > _MOST_SETS:
                by_size = sorted(common, key=lambda known: (-known.bit_count(), known))
                common = set(by_size[:_MOST_SETS])

        def size(datasets: int) -> tuple[int, ...]:
            methods = sum(mask & datasets == datasets for mask in masks.values())
            if methods < min(2, len(masks)):  # one alone has no rank
                return (0,)
            n = datasets.bit_count()
            return (n - 1) * (methods - 1), n * methods, n, -datasets

        best = max(common, key=size)
        best = best if len(size(best)) > 1 else 0
        return self.select(
            [name for name, bit in zip(self.datasets, bits, strict=True) if bit & best],
            [method for method in self.methods if best and masks[method] & best == best],
        )

    @cached_property
    def unrun(self) -> list[str]:
        """The data sets on which nothing at all was run."""
        runs = (self.n + self.failed + self.unmeasured).sum(axis=1)
        return list(runs.index[runs == 0])

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
    frame = frame[["dataset", by, "status", metric.column]]
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
