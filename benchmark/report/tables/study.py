"""Tables of the paper's ablations."""

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from benchmark.datasets.names import SIZE_MARK
from benchmark.errors import UserError
from benchmark.plan.studies import Study
from benchmark.report.aggregate import Scores, aggregate
from benchmark.report.labels import DatasetRemark, explain_marks, order_datasets
from benchmark.report.statistics import correct_standard_error
from benchmark.report.table import PROTOCOL_RUNS, Cell, Row, Table
from benchmark.report.tables.results import explain_gaps, score_cells
from benchmark.run.metrics import find_metric_of_column

Remarks = Mapping[str, DatasetRemark]

#: What two runs must share to be compared as a pair.
SPLIT = ["repeat", "fold", "seed"]

#: What readers have to know of the errors of paired differences.
SHARED_DATA = (
    "The errors allow for the training data that splits share (Nadeau and Bengio's correction)."
)

#: Fewer common splits than one repeat has say nothing about which variant is best.
_ENOUGH_SPLITS = 5


def find_runs(frame: pd.DataFrame, study: Study, remarks: Remarks) -> pd.DataFrame:
    """Find the runs of a study and name their variant.

    Parameters
    ----------
    frame
        All runs of a store.
    study
        Whose variants to look for.
    remarks
        Data set -> whose published hyper-parameters apply.

    Returns
    -------
    DataFrame
        The runs, with a column ``variant``; ``dataset`` names the data set without a sample
        size, which is part of the variant.
    """
    from benchmark.plan.hyperparameters import hash_values, normalise
    from benchmark.plan.methods import read_method_cards

    methods = read_method_cards()

    def base(model: str, dataset: str) -> dict:
        remark = remarks.get(dataset)
        return methods[model].paper_hyperparameters(remark.settings_of if remark else dataset)

    names = sorted({name.partition(SIZE_MARK)[0] for name in frame["dataset"]})
    if study.datasets:
        names = [name for name in names if name in study.datasets]
    wanted = {}
    for variant in study.variants:
        if variant.model not in methods:
            continue
        for dataset in names:
            model, name, values = variant.run(dataset, base)
            key = (model, name, hash_values(normalise(methods[model], values)))
            wanted[key] = (variant.label, dataset)
    keys = list(zip(frame["model"], frame["dataset"], frame["hyperparameters_hash"], strict=True))
    found = frame[[key in wanted for key in keys]].copy()
    labels = [wanted[key] for key in keys if key in wanted]
    found["variant"] = [label for label, _ in labels]
    found["dataset"] = [dataset for _, dataset in labels]
    return found


def keep_common_splits(runs: pd.DataFrame) -> pd.DataFrame:
    """Keep the finished runs on splits that all variants on a data set have: their means compare.

    Parameters
    ----------
    runs
        With a column ``variant``.
    """
    good = runs[runs["status"] == "ok"]
    here = good.groupby(["dataset", *SPLIT])["variant"].transform("nunique")
    return good[here == good.groupby("dataset")["variant"].transform("nunique")]


def count_splits(runs: pd.DataFrame) -> pd.Series:
    """Count the splits on which there are runs, by data set."""
    return runs.drop_duplicates(["dataset", *SPLIT]).groupby("dataset").size()


def aggregate_study(runs: pd.DataFrame, study: Study, remarks: Remarks) -> Scores:
    """Aggregate the runs of a study, as ``find_runs`` gives them, to data sets x variants.

    Raises
    ------
    UserError
        If there are none.
    """
    if runs.empty:
        raise UserError(
            f"no runs of the study {study.name}: start them with "
            f"`wpfs-bench run --study {study.name}`"
        )
    scores = aggregate(runs, find_metric_of_column(study.metric), by="variant")
    # A data set with a single variant has only its run of the main table: no study.
    studied = [
        name for name in scores.datasets if (scores.n + scores.failed).loc[name].gt(0).sum() > 1
    ]
    return scores.select(
        order_datasets(studied or scores.datasets, remarks),
        [variant.label for variant in study.variants],
    )


def build_study_table(scores: Scores, study: Study, remarks: Remarks) -> Table:
    """Build the table of a study: data sets x variants, mean ± standard deviation."""
    rows = tuple(
        Row(
            dataset,
            _cells_that_compare(scores, dataset),
            remarks[dataset].mark if dataset in remarks else "",
        )
        for dataset in scores.datasets
    )
    in_paper = study.where.startswith(("Table", "Figure"))
    notes = [
        f"{scores.metric.label}, mean ± standard deviation over {PROTOCOL_RUNS} runs unless n "
        f"says otherwise. {'In the paper: ' if in_paper else ''}{study.where}.",
        *explain_marks(scores.datasets, remarks),
    ]
    notes += explain_gaps(scores, {variant: variant for variant in scores.methods})
    return Table(
        name=study.name,
        title=study.title,
        head="data set",
        columns=tuple(scores.methods),
        rows=rows,
        notes=tuple(notes),
    )


def _cells_that_compare(scores: Scores, dataset: str) -> tuple[Cell, ...]:
    """Build the cells of a row, none marked as best unless all rest on as many runs."""
    cells = score_cells(scores, dataset, with_std=True)
    if len({cell.n for cell in cells if cell.state == "ok"}) == 1:
        return cells
    return tuple(replace(cell, place="") for cell in cells)


def subtract_variants(runs: pd.DataFrame, column: str, label: str, over: str) -> pd.Series:
    """Subtract the values of one variant from those of another, on all splits that both have.

    Parameters
    ----------
    runs
        With a column ``variant``.
    column
        Whose values.
    label, over
        Of the variant, and of the one to subtract.

    Returns
    -------
    Series
        By data set and split.
    """
    both = keep_common_splits(runs[runs["variant"].isin([label, over])])
    wide = both.pivot_table(index=["dataset", *SPLIT], columns="variant", values=column)
    wide = wide.reindex(columns=[label, over])
    return (wide[label] - wide[over]).dropna()


def measure_gains(runs: pd.DataFrame, study: Study, remarks: Remarks) -> str | None:
    """Say what variants gain over the one each is compared with, split by split.

    Differences between runs on the same split vary less than the runs do, so this shows gains
    that the table's standard deviations hide.
    """
    metric = find_metric_of_column(study.metric)
    parts = []
    for label, over in ((v.label, v.over) for v in study.variants if v.over):
        gains = metric.scale * subtract_variants(runs, study.metric, label, over)
        for dataset in order_datasets(gains.index.unique("dataset"), remarks):
            of_dataset = gains.loc[dataset]
            mark = remarks[dataset].mark if dataset in remarks else ""
            if len(of_dataset) > 1:
                parts.append(
                    f"{label} minus {over} on {dataset}{mark} {of_dataset.mean():+.2f} ± "
                    f"{correct_standard_error(of_dataset.to_numpy()):.2f} (n={len(of_dataset)})"
                )
    if not parts:
        return None
    return f"Paired over the splits, mean ± standard error: {'; '.join(parts)}. {SHARED_DATA}"


def measure_optimism(runs: pd.DataFrame, study: Study) -> str | None:
    """Say how much choosing the variant on the test set flatters, against choosing on validation.

    In all nine data sets the paper's WPFS value is the maximum over the lambdas of its test
    table; its text says that lambda was chosen on validation.
    """
    found = keep_common_splits(runs)
    splits = count_splits(found)
    found = found[found["dataset"].isin(splits.index[splits >= _ENOUGH_SPLITS])]
    if found.empty:
        return None
    test = aggregate(found, find_metric_of_column("balanced_accuracy_test"), by="variant").mean
    loss = aggregate(found, find_metric_of_column("cross_entropy_valid"), by="variant").mean
    whole = [name for name in test.index if test.loc[name].notna().sum() == len(study.variants)]
    whole = [name for name in whole if loss.loc[name].notna().all()]
    if not whole:
        return None
    honest = [test.loc[name, loss.loc[name].idxmin()] for name in whole]
    flattered = [test.loc[name].max() for name in whole]
    mean_honest, mean_best = (100 * sum(v) / len(whole) for v in (honest, flattered))
    sizes = ", ".join(f"{splits[name]} splits of {name}" for name in whole)
    return (
        f"Chosen per data set on validation loss, the variants score {mean_honest:.2f}% on test "
        f"on average; the best on test score {mean_best:.2f}%, {mean_best - mean_honest:.2f} "
        f"points too optimistic ({sizes})."
    )
