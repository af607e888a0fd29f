"""The table of a study: data sets x variants, and what the variants gain over each other."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from benchmark.report.aggregate import Scores
from benchmark.report.report import Report
from benchmark.report.statistics import correct_standard_error
from benchmark.report.study_runs import StudyRuns, subtract_variants
from benchmark.report.table import PROTOCOL_RUNS, Cell, Row, Table
from benchmark.report.tables.cells import score_cells
from benchmark.report.tables.scores import explain_gaps
from benchmark.run.metrics import find_metric_of_column

#: What readers have to know of the errors of paired differences.
SHARED_DATA = (
    "The errors allow for the training data that splits share (Nadeau and Bengio's correction)."
)


def build_study(report: Report, name: str) -> list[Table]:
    """Build the table of a study, mean ± standard deviation."""
    return [build_study_table(report.find_study(name))]


def build_study_table(found: StudyRuns) -> Table:
    """Build the table of the runs found for a study."""
    study, scores, labels = found.study, found.scores, found.labels
    rows = tuple(
        Row(dataset, _cells_that_compare(scores, dataset), labels.mark(dataset))
        for dataset in scores.datasets
    )
    in_paper = study.where.startswith(("Table", "Figure"))
    gain = _write_gains(found)
    return Table(
        name=study.name,
        title=study.title,
        head="data set",
        columns=tuple(scores.methods),
        rows=rows,
        notes=(
            f"{scores.metric.label}, mean ± standard deviation over {PROTOCOL_RUNS} runs unless n "
            "says otherwise.",
            f"{'In the paper: ' if in_paper else ''}{study.where}.",
            *labels.explain_marks(scores.datasets),
            *explain_gaps(scores, labels),
            *([gain, SHARED_DATA] if gain else []),
        ),
    )


def _cells_that_compare(scores: Scores, dataset: str) -> tuple[Cell, ...]:
    """Build the cells of a row, none marked as best unless all rest on as many runs."""
    cells = score_cells(scores, dataset, with_std=True)
    if len({cell.n for cell in cells if cell.state == "ok"}) == 1:
        return cells
    return tuple(replace(cell, place="") for cell in cells)


@dataclass(frozen=True)
class Gain:
    """What one variant gains over another on a data set, split by split, in the unit shown.

    Parameters
    ----------
    label, over
        Of the two variants.
    dataset
        With its mark.
    mean, error
        Over the splits that both have; the standard error allows for the data they share.
    n
        Number of these splits.
    """

    label: str
    over: str
    dataset: str
    mean: float
    error: float
    n: int


def list_gains(found: StudyRuns) -> Iterator[Gain]:
    """Yield what each variant gains over the one it is compared with.

    Differences between runs on the same split vary less than the runs do, so this shows gains
    that the table's standard deviations hide.
    """
    for label, over in ((v.label, v.over) for v in found.study.variants if v.over):
        gains = subtract_variants(found.runs, found.study.metric, label, over)
        gains *= find_metric_of_column(found.study.metric).scale
        for dataset in found.labels.order_datasets(gains.index.unique("dataset")):
            of_dataset = gains.loc[dataset].to_numpy()
            if len(of_dataset) > 1:
                shown = f"{dataset}{found.labels.mark(dataset)}"
                error = correct_standard_error(of_dataset)
                yield Gain(label, over, shown, float(of_dataset.mean()), error, len(of_dataset))


def _write_gains(found: StudyRuns) -> str | None:
    """Return a note on what the variants gain, None if no two can be compared."""
    parts = [
        f"{gain.label} minus {gain.over} on {gain.dataset} {gain.mean:+.2f} ± {gain.error:.2f} "
        f"(n={gain.n})"
        for gain in list_gains(found)
    ]
    if not parts:
        return None
    return f"Paired over the splits, mean ± standard error: {'; '.join(parts)}."


def average_gains(gains: Sequence[Gain]) -> tuple[float, float]:
    """Return the mean of gains on several data sets, and its standard error."""
    mean = sum(gain.mean for gain in gains) / len(gains)
    return mean, math.hypot(*(gain.error for gain in gains)) / len(gains)
