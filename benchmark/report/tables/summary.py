"""The methods, best first."""

import math
from dataclasses import replace

import pandas as pd

from benchmark.report.ranks import RANK_METHODS, average_ranks
from benchmark.report.report import Report
from benchmark.report.table import Cell, Row, Table
from benchmark.report.tables.cells import duration_cell, rank_cell
from benchmark.report.tables.scores import build_main, explain_left_out, explain_unmeasured
from benchmark.text import count_noun


def build_summary(report: Report) -> list[Table]:
    """Build the list of methods and, for several data sets, the means below it."""
    table = _build_list(report)
    if len(report.datasets) > 1:
        return [table, *build_main(report)]
    return [replace(table, notes=(*table.notes, *report.notes))]


def _build_list(report: Report) -> Table:
    """Build one row per method: rank, mean ± std, runs and time."""
    scores, metric = report.scores, report.scores.metric
    complete = report.complete
    single = len(scores.datasets) == 1
    ranks = average_ranks(complete.printed, report.request.rank_method, metric.higher_is_better)
    means = complete.mean.mean(axis=0).reindex(scores.methods)
    stds = pd.Series(float("nan"), index=means.index)
    if single:
        means, stds = scores.mean.iloc[0], scores.std.iloc[0]
    runs = report.runs.of_main_table
    seconds = runs[runs["status"] == "ok"].groupby("model")["seconds"].median()

    def place(method: str) -> tuple[bool, float, float]:
        rank = ranks.get(method)
        mean = -means[method] if metric.higher_is_better else means[method]
        mean = math.inf if pd.isna(mean) else mean
        return (True, 0.0, mean) if pd.isna(rank) else (False, rank, mean)

    rows = []
    for method in sorted(scores.methods, key=place):
        done = int((scores.n + scores.unmeasured)[method].sum())
        failed = int(scores.failed[method].sum())
        mean = means[method] * metric.scale
        rows.append(
            Row(
                report.labels.title(method),
                (
                    rank_cell(ranks.get(method, float("nan"))),
                    Cell(state="failed" if failed and not done else "missing")
                    if pd.isna(mean)
                    else Cell(float(mean), stds[method] * metric.scale, digits=metric.digits),
                    Cell(done),
                    Cell(failed, tone="bad" if failed else ""),
                    duration_cell(seconds.get(method, float("nan"))),
                ),
            )
        )
    where = f"{len(complete.datasets)} of {len(scores.datasets)} data sets"
    notes = (
        f"Means and ranks are over {count_noun(len(complete.datasets), 'data set')}; ranks: "
        f"{RANK_METHODS[report.request.rank_method]}.",
        *explain_left_out(scores, complete, report.labels),
    )
    if single:
        where = scores.datasets[0]
        notes = (
            "± is the standard deviation over runs. One data set: the ranks order its means and "
            "say nothing of other data.",
        )
    return Table(
        name="summary",
        title=f"Methods on {where}, best first: {metric.phrase}",
        head="method",
        columns=(
            "rank" if single else "average rank",
            metric.title if single else f"mean {metric.title}",
            "runs",
            "failed",
            "median time per run",
        ),
        rows=tuple(rows),
        notes=(
            *notes,
            *(report.labels.explain_marks(scores.datasets) if single else ()),
            *explain_unmeasured(scores, report.labels),
        ),
    )
