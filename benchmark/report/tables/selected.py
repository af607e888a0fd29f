"""How many features WPFS selects at each weight of its sparsity loss (the paper's Figure 6)."""

from collections.abc import Mapping

import pandas as pd

from benchmark.errors import UserError
from benchmark.report.names import order_datasets
from benchmark.report.remarks import DIFFERS, DatasetRemark, explain_marks
from benchmark.report.table import Cell, Row, Table
from benchmark.report.tables.study import count_splits, find_runs, keep_common_splits
from benchmark.studies import STUDIES

#: In the first steps the scores still change a lot, so counts from there scatter widely.
_EARLY_STEPS = 100

#: The mean is the paper's; a run stopped early weighs heavily in it, and not in the median.
_STATISTICS = ("mean", "median")


def build_selected_table(
    frame: pd.DataFrame, remarks: Mapping[str, DatasetRemark], widths: Mapping[str, int]
) -> Table:
    """Build the mean and median share of selected features, data sets x lambda.

    Parameters
    ----------
    frame
        All runs of a store.
    remarks
        Data set -> what is to be said of it.
    widths
        Data set -> its number of features; where it is not known, the number selected is shown.
    """
    study = STUDIES["lambda"]
    runs = find_runs(frame, study, remarks).dropna(subset="n_selected")
    runs = keep_common_splits(runs)
    # A data set with a single lambda has only its runs of the main table: nothing to compare.
    runs = runs[runs.groupby("dataset")["variant"].transform("nunique") > 1]
    if runs.empty:
        raise UserError(
            "no data set with two λ on the same split: start them with "
            "`wpfs-bench run --study lambda`"
        )
    labels = [v.label for v in study.variants if (runs["variant"] == v.label).any()]
    wide = {
        statistic: runs.pivot_table(
            values="n_selected", index="dataset", columns="variant", aggfunc=statistic
        )
        for statistic in _STATISTICS
    }
    splits = count_splits(runs)
    stand_ins = {name: remark.stand_in_for for name, remark in remarks.items()}
    datasets = order_datasets(list(splits.index), stand_ins)
    # A table that differs from the registry's may have another number of features.
    known = {
        name: width
        for name, width in widths.items()
        if name not in remarks or remarks[name].mark != DIFFERS
    }
    rows = tuple(
        Row(
            dataset,
            (
                Cell(int(splits[dataset])),
                Cell(statistic),
                *(
                    _share(wide[statistic].loc[dataset, label], known.get(dataset))
                    for label in labels
                ),
            ),
            remarks[dataset].mark if dataset in remarks else "",
            group=dataset,
        )
        for dataset in datasets
        for statistic in _STATISTICS
    )
    return Table(
        name="selected",
        title="Selected features by weight λ of the sparsity loss",
        head="data set",
        columns=("splits", "statistic", *labels),
        rows=rows,
        notes=(
            "Features with an importance score above 0.95, in % of all (a plain number where their "
            "number is not known), over the splits on which every λ of the row has finished. "
            "In the paper: Figure 6.",
            *_count_early_runs(runs, datasets),
            *explain_marks(datasets, remarks),
        ),
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
