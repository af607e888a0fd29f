"""Result tables: data sets x methods, average ranks, and the summary of methods."""

from collections.abc import Mapping, Sequence

import pandas as pd

from benchmark.report.ranks import RANK_METHODS, average_ranks, format_rank, rank_methods
from benchmark.report.remarks import DatasetRemark, explain_marks
from benchmark.report.scores import Scores
from benchmark.report.table import PROTOCOL_RUNS, Cell, Place, Row, Table

Remarks = Mapping[str, DatasetRemark]


def build_main_table(
    scores: Scores,
    titles: Mapping[str, str],
    remarks: Remarks,
    rank_method: str,
    with_std: bool = False,
    notes: Sequence[str] = (),
) -> Table:
    """Build the paper's Table 2 (or, with standard deviations, its full table).

    Parameters
    ----------
    scores
        Data sets x methods.
    titles
        Method -> head of its column.
    remarks
        Data set -> what has to be said of it.
    rank_method
        A key of ``RANK_METHODS``.
    with_std
        Show standard deviations.
    notes
        Further sentences below the table.
    """
    rows = [
        Row(dataset, score_cells(scores, dataset, with_std), _mark(dataset, remarks))
        for dataset in scores.datasets
    ]
    rank_row, rank_note = _rank_row(scores, rank_method)
    kind = "mean ± sample standard deviation" if with_std else "mean"
    count = int(scores.n.to_numpy().max(initial=0))
    runs = f"over {PROTOCOL_RUNS} runs unless n says otherwise"
    if 0 < count < PROTOCOL_RUNS:
        runs = "over n runs"
    return Table(
        name="full" if with_std else "main",
        title=f"{scores.metric.label}, {kind} {runs}",
        head="data set",
        columns=tuple(titles[method] for method in scores.methods),
        rows=(*rows, rank_row),
        notes=(
            rank_note,
            *explain_marks(scores.datasets, remarks),
            *_explain_empty(scores),
            *notes,
        ),
    )


def build_rank_table(
    scores: Scores, titles: Mapping[str, str], remarks: Remarks, rank_method: str
) -> Table:
    """Build the table of ranks per data set, over the complete data sets only."""
    complete = scores.complete_datasets()
    metric = scores.metric
    mean = scores.mean.loc[complete]
    ranks = rank_methods(mean, rank_method, metric.higher_is_better)
    rows = []
    for dataset in scores.datasets:
        cells = (
            tuple(
                Cell(format_rank(rank), place=_place_of_rank(rank)) for rank in ranks.loc[dataset]
            )
            if dataset in complete
            else tuple(_empty_cell(scores, dataset, method) for method in scores.methods)
        )
        rows.append(Row(dataset, cells, _mark(dataset, remarks)))
    rank_row, rank_note = _rank_row(scores, rank_method)
    return Table(
        name="ranks",
        title=f"Ranks by {metric.label}, 1 the best",
        head="data set",
        columns=tuple(titles[method] for method in scores.methods),
        rows=(*rows, rank_row),
        notes=(
            rank_note,
            *explain_marks(scores.datasets, remarks),
            *_explain_empty(scores),
        ),
    )


def build_summary_table(
    scores: Scores,
    seconds: Mapping[str, float],
    titles: Mapping[str, str],
    remarks: Remarks,
    rank_method: str,
) -> Table:
    """Build the list of methods, best first: rank, mean ± std, runs and time.

    Parameters
    ----------
    scores
        Data sets x methods.
    seconds
        Method -> median duration of a run.
    titles
        Method -> its title.
    remarks
        Data set -> what has to be said of it.
    rank_method
        A key of ``RANK_METHODS``.
    """
    metric = scores.metric
    complete = scores.complete_datasets()
    single = len(scores.datasets) == 1
    ranks = average_ranks(scores.mean.loc[complete], rank_method, metric.higher_is_better)
    means = scores.mean.loc[complete].mean(axis=0)
    order = sorted(
        scores.methods,
        key=lambda m: (
            pd.isna(ranks.get(m)),
            ranks.get(m, 0.0),
            -means[m] if metric.higher_is_better else means[m],
        ),
    )
    dataset = scores.datasets[0] if single else None
    rows = []
    for method in order:
        runs, failures = int(scores.n[method].sum()), int(scores.failed[method].sum())
        rank = ranks.get(method, float("nan"))
        value, std = means[method], float("nan")
        if dataset is not None:
            value, std = scores.mean.loc[dataset, method], scores.std.loc[dataset, method]
        state = "failed" if failures and not runs else "missing"
        result = (
            Cell(state=state)
            if pd.isna(value)
            else Cell(float(value) * metric.scale, std=std * metric.scale, digits=metric.digits)
        )
        duration = seconds.get(method, float("nan"))
        rows.append(
            Row(
                titles[method],
                (
                    Cell(state="missing") if pd.isna(rank) else Cell(format_rank(rank)),
                    result,
                    Cell(runs),
                    Cell(failures, tone="bad" if failures else ""),
                    Cell(state="missing") if pd.isna(duration) else Cell(format_duration(duration)),
                ),
            )
        )
    where = scores.datasets[0] if single else f"{len(complete)} data sets"
    notes = [] if single else [_rank_row(scores, rank_method)[1]]
    if single:
        notes.append(
            "One data set: ranks order its means and say nothing of other data. "
            "± is the standard deviation over runs."
        )
    return Table(
        name="summary",
        title=f"Methods on {where}, best first. {metric.label}",
        head="method",
        columns=("rank", metric.title, "runs", "failed", "median time per run"),
        rows=tuple(rows),
        notes=(*notes, *explain_marks(scores.datasets, remarks)),
    )


def score_cells(scores: Scores, dataset: str, with_std: bool) -> tuple[Cell, ...]:
    """Build the cells of one data set, the best and the second marked."""
    metric = scores.metric
    shown = (scores.mean.loc[dataset] * metric.scale).round(metric.digits)
    levels = sorted(shown.dropna().unique(), reverse=metric.higher_is_better)
    places: dict[float, Place] = {}
    if len(levels) > 1:
        places = {levels[0]: "best", levels[1]: "second"}
    cells = []
    for method in scores.methods:
        mean = scores.mean.loc[dataset, method]
        if pd.isna(mean):
            cells.append(_empty_cell(scores, dataset, method))
            continue
        cells.append(
            Cell(
                float(mean) * metric.scale,
                std=scores.std.loc[dataset, method] * metric.scale if with_std else None,
                n=int(scores.n.loc[dataset, method]),
                digits=metric.digits,
                place=places.get(shown[method], ""),
                failed=int(scores.failed.loc[dataset, method]),
            )
        )
    return tuple(cells)


def format_duration(seconds: float) -> str:
    """Write a duration in the largest fitting unit."""
    if seconds < 100:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    if seconds < 6000:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def _rank_row(scores: Scores, rank_method: str) -> tuple[Row, str]:
    complete = scores.complete_datasets()
    label = "average rank"
    if not complete:
        cells = tuple(Cell(state="missing") for _ in scores.methods)
        note = "No data set has a result of every method, so there is no average rank."
        return Row(label, cells, rule=True), note
    ranks = average_ranks(scores.mean.loc[complete], rank_method, scores.metric.higher_is_better)
    levels = sorted(ranks.unique())
    cells = tuple(
        Cell(
            format_rank(rank),
            place="best" if rank == levels[0] and len(levels) > 1 else "",
        )
        for rank in ranks
    )
    left_out = [name for name in scores.datasets if name not in complete]
    over = f"over {len(complete)} data set{'s' if len(complete) > 1 else ''}"
    note = f"Average rank {over}: {RANK_METHODS[rank_method]}."
    if left_out:
        note += f" Left out for missing results: {', '.join(left_out)}."
    return Row(label, cells, rule=True), note


def _empty_cell(scores: Scores, dataset: str, method: str) -> Cell:
    failed = int(scores.failed.loc[dataset, method])
    if scores.n.loc[dataset, method]:
        return Cell(state="missing")
    return Cell(n=0, state="failed" if failed else "missing", failed=failed)


def _explain_empty(scores: Scores) -> tuple[str, ...]:
    empty = scores.mean.isna()
    if not empty.to_numpy().any():
        return ()
    failed = int((empty & (scores.failed > 0)).to_numpy().sum())
    missing = int(empty.to_numpy().sum()) - failed
    return (f"{missing} cells were not run (—), in {failed} every run failed; none is filled in.",)


def _place_of_rank(rank: float) -> Place:
    if rank == 1:
        return "best"
    return "second" if rank == 2 else ""


def _mark(dataset: str, remarks: Remarks) -> str:
    remark = remarks.get(dataset)
    return remark.mark if remark else ""
