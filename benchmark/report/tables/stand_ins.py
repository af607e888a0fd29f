"""Scores on a stand-in's patients that the paper has too, and on the others."""

import math
from collections.abc import Collection, Iterable, Mapping

import pandas as pd

from benchmark.errors import UserError
from benchmark.report.labels import Labels
from benchmark.report.patients import count_hits, measure_patient_error, score_patients
from benchmark.report.report import Report
from benchmark.report.table import Cell, Row, Table
from benchmark.run.metrics import METRICS

_METRIC = METRICS["balanced-accuracy"]


def build_stand_ins(report: Report) -> list[Table]:
    """Build the table of the runs on stand-ins of which shared patients are known."""
    from benchmark.datasets.registry import list_stand_ins

    if report.request.metric != _METRIC:
        raise UserError(
            f"--table stand-ins has balanced accuracy only, not {report.request.metric.title}"
        )
    replaced = {
        name: entry.replaced_samples
        for name, entry in list_stand_ins().items()
        # Runs on an older table of that name say another difference.
        if {*entry.differences} <= {*report.labels.dataset(name).differences}
    }
    found = {
        (dataset, model): hits
        for dataset, model, hits in count_hits(report.runs.of_main_table, report.arrays, replaced)
        if len(hits)
    }
    shown = [
        (dataset, model, found[dataset, model])
        for dataset in report.datasets
        for model in report.models
        if (dataset, model) in found
    ]
    return [build_stand_in_table(shown, replaced, report.labels)]


def build_stand_in_table(
    cells: Iterable[tuple[str, str, pd.Series]],
    replaced: Mapping[str, Collection[int]],
    labels: Labels,
) -> Table:
    """Build one row per stand-in and method: all patients, the paper's, the others.

    Parameters
    ----------
    cells
        Data set, method and its hits, as ``patients.count_hits`` gives them.
    replaced
        Data set -> rows of the patients that the paper does not have.
    labels
        Of the data sets and methods.
    """
    rows = []
    for dataset, method, hits in cells:
        is_shared = ~hits.index.get_level_values("patient").isin(replaced[dataset])
        ours, theirs = hits[~is_shared], hits[is_shared]
        errors = measure_patient_error(ours), measure_patient_error(theirs)
        rows.append(
            Row(
                dataset,
                (
                    Cell(labels.title(method)),
                    *(_show(score_patients(part)) for part in (hits, theirs, ours)),
                    _show(score_patients(theirs) - score_patients(ours), math.hypot(*errors)),
                ),
                mark=labels.mark(dataset),
                group=dataset,
            )
        )
    if not rows:
        raise UserError(
            "no run on a stand-in as it is today: run some with --dataset 'tcga-*-standin'"
        )
    datasets = list(dict.fromkeys(row.label for row in rows))
    gaps = [float(row.cells[-1].value or 0) for row in rows]
    return Table(
        name="stand-ins",
        title=f"{_METRIC.label} of stand-ins: patients that the paper has, too, and others",
        head="data set",
        columns=("method", "all patients", "the paper's", "others", "the paper's minus others"),
        rows=tuple(rows),
        keys=1,
        notes=(
            "A patient counts with the share of runs that named their class, so the first column "
            "is not quite the mean over runs. The difference is ± its standard error over "
            "patients.",
            f"On the paper's patients the score is higher in {sum(gap > 0 for gap in gaps)} rows "
            f"and lower in {sum(gap < 0 for gap in gaps)}. The rows share their patients, so they "
            "are not independent.",
            *labels.explain_marks(datasets),
        ),
    )


def _show(score: float, error: float | None = None) -> Cell:
    if error is None:
        return Cell(score * _METRIC.scale, digits=_METRIC.digits)
    return Cell(score * _METRIC.scale, error * _METRIC.scale, digits=_METRIC.digits, signed=True)
