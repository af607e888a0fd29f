"""How many features WPFS selects at each weight of its sparsity loss (the paper's Figure 6)."""

import itertools
from collections.abc import Mapping

import pandas as pd

from benchmark.errors import UserError
from benchmark.report.labels import DIFFERS
from benchmark.report.report import Report
from benchmark.report.statistics import correct_standard_error
from benchmark.report.study_runs import (
    StudyRuns,
    count_splits,
    keep_common_splits,
    subtract_variants,
)
from benchmark.report.table import PROTOCOL_RUNS, Cell, Row, Table
from benchmark.report.tables.studies import SHARED_DATA

#: In the first steps the scores still change a lot, so counts from there scatter widely.
_EARLY_STEPS = 100

#: The mean is the paper's; a run stopped early weighs heavily in it, and not in the median.
_STATISTICS = ("mean", "median")


def build_selected(report: Report) -> list[Table]:
    """Build the share of selected features per lambda, and how it changes between lambdas."""
    from benchmark.datasets.registry import list_expected

    study = report.find_study("lambda")
    widths = {name: size.features for name, size in list_expected().items()}
    return [build_selected_table(study, widths), build_step_table(study, widths)]


def build_selected_table(study: StudyRuns, widths: Mapping[str, int]) -> Table:
    """Build the mean and median share of selected features, data sets x lambda.

    Parameters
    ----------
    study
        Its runs with every lambda.
    widths
        Data set -> its number of features; where it is not known, the number selected is shown.
    """
    runs = keep_common_splits(_find_counted(study))
    # A data set with a single lambda has only its runs of the main table: nothing to compare.
    runs = runs[runs.groupby("dataset")["variant"].transform("nunique") > 1]
    if runs.empty:
        raise UserError(
            f"no data set with two λ on the same split: start them with `{study.command}`"
        )
    lambdas = study.list_variants(runs)
    wide = {
        statistic: runs.pivot_table(
            values="n_selected", index="dataset", columns="variant", aggfunc=statistic
        )
        for statistic in _STATISTICS
    }
    splits = count_splits(runs)
    datasets = study.labels.order_datasets(splits.index)
    known = _keep_sure(widths, study)
    rows = tuple(
        Row(
            dataset,
            (
                Cell(statistic),
                Cell(int(splits[dataset])),
                *(
                    _share(wide[statistic].loc[dataset, label], known.get(dataset))
                    for label in lambdas
                ),
            ),
            study.labels.mark(dataset),
            group=dataset,
        )
        for dataset in datasets
        for statistic in _STATISTICS
    )
    return Table(
        name="selected",
        title="Selected features by weight λ of the sparsity loss",
        head="data set",
        columns=("statistic", "splits", *lambdas),
        rows=rows,
        keys=1,
        notes=(
            "Features with an importance score above 0.95, in % of all (a plain number where their "
            "number is not known), over the splits on which every λ of the row has finished. "
            "In the paper: Figure 6.",
            *_count_early_runs(runs, datasets),
            *study.labels.explain_marks(datasets),
        ),
    )


def build_step_table(study: StudyRuns, widths: Mapping[str, int]) -> Table:
    """Build the change of the share from one lambda to the next, paired over common splits.

    Two lambdas often have more splits in common than all six, and a difference on the same
    split scatters less than the counts do.

    Parameters are those of ``build_selected_table``.
    """
    runs = _find_counted(study)
    lambdas = study.list_variants(runs)
    known = _keep_sure(widths, study)
    steps = {
        f"{low} → {high}": subtract_variants(runs, "n_selected", high, low)
        for low, high in itertools.pairwise(lambdas)
    }
    found = {name for change in steps.values() for name in change.index.unique("dataset")}
    datasets = study.labels.order_datasets(found)
    return Table(
        name="selected-steps",
        title="Change of the share of selected features from one λ to the next",
        head="data set",
        columns=tuple(steps),
        rows=tuple(
            Row(
                dataset,
                tuple(_change(change, dataset, known.get(dataset)) for change in steps.values()),
                study.labels.mark(dataset),
            )
            for dataset in datasets
        ),
        notes=(
            "Percentage points (features where their number is not known), mean ± standard "
            f"error over the splits that both λ have, {PROTOCOL_RUNS} unless n says otherwise.",
            SHARED_DATA,
            *study.labels.explain_marks(datasets),
        ),
    )


def _find_counted(study: StudyRuns) -> pd.DataFrame:
    """Find the runs of the study that have a number of selected features."""
    return study.runs.dropna(subset="n_selected")


def _keep_sure(widths: Mapping[str, int], study: StudyRuns) -> dict[str, int]:
    """Leave out tables that differ from the registry's: they may have other features."""
    return {name: width for name, width in widths.items() if study.labels.mark(name) != DIFFERS}


def _change(change: pd.Series, dataset: str, width: int | None) -> Cell:
    if dataset not in change.index.unique("dataset"):
        return Cell(state="missing")
    here = change.loc[dataset]
    unit, digits = (1.0, 1) if width is None else (100.0 / width, 2)
    return Cell(
        float(here.mean() * unit),
        correct_standard_error(here.to_numpy()) * unit if len(here) > 1 else None,
        n=len(here),
        digits=digits,
        signed=True,
    )


def _count_early_runs(runs: pd.DataFrame, datasets: list[str]) -> list[str]:
    early = runs[runs["best_step"] <= _EARLY_STEPS].groupby("dataset").size()
    counts = [
        f"{early[name]} of {(runs['dataset'] == name).sum()} runs on {name}"
        for name in datasets
        if name in early
    ]
    if not counts:
        return []
    return [
        f"Best model within the first {_EARLY_STEPS} steps, when scores still change a lot: "
        f"{', '.join(counts)}."
    ]


def _share(count: float, width: int | None) -> Cell:
    if pd.isna(count):
        return Cell(state="missing")
    if width is None:
        return Cell(float(count), digits=0)
    return Cell(100 * count / width, text=f"{100 * count / width:.2f}%")
