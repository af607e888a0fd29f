"""How much higher WPFS scores if its lambda is chosen on the test scores.

In all nine data sets the paper's value is the maximum over the lambdas of its test table.
"""

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from benchmark.errors import UserError
from benchmark.report.labels import Labels
from benchmark.report.report import Report
from benchmark.report.statistics import correct_standard_error
from benchmark.report.study_runs import SPLIT, StudyRuns, keep_common_splits
from benchmark.report.table import Cell, Row, Table
from benchmark.report.tables.studies import Gain, average_gains
from benchmark.run.metrics import METRICS
from benchmark.text import count_noun

_METRIC = METRICS["balanced-accuracy"]

#: Fewer common splits than one repeat has say nothing about which lambda is best.
_ENOUGH_SPLITS = 5

#: As ``select_candidates`` chooses: by the validation loss, then by the validation score.
_ON_VALIDATION = ["cross_entropy_valid", "balanced_accuracy_valid"]


def build_lambda_bias(report: Report) -> list[Table]:
    """Build the table of the study ``lambda``; a ``UserError`` if no data set has enough runs."""
    study = report.find_study("lambda")
    table = build_bias_table(study)
    if table is None:
        raise UserError(
            f"no data set has every λ on {_ENOUGH_SPLITS} common splits: start them with "
            f"`{study.command}`"
        )
    return [table]


def build_bias_table(study: StudyRuns) -> Table | None:
    """Build one row per data set: the best lambda on test beside those chosen on validation.

    None if no data set has every lambda on enough common splits.
    """
    found = list(_compare_choices(study))
    return _tabulate(found, study.labels) if found else None


def list_choice_gains(study: StudyRuns) -> list[Gain]:
    """List what choosing lambda on the test scores gains over choosing it on each split."""
    return [gain for _, gain in _compare_choices(study)]


def _compare_choices(study: StudyRuns) -> Iterator[tuple[Row, Gain]]:
    common = keep_common_splits(study.runs)
    for dataset in study.labels.order_datasets(common["dataset"].unique()):
        of_dataset = common[common["dataset"] == dataset]
        test = _spread(of_dataset, _METRIC.column)
        loss = _spread(of_dataset, "cross_entropy_valid")
        n_variants = min(test.shape[1], loss.shape[1])
        if n_variants < len(study.study.variants) or len(test) < _ENOUGH_SPLITS:
            continue
        chosen = _choose_per_split(of_dataset)
        best, whole = str(test.mean().idxmax()), str(loss.mean().idxmin())
        on_split = of_dataset.set_index([*SPLIT, "variant"])[_METRIC.column]
        honest = pd.Series([on_split[(*split, name)] for split, name in chosen.items()], test.index)
        mark = study.labels.mark(dataset)
        on_splits = _measure(dataset + mark, test[best] - honest)
        on_all = _measure(dataset + mark, test[best] - test[whole])
        cells = (
            Cell(len(test)),
            _show(float(test[best].mean()), best),
            _show(float(honest.mean())),
            _show_gain(on_splits),
            _show(float(test[whole].mean()), whole),
            _show_gain(on_all),
        )
        yield Row(dataset, cells, mark), on_splits


def _spread(runs: pd.DataFrame, column: str) -> pd.DataFrame:
    return runs.pivot_table(index=SPLIT, columns="variant", values=column)


def _choose_per_split(runs: pd.DataFrame) -> pd.Series:
    """Return the variant of each split that is best on its validation rows."""
    ordered = runs.sort_values(_ON_VALIDATION, ascending=[True, False], kind="stable")
    return ordered.drop_duplicates(SPLIT).set_index(SPLIT)["variant"].sort_index()


def _show(score: float, variant: str = "") -> Cell:
    cell = Cell(score * _METRIC.scale, digits=_METRIC.digits)
    return replace(cell, text=f"{cell.number} (λ = {variant})") if variant else cell


def _measure(dataset: str, differences: pd.Series) -> Gain:
    points = differences.to_numpy() * _METRIC.scale
    error = correct_standard_error(points)
    return Gain("on test", "on validation", dataset, float(points.mean()), error, len(points))


def _show_gain(gain: Gain) -> Cell:
    return Cell(gain.mean, gain.error, digits=_METRIC.digits, signed=True)


def _tabulate(found: list[tuple[Row, Gain]], labels: Labels) -> Table:
    rows = tuple(row for row, _ in found)
    mean, error = average_gains([gain for _, gain in found])
    return Table(
        name="lambda-bias",
        title=f"{_METRIC.label} of WPFS with λ chosen on test and on validation data",
        head="data set",
        columns=(
            "splits",
            "best on test",
            "chosen per split",
            "gap per split",
            "chosen per data set",
            "gap per data set",
        ),
        rows=rows,
        notes=(
            "Best on test: the highest mean test score of the six λ. Chosen: by validation loss, "
            "on each split or as a mean over the data set. "
            f"The gap per split is {mean:+.2f} ± {error:.2f} on average over "
            f"{count_noun(len(rows), 'data set')}.",
            "A maximum is never below any one λ, so the gap per data set cannot be negative. A gap "
            "mixes the luck of the maximum and the price of choosing on few validation rows. ± is "
            "its standard error (Nadeau and Bengio's), the best λ taken as given.",
            *labels.explain_marks([row.label for row in rows]),
        ),
    )
