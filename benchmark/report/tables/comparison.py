"""The table of our numbers beside the paper's."""

import math
from collections.abc import Mapping, Sequence

from benchmark.report.comparison import ComparedCell
from benchmark.report.labels import STAND_IN, DatasetRemark, explain_marks
from benchmark.report.paper import read_paper
from benchmark.report.table import Cell, Row, Table, Tone
from benchmark.run.metrics import Metric

_PATIENTS = (
    "Not all patients of a stand-in are the paper's, which that error leaves out. The last column "
    "divides by the standard error of our score over patients, from the share of runs that named "
    "each one's class (— if the shares of a class are all the same). As the error of a difference "
    "it is right if half of the patients are shared and score alike; it is too small, by up to "
    "√2, if fewer are, and because other patients to train on would change the score, too."
)


def build_comparison_table(
    cells: Sequence[ComparedCell],
    metric: Metric,
    titles: Mapping[str, str],
    remarks: Mapping[str, DatasetRemark],
    number: str,
    verdict: str,
    head: str = "method",
) -> Table:
    """Build one row per data set and method: ours, the paper's, and how far apart they are.

    Parameters
    ----------
    cells
        As ``comparison.compare`` gives them.
    metric
        What both report.
    titles
        Method -> its title.
    remarks
        Data set -> what has to be said of it.
    number
        Of the paper's table.
    verdict
        What follows from the cells, in a sentence.
    head
        What the columns of that table are.
    """
    sampled = any(not math.isnan(cell.patient_error) for cell in cells)
    rows = []
    for cell in cells:
        remark = remarks.get(cell.dataset)
        scale, digits = metric.scale, metric.digits
        empty = Cell(state=cell.state, failed=cell.failed)
        rows.append(
            Row(
                cell.dataset,
                (
                    Cell(titles[cell.method]),
                    Cell(
                        cell.ours * scale, cell.our_std * scale, cell.n, digits, failed=cell.failed
                    )
                    if cell.n
                    else empty,
                    Cell(cell.paper * scale, cell.paper_std * scale, digits=digits),
                    Cell(cell.difference * scale, digits=digits, signed=True)
                    if cell.n
                    else Cell(state="missing"),
                    Cell(cell.errors, digits=2, signed=True, tone=_tone(cell, metric)),
                    *([_count_patient_errors(cell)] if sampled else []),
                ),
                mark=remark.mark if remark else "",
                group=cell.dataset,
            )
        )
    title = f"{metric.label}: our runs beside the paper's Table {number}"
    if not cells:
        return Table("comparison", title, "data set", (), (), (verdict,))
    datasets = list(dict.fromkeys(cell.dataset for cell in cells))
    return Table(
        name="comparison",
        title=title,
        head="data set",
        columns=(
            *(head, "ours", "paper", "difference", "in std. errors"),
            *(["in std. errors over patients"] if sampled else []),
        ),
        rows=tuple(rows),
        keys=1,
        notes=(
            verdict,
            "The standard error is sqrt(s₁²/n + s₂²/25) of the two sets of runs. It is a coarse "
            "yardstick: too small because runs share data, too large where both used the same "
            "splits, whose share of the spread cancels. Without the paper's single runs the "
            "difference cannot be paired.",
            *([_PATIENTS] if sampled else []),
            *explain_marks(datasets, remarks),
            *_contradictions(cells),
        ),
    )


def _count_patient_errors(cell: ComparedCell) -> Cell:
    if cell.mark != STAND_IN:
        return Cell()
    return Cell(cell.patient_errors, digits=2, signed=True)


def _tone(cell: ComparedCell, metric: Metric) -> Tone:
    if cell.agrees is None:
        return ""
    if cell.mark == STAND_IN:
        return "warn"
    if cell.agrees:
        return "good"
    return "warn" if (cell.errors > 0) == metric.higher_is_better else "bad"


def _contradictions(cells: Sequence[ComparedCell]) -> tuple[str, ...]:
    compared = {(cell.original, cell.column) for cell in cells}
    return tuple(
        f"{entry['note']} Compared with the latter."
        for entry in read_paper().contradictions
        if (entry["dataset"], entry.get("method")) in compared
    )
