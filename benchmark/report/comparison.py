"""Our numbers beside the paper's."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from benchmark.report.paper import PublishedTable, read_paper
from benchmark.report.remarks import DatasetRemark
from benchmark.report.scores import Scores


@dataclass(frozen=True)
class ComparedCell:
    """One cell of ours and the paper's.

    Parameters
    ----------
    dataset, method
        Of our table.
    ours, paper
        Means, as stored (fractions).
    errors
        (ours - paper) in standard errors of the difference; NaN for a single run of ours.
    stand_in
        Whether our data set only stands in for the paper's.
    """

    dataset: str
    method: str
    ours: float
    our_std: float
    n: int
    paper: float
    paper_std: float
    errors: float
    stand_in: bool

    @property
    def difference(self) -> float:
        """Ours minus the paper's."""
        return self.ours - self.paper

    @property
    def agrees(self) -> bool | None:
        """Whether the two lie within two standard errors; None if that is unknown."""
        return None if math.isnan(self.errors) else abs(self.errors) <= 2


def count_standard_errors(
    ours: float, our_std: float, n: int, paper: float, paper_std: float, paper_n: int
) -> float:
    """Return the difference of two means in units of its standard error; NaN if unknown."""
    error = math.sqrt(our_std**2 / n + paper_std**2 / paper_n)
    if math.isnan(error) or error == 0:
        return math.nan
    return float((ours - paper) / error)


def compare(
    scores: Scores,
    published: PublishedTable,
    columns: Mapping[str, str | None],
    remarks: Mapping[str, DatasetRemark],
) -> list[ComparedCell]:
    """Pair our cells with the paper's, those that both have.

    Parameters
    ----------
    scores
        Data sets x methods (or variants).
    published
        A table with standard deviations.
    columns
        Our method -> its column there, None if it has none.
    remarks
        Data set -> which of the paper's it is or stands in for.
    """
    runs = read_paper().runs
    cells = []
    for dataset in scores.datasets:
        remark = remarks.get(dataset, DatasetRemark(dataset))
        row = published.rows.get(remark.original)
        if row is None:
            continue
        by_column = dict(zip(published.columns, row, strict=True))
        scale = scores.metric.scale if published.percent else 1.0
        for method in scores.methods:
            column = columns.get(method)
            ours = scores.mean.loc[dataset, method]
            if column is None or column not in by_column or pd.isna(ours):
                continue
            mean, std = (value / scale for value in by_column[column])
            n, our_std = int(scores.n.loc[dataset, method]), scores.std.loc[dataset, method]
            cells.append(
                ComparedCell(
                    dataset,
                    method,
                    float(ours),
                    float(our_std),
                    n,
                    mean,
                    std,
                    count_standard_errors(ours, our_std, n, mean, std, runs),
                    bool(remark.stand_in_for),
                )
            )
    return cells


def write_verdict(cells: list[ComparedCell]) -> str:
    """Say in one or two sentences how many cells agree with the paper."""
    if not cells:
        return "No cell of ours has a counterpart in the paper."
    parts = []
    for stand_in, what in ((False, "the paper's data sets"), (True, "stand-ins")):
        known = [cell for cell in cells if cell.stand_in is stand_in and cell.agrees is not None]
        if not known:
            continue
        within = sum(bool(cell.agrees) for cell in known)
        above = sum(not cell.agrees and cell.errors > 0 for cell in known)
        below = len(known) - within - above
        parts.append(
            f"{within} of {len(known)} cells on {what} lie within two standard errors of the "
            f"paper's, {above} above, {below} below"
        )
    unknown = sum(cell.agrees is None for cell in cells)
    if unknown:
        parts.append(f"{unknown} cells have too few runs to tell")
    return "; ".join(parts) + "."
