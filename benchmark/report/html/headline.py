"""The sentence at the top of the page: the best methods, and whether they can be told apart."""

import pandas as pd

from benchmark.report import statistics
from benchmark.report.ranks import average_ranks, format_rank
from benchmark.report.report import Report
from benchmark.report.statistics import ALPHA
from benchmark.report.tables.cells import score_cells
from benchmark.report.tables.significance import compare_on, orient


def write_headline(report: Report) -> str:
    """Name the best methods, ties included; first say so if no test tells the methods apart."""
    remark = report.tuning_remark
    return f"{remark.capitalize()}. {_compare(report)}" if remark else _compare(report)


def _compare(report: Report) -> str:
    complete = report.complete.datasets
    if len(report.datasets) == 1:
        return _write_for_one(report, report.datasets[0])
    if not complete:
        return "No data set has a result of every method, so the methods cannot be ranked."
    if len(complete) == 1:
        return f"Only {complete[0]} has enough results. " + _write_for_one(report, complete[0])
    return _write_for_several(report)


def _write_for_one(report: Report, dataset: str) -> str:
    scores = report.scores
    known = scores.printed.loc[dataset].dropna()
    if known.empty:
        return f"No run on {dataset} has a result."
    best = known.max() if scores.metric.higher_is_better else known.min()
    winners = [str(method) for method in known.index[known == best]]
    cell = score_cells(scores, dataset, with_std=True)[scores.methods.index(winners[0])]
    spread = f" ± {cell.spread}" if cell.spread and len(winners) == 1 else ""
    found = f"{_join(report, winners)} with {cell.number}{spread}"
    if len(known) == 1:
        return f"Only result on {dataset}: {found}."
    comparisons = compare_on(report, dataset, winners[0]) or []
    if not comparisons:
        return f"Too few common runs on {dataset} to tell the methods apart. Best mean: {found}."
    if all(comparison.adjusted >= ALPHA for comparison in comparisons):
        return (
            f"On {dataset} no method differs significantly from the best (corrected resampled "
            f"t-test, {ALPHA}). Best mean: {found}."
        )
    return f"Best on {dataset}: {found}."


def _write_for_several(report: Report) -> str:
    scores = report.complete
    ranks: pd.Series = average_ranks(
        scores.printed, report.request.rank_method, scores.metric.higher_is_better
    )
    shown = ranks.map(format_rank)
    winners = [str(method) for method in shown.index[shown == shown[ranks.idxmin()]]]
    found = f"{_join(report, winners)} ({shown[winners[0]]})"
    over = f"over {len(scores.datasets)} data sets"
    if len(scores.methods) < len(report.models):
        over += f", {len(scores.methods)} of {len(report.models)} methods"
    if len(ranks) > 1 and (test := statistics.run_friedman_test(orient(scores))).p_value >= ALPHA:
        return (
            f"The methods cannot be told apart {over} (Friedman, p = {test.p_value:.2f}). "
            f"Best average rank: {found}."
        )
    return f"Best average rank {over}: {found}."


def _join(report: Report, methods: list[str]) -> str:
    """Return "A", "A and B" or "A, B and C"."""
    *first, last = [report.labels.title(method) for method in methods]
    return f"{', '.join(first)} and {last}" if first else last
