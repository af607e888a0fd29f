"""The table of a study: data sets x variants, and what the variants gain over each other."""

from dataclasses import replace

from benchmark.report.aggregate import Scores, aggregate
from benchmark.report.report import Report
from benchmark.report.statistics import correct_standard_error
from benchmark.report.study_runs import (
    StudyRuns,
    count_splits,
    keep_common_splits,
    subtract_variants,
)
from benchmark.report.table import PROTOCOL_RUNS, Cell, Row, Table
from benchmark.report.tables.cells import score_cells
from benchmark.report.tables.scores import explain_gaps
from benchmark.run.metrics import find_metric_of_column

#: What readers have to know of the errors of paired differences.
SHARED_DATA = (
    "The errors allow for the training data that splits share (Nadeau and Bengio's correction)."
)

#: Fewer common splits than one repeat has say nothing about which variant is best.
_ENOUGH_SPLITS = 5


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
    gain = measure_optimism(found) if study.name == "lambda" else measure_gains(found)
    return Table(
        name=study.name,
        title=study.title,
        head="data set",
        columns=tuple(scores.methods),
        rows=rows,
        notes=(
            f"{scores.metric.label}, mean ± standard deviation over {PROTOCOL_RUNS} runs unless n "
            f"says otherwise. {'In the paper: ' if in_paper else ''}{study.where}.",
            *labels.explain_marks(scores.datasets),
            *explain_gaps(scores, labels),
            *([gain] if gain else []),
        ),
    )


def _cells_that_compare(scores: Scores, dataset: str) -> tuple[Cell, ...]:
    """Build the cells of a row, none marked as best unless all rest on as many runs."""
    cells = score_cells(scores, dataset, with_std=True)
    if len({cell.n for cell in cells if cell.state == "ok"}) == 1:
        return cells
    return tuple(replace(cell, place="") for cell in cells)


def measure_gains(found: StudyRuns) -> str | None:
    """Return a note: what variants gain over the one each is compared with, split by split.

    Differences between runs on the same split vary less than the runs do, so this shows gains
    that the table's standard deviations hide.
    """
    parts = []
    for label, over in ((v.label, v.over) for v in found.study.variants if v.over):
        gains = subtract_variants(found.runs, found.study.metric, label, over)
        gains *= found.scores.metric.scale
        for dataset in found.labels.order_datasets(gains.index.unique("dataset")):
            of_dataset = gains.loc[dataset]
            if len(of_dataset) > 1:
                parts.append(
                    f"{label} minus {over} on {dataset}{found.labels.mark(dataset)} "
                    f"{of_dataset.mean():+.2f} ± "
                    f"{correct_standard_error(of_dataset.to_numpy()):.2f} (n={len(of_dataset)})"
                )
    if not parts:
        return None
    return f"Paired over the splits, mean ± standard error: {'; '.join(parts)}. {SHARED_DATA}"


def measure_optimism(found: StudyRuns) -> str | None:
    """Return a note: by how much choosing the variant on test beats choosing on validation.

    In all nine data sets the paper's WPFS value is the maximum over the lambdas of its test
    table; its text says that lambda was chosen on validation.
    """
    runs = keep_common_splits(found.runs)
    splits = count_splits(runs)
    runs = runs[runs["dataset"].isin(splits.index[splits >= _ENOUGH_SPLITS])]
    if runs.empty:
        return None
    test = aggregate(runs, find_metric_of_column("balanced_accuracy_test"), by="variant").mean
    loss = aggregate(runs, find_metric_of_column("cross_entropy_valid"), by="variant").mean
    whole = [
        name for name in test.index if test.loc[name].notna().sum() == len(found.study.variants)
    ]
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
