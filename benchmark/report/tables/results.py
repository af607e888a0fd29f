"""Result tables: data sets x methods, average ranks, and the summary of methods."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from benchmark.report.aggregate import Scores
from benchmark.report.labels import DatasetRemark, explain_marks
from benchmark.report.ranks import RANK_METHODS, average_ranks, format_rank, rank_methods
from benchmark.report.table import PROTOCOL_RUNS, Cell, Place, Row, State, Table
from benchmark.text import show_duration

Remarks = Mapping[str, DatasetRemark]


def build_main_table(
    scores: Scores,
    titles: Mapping[str, str],
    remarks: Remarks,
    rank_method: str,
    with_std: bool = False,
    notes: Sequence[str] = (),
    spread: str = "sample standard deviation",
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
    spread
        What the standard deviation is; the paper does not say which one its is.
    """
    rows = [
        Row(dataset, score_cells(scores, dataset, with_std), _mark(dataset, remarks))
        for dataset in scores.datasets
    ]
    rank_row, rank_note = _rank_row(scores, rank_method)
    kind = f"mean ± {spread}" if with_std else "mean"
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
            *explain_gaps(scores, titles),
            *notes,
        ),
    )


def build_rank_table(
    scores: Scores,
    titles: Mapping[str, str],
    remarks: Remarks,
    rank_method: str,
    notes: Sequence[str] = (),
) -> Table:
    """Build the table of ranks per data set, over the complete data sets only."""
    complete = scores.complete_datasets()
    metric = scores.metric
    ranks = rank_methods(scores.printed.loc[complete], rank_method, metric.higher_is_better)
    rows = []
    for dataset in scores.datasets:
        cells = (
            tuple(
                Cell(float(rank), text=format_rank(rank), place=_place_of_rank(rank))
                for rank in ranks.loc[dataset]
            )
            if dataset in complete
            else tuple(_unranked_cell(scores, dataset, method) for method in scores.methods)
        )
        rows.append(Row(dataset, cells, _mark(dataset, remarks)))
    rank_row, rank_note = _rank_row(scores, rank_method)
    return Table(
        name="ranks",
        title=f"Ranks by {metric.phrase}, 1 the best",
        head="data set",
        columns=tuple(titles[method] for method in scores.methods),
        rows=(*rows, rank_row),
        notes=(
            rank_note,
            *explain_marks(scores.datasets, remarks),
            *explain_gaps(scores, titles),
            *notes,
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
    ranks = average_ranks(scores.printed.loc[complete], rank_method, metric.higher_is_better)
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
        runs = int((scores.n + scores.unmeasured)[method].sum())
        failures = int(scores.failed[method].sum())
        rank = ranks.get(method, float("nan"))
        value, std = means[method], float("nan")
        if dataset is not None:
            value, std = scores.mean.loc[dataset, method], scores.std.loc[dataset, method]
        state: State = "failed" if failures and not runs else "missing"
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
                    rank_cell(rank),
                    result,
                    Cell(runs),
                    Cell(failures, tone="bad" if failures else ""),
                    duration_cell(duration),
                ),
            )
        )
    if single:
        where = scores.datasets[0]
        note = (
            "± is the standard deviation over runs. One data set: the ranks order its means and "
            "say nothing of other data."
        )
    else:
        where = f"{len(complete)} of {len(scores.datasets)} data sets"
        note = f"Means and ranks are over the {len(complete)} data sets that every method has."
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
            note,
            *(explain_marks(scores.datasets, remarks) if single else ()),
            *explain_unmeasured(scores, titles),
        ),
    )


def score_cells(scores: Scores, dataset: str, with_std: bool) -> tuple[Cell, ...]:
    """Build the cells of one data set, the best and the second marked."""
    metric = scores.metric
    shown = scores.printed.loc[dataset]
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


def rank_cell(rank: float) -> Cell:
    """Build the cell of an average rank."""
    if pd.isna(rank):
        return Cell(state="missing")
    return Cell(float(rank), text=format_rank(rank))


def duration_cell(seconds: float) -> Cell:
    """Build the cell of a duration, a number of seconds written in a fitting unit."""
    if pd.isna(seconds):
        return Cell(state="missing")
    return Cell(float(seconds), text=show_duration(seconds))


def _rank_row(scores: Scores, rank_method: str) -> tuple[Row, str]:
    complete = scores.complete_datasets()
    label = "average rank"
    if not complete:
        cells = tuple(Cell(state="missing") for _ in scores.methods)
        note = "No data set has a result of every method, so there is no average rank."
        return Row(label, cells, footer=True), note
    ranks = average_ranks(scores.printed.loc[complete], rank_method, scores.metric.higher_is_better)
    levels = sorted(ranks.unique())
    cells = tuple(
        replace(
            rank_cell(rank),
            place="best" if rank == levels[0] and len(levels) > 1 else "",
        )
        for rank in ranks
    )
    explained = {*complete, *scores.list_unrun()}
    left_out = [name for name in scores.datasets if name not in explained]
    over = f"over {len(complete)} data set{'s' if len(complete) > 1 else ''}"
    note = f"Average rank {over}: {RANK_METHODS[rank_method]}."
    if left_out:
        note += f" Left out for missing results: {', '.join(left_out)}."
    return Row(label, cells, footer=True), note


def _empty_cell(scores: Scores, dataset: str, method: str) -> Cell:
    failed = int(scores.failed.loc[dataset, method])
    if scores.n.loc[dataset, method]:
        return Cell(state="missing")
    state: State = "failed" if failed else "missing"
    return Cell(n=0, state="unrun" if dataset in scores.list_unrun() else state, failed=failed)


def _unranked_cell(scores: Scores, dataset: str, method: str) -> Cell:
    """Tell a result that takes no part in the ranks from one that is not there."""
    if pd.notna(scores.mean.loc[dataset, method]):
        return Cell(state="left out")
    return _empty_cell(scores, dataset, method)


def explain_unrun(scores: Scores, setting: str) -> tuple[str, ...]:
    """Name the data sets on which nothing was run, and the command that does it.

    Parameters
    ----------
    scores
        Data sets x methods.
    setting
        Of the hyper-parameters: ``paper``, ``default`` or ``tuned``.
    """
    unrun = scores.list_unrun()
    if not unrun:
        return ()
    command = f"run --model {','.join(scores.methods)} --dataset {','.join(unrun)}"
    if setting != "paper":
        command += f" --hyperparameters {setting}"
    return (
        f"Not run here: {', '.join(unrun)}. After `wpfs-bench download`, this runs them: "
        f"`wpfs-bench {command}`.",
    )


def explain_gaps(scores: Scores, titles: Mapping[str, str]) -> tuple[str, ...]:
    """Say which cells are empty and which runs failed; nothing is ever filled in."""
    notes = []
    unrun = scores.list_unrun()
    tried = (scores.failed + scores.unmeasured).drop(index=unrun)
    missing = int((scores.mean.drop(index=unrun).isna() & (tried == 0)).to_numpy().sum())
    if missing:
        cells = "1 cell has" if missing == 1 else f"{missing} cells have"
        notes.append(f"{cells} no run (—) and {'is' if missing == 1 else 'are'} left empty.")
    if failures := _list_runs(scores.failed, titles):
        notes.append(f"Failed runs, left out of the means: {failures}.")
    return (*notes, *explain_unmeasured(scores, titles))


def explain_unmeasured(scores: Scores, titles: Mapping[str, str]) -> tuple[str, ...]:
    """Return a note that names the runs without the metric, if there are any."""
    runs = _list_runs(scores.unmeasured, titles)
    if not runs:
        return ()
    return (
        f"Not available (—): {scores.metric.title} of runs that give no probabilities or lack a "
        f"class: {runs}.",
    )


def _list_runs(counts: pd.DataFrame, titles: Mapping[str, str]) -> str:
    """Return "method (data set count, ...); ..." of the counts above zero."""
    listed = []
    for method, per_dataset in counts.items():
        found = per_dataset[per_dataset > 0]
        if len(found):
            where = ", ".join(f"{name} {count}" for name, count in found.items())
            listed.append(f"{titles[str(method)]} ({where})")
    return "; ".join(listed)


def _place_of_rank(rank: float) -> Place:
    if rank == 1:
        return "best"
    return "second" if rank == 2 else ""


def _mark(dataset: str, remarks: Remarks) -> str:
    remark = remarks.get(dataset)
    return remark.mark if remark else ""
