"""How far our numbers are from the paper's."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from benchmark.report.aggregate import Scores
from benchmark.report.labels import DIFFERS, STAND_IN, Labels
from benchmark.report.paper import PublishedTable, read_paper
from benchmark.report.table import State
from benchmark.text import count_noun

#: Mark of a data set -> what the verdict calls it.
_KINDS = {
    "": "the paper's data sets",
    DIFFERS: "data sets that differ from the paper's",
    STAND_IN: "stand-ins",
}


@dataclass(frozen=True)
class ComparedCell:
    """One cell of ours and the paper's.

    Parameters
    ----------
    dataset, method
        Of our table.
    original, column
        Of the paper's table.
    ours, our_std, n, failed
        Mean and standard deviation of our runs, as stored (fractions; NaN where there is none),
        how many ended well and how many failed.
    paper, paper_std
        The published ones.
    errors
        (ours - paper) in standard errors of the difference; NaN for a single run of ours.
    mark
        Of our data set: whether it stands in for the paper's or differs from it.
    patient_error
        Standard error of ours over patients; NaN where both tested the same, or if unknown.
    """

    dataset: str
    method: str
    original: str
    column: str
    ours: float
    our_std: float
    n: int
    failed: int
    paper: float
    paper_std: float
    errors: float
    mark: str
    patient_error: float = math.nan

    @property
    def state(self) -> State:
        """Whether we have a result, and why not."""
        if self.n:
            return "ok"
        return "failed" if self.failed else "missing"

    @property
    def difference(self) -> float:
        """Ours minus the paper's."""
        return self.ours - self.paper

    @property
    def agrees(self) -> bool | None:
        """Whether the two lie within two standard errors; None if that is unknown."""
        return None if math.isnan(self.errors) else abs(self.errors) <= 2

    @property
    def patient_errors(self) -> float:
        """The difference in standard errors of ours over patients; NaN if unknown."""
        return self.difference / self.patient_error if self.patient_error else math.nan


def count_standard_errors(
    ours: float, our_std: float, n: int, paper: float, paper_std: float, paper_n: int
) -> float:
    """Return the difference of two means in units of its standard error; NaN if unknown."""
    if n == 0:
        return math.nan
    error = math.sqrt(our_std**2 / n + paper_std**2 / paper_n)
    if math.isnan(error) or error == 0:
        return math.nan
    return float((ours - paper) / error)


def compare(
    scores: Scores,
    published: PublishedTable,
    columns: Mapping[str, str | None],
    labels: Labels,
    patient_errors: Mapping[tuple[str, str], float] | None = None,
) -> list[ComparedCell]:
    """Pair our cells with the paper's; one that the paper has and we lack is kept, empty.

    Parameters
    ----------
    scores
        Data sets x methods (or variants).
    published
        A table with standard deviations.
    columns
        Our method -> its column there, None if it has none.
    labels
        Which of the paper's each data set is or stands in for.
    patient_errors
        (Data set, method) -> standard error of ours over patients, where the paper's differ.
    """
    patients = patient_errors or {}
    runs = read_paper().runs
    cells = []
    for dataset in scores.datasets:
        label = labels.dataset(dataset)
        row = published.rows.get(label.original)
        if row is None:
            continue
        by_column = dict(zip(published.columns, row, strict=True))
        scale = scores.metric.scale
        for method in scores.methods:
            column = columns.get(method)
            ours = scores.mean.loc[dataset, method]
            if column is None or column not in by_column:
                continue
            mean, std = (value / scale for value in by_column[column])
            n, our_std = int(scores.n.loc[dataset, method]), scores.std.loc[dataset, method]
            cells.append(
                ComparedCell(
                    dataset,
                    method,
                    label.original,
                    column,
                    float(ours),
                    float(our_std),
                    n,
                    int(scores.failed.loc[dataset, method]),
                    mean,
                    std,
                    count_standard_errors(ours, our_std, n, mean, std, runs),
                    label.mark,
                    patients.get((dataset, method), math.nan),
                )
            )
    return cells


@dataclass(frozen=True)
class AgreementCount:
    """How many cells on one kind of data sets agree with the paper, lie above it, below it."""

    what: str
    within: int
    above: int
    below: int

    @property
    def known(self) -> int:
        """How many cells can be judged."""
        return self.within + self.above + self.below


def count_agreeing(cells: list[ComparedCell]) -> list[AgreementCount]:
    """Count the cells that agree with the paper, by kind of data sets; kinds without any go."""
    counts = []
    for mark, what in _KINDS.items():
        known = [cell for cell in cells if cell.mark == mark and cell.agrees is not None]
        within = sum(bool(cell.agrees) for cell in known)
        above = sum(not cell.agrees and cell.errors > 0 for cell in known)
        if known:
            counts.append(AgreementCount(what, within, above, len(known) - within - above))
    return counts


def write_verdict(cells: list[ComparedCell]) -> str:
    """Count the cells that agree with the paper: on its data, on others, and on stand-ins."""
    if not cells:
        return "No cell of ours has a counterpart in the paper."
    parts = [
        f"{count.within} of {count.known} cells on {count.what} lie within two standard errors of "
        f"the paper's, {count.above} above, {count.below} below"
        for count in count_agreeing(cells)
    ]
    sampled = [cell.patient_errors for cell in cells if not math.isnan(cell.patient_errors)]
    if sampled:
        within = sum(abs(errors) <= 2 for errors in sampled)
        parts.append(
            f"of the {len(sampled)} on stand-ins whose score varies over patients, {within} lie "
            "within two standard errors over patients"
        )
    unknown = sum(cell.agrees is None and cell.state == "ok" for cell in cells)
    if unknown:
        has = "has" if unknown == 1 else "have"
        parts.append(f"{count_noun(unknown, 'cell')} {has} too few runs to tell")
    empty = sum(cell.state != "ok" for cell in cells)
    if empty:
        has = "has" if empty == 1 else "have"
        parts.append(f"{count_noun(empty, 'cell')} of the paper's table {has} no result here")
    return "; ".join(parts) + "."


def write_choice_verdict(cells: list[ComparedCell]) -> str:
    """Count where one of several choices agrees with the paper, which does not tell its own."""
    shown: dict[tuple[str, str], list[ComparedCell]] = {}
    for cell in cells:
        shown.setdefault((cell.dataset, cell.column), []).append(cell)
    agreeing = sum(any(cell.agrees for cell in beside) for beside in shown.values())
    return (
        "The paper does not say which of the variants its number rests on, so all of a method "
        f"stand beside the same one; for {agreeing} of {len(shown)} such numbers at least one "
        "lies within two standard errors."
    )
