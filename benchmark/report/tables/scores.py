"""Data sets x methods: the paper's Table 2, the full table with deviations, and the ranks."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pandas as pd

from benchmark.report.aggregate import Scores
from benchmark.report.labels import Labels
from benchmark.report.ranks import RANK_METHODS, average_ranks, rank_methods
from benchmark.report.report import Report
from benchmark.report.table import PROTOCOL_RUNS, Cell, Place, Row, Table
from benchmark.report.tables.cells import empty_cell, rank_cell, score_cells
from benchmark.text import count_noun

#: Rank on a data set -> how its cell is marked.
_PLACES: dict[float, Place] = {1: "best", 2: "second"}


def build_main(report: Report) -> list[Table]:
    """Build the means of the runs."""
    return [_build_scores(report, with_std=False)]


def build_full(report: Report) -> list[Table]:
    """Build means and standard deviations of the runs."""
    return [_build_scores(report, with_std=True)]


def build_groups(report: Report) -> list[Table]:
    """Build means and standard deviations, a table for each group of data sets.

    Each has the average ranks of its own group. Methods are rows: there are more of them.
    """
    groups = report.labels.group_datasets(report.datasets)
    if len(groups) < 2:
        return [table.transpose() for table in build_full(report)]
    tables = []
    for number, (group, datasets) in enumerate(groups.items(), start=1):
        scores = report.scores.select(datasets, report.models)
        method = report.request.rank_method
        table = build_score_table(scores, report.labels, method, with_std=True, notes=report.notes)
        title = f"{group}: {table.title[0].lower()}{table.title[1:]}"
        tables.append(replace(table, name=f"full-{number}", title=title).transpose())
    return tables


def build_ranks(report: Report) -> list[Table]:
    """Build the ranks of the methods."""
    rank_method, notes = report.request.rank_method, _explain_unrun(report)
    return [build_rank_table(report.scores, report.labels, rank_method, notes, report.complete)]


def _build_scores(report: Report, with_std: bool) -> Table:
    notes = (*_explain_unrun(report), *report.notes)
    return build_score_table(
        report.scores,
        report.labels,
        report.request.rank_method,
        with_std,
        notes,
        complete=report.complete,
    )


def build_score_table(
    scores: Scores,
    labels: Labels,
    rank_method: str,
    with_std: bool = False,
    notes: Sequence[str] = (),
    spread: str = "sample standard deviation",
    complete: Scores | None = None,
) -> Table:
    """Build the paper's Table 2 (or, with standard deviations, its full table).

    Parameters
    ----------
    scores, labels, rank_method
        Of all methods.
    with_std
        Show standard deviations.
    notes
        To stand below the others.
    spread
        Names the standard deviation: the paper does not say which one its is.
    complete
        The part to rank; the largest without an empty cell when None.
    """
    kind = f"mean ± {spread}" if with_std else "mean"
    count = int(scores.n.to_numpy().max(initial=0))
    runs = f"over {PROTOCOL_RUNS} runs unless n says otherwise"
    if 0 < count < PROTOCOL_RUNS:
        runs = "over n runs"
    cells = (score_cells(scores, dataset, with_std) for dataset in scores.datasets)
    name, title = "full" if with_std else "main", f"{scores.metric.label}, {kind} {runs}"
    part = scores.find_complete() if complete is None else complete
    return _tabulate(name, title, scores, part, labels, cells, rank_method, notes)


def build_rank_table(
    scores: Scores,
    labels: Labels,
    rank_method: str,
    notes: Sequence[str] = (),
    complete: Scores | None = None,
) -> Table:
    """Build the ranks per data set; only the complete part of the table has any."""
    part, metric = scores.find_complete() if complete is None else complete, scores.metric
    ranks = rank_methods(part.printed, rank_method, metric.higher_is_better)

    def build_cell(dataset: str, method: str) -> Cell:
        if dataset in part.datasets and method in part.methods:
            rank = ranks.loc[dataset, method]
            return rank_cell(rank, _PLACES.get(rank, ""))
        if pd.notna(scores.mean.loc[dataset, method]):
            return Cell(state="left out")
        return empty_cell(scores, dataset, method)

    cells = (
        tuple(build_cell(dataset, method) for method in scores.methods)
        for dataset in scores.datasets
    )
    title = f"Ranks by {metric.phrase}, 1 the best"
    return _tabulate("ranks", title, scores, part, labels, cells, rank_method, notes)


def _tabulate(
    name: str,
    title: str,
    scores: Scores,
    complete: Scores,
    labels: Labels,
    cells: Iterable[tuple[Cell, ...]],
    rank_method: str,
    notes: Sequence[str],
) -> Table:
    """Build data sets x methods with the average ranks below."""
    rank_row, rank_notes = _rank_row(scores, complete, labels, rank_method)
    rows = (
        Row(dataset, of_dataset, labels.mark(dataset))
        for dataset, of_dataset in zip(scores.datasets, cells, strict=True)
    )
    return Table(
        name,
        title,
        head="data set",
        columns=tuple(labels.title(method) for method in scores.methods),
        rows=(*rows, rank_row),
        notes=(
            *rank_notes,
            *labels.explain_marks(scores.datasets),
            *explain_gaps(scores, labels),
            *notes,
        ),
        across="method",
    )


def _rank_row(
    scores: Scores, complete: Scores, labels: Labels, rank_method: str
) -> tuple[Row, tuple[str, ...]]:
    label = "average rank"
    if not complete.datasets:
        cells = tuple(Cell(state="missing") for _ in scores.methods)
        note = "No data set has a result of every method, so there is no average rank."
        return Row(label, cells, footer=True), (note,)
    ranks = average_ranks(complete.printed, rank_method, scores.metric.higher_is_better)
    best = ranks.min() if ranks.max() > ranks.min() else None
    cells = tuple(
        rank_cell(rank, "best" if rank == best else "") for rank in ranks.reindex(scores.methods)
    )
    note = (
        f"Average rank over {count_noun(len(complete.datasets), 'data set')}: "
        f"{RANK_METHODS[rank_method]}."
    )
    return Row(label, cells, footer=True), (note, *explain_left_out(scores, complete, labels))


def explain_left_out(scores: Scores, complete: Scores, labels: Labels) -> tuple[str, ...]:
    """Return a note: which data sets and methods are not ranked or tested because of empty cells.

    Parameters
    ----------
    scores
        All that is shown.
    complete
        The part that is ranked.
    labels
        Of the methods.
    """
    unrun = scores.unrun
    datasets = [name for name in scores.datasets if name not in (*complete.datasets, *unrun)]
    methods = [labels.title(name) for name in scores.methods if name not in complete.methods]
    named = [", ".join(names) for names in (datasets, methods) if names]
    if not named:
        return ()
    return (
        f"Ranked are {count_noun(len(complete.datasets), 'data set')} and "
        f"{count_noun(len(complete.methods), 'method')} with enough runs in every cell, not "
        f"{'; '.join(named)}.",
    )


def _explain_unrun(report: Report) -> tuple[str, ...]:
    """Name the data sets on which nothing was run, and the command that runs them."""
    unrun = report.scores.unrun
    if not unrun:
        return ()
    command = f"run --model {','.join(report.scores.methods)} --dataset {','.join(unrun)}"
    if report.request.preset != "paper":
        command += f" --hyperparameters {report.request.preset}"
    return (
        f"Not run here: {', '.join(unrun)}. After `wpfs-bench download`, this runs them: "
        f"`wpfs-bench {command}`.",
    )


def explain_gaps(scores: Scores, labels: Labels) -> tuple[str, ...]:
    """Return notes: which cells are empty and which runs failed; nothing is ever filled in."""
    notes = []
    unrun = scores.unrun
    tried = (scores.failed + scores.unmeasured).drop(index=unrun)
    missing = int((scores.mean.drop(index=unrun).isna() & (tried == 0)).to_numpy().sum())
    if missing:
        cells = "1 cell has" if missing == 1 else f"{missing} cells have"
        notes.append(f"{cells} no run (—) and {'is' if missing == 1 else 'are'} left empty.")
    if failures := _list_runs(scores.failed, labels):
        notes.append(f"Failed runs, left out of the means: {failures}.")
    return (*notes, *explain_unmeasured(scores, labels))


def explain_unmeasured(scores: Scores, labels: Labels) -> tuple[str, ...]:
    """Return a note that names the runs without the metric, if there are any."""
    runs = _list_runs(scores.unmeasured, labels)
    if not runs:
        return ()
    return (
        f"Not available (—): {scores.metric.title} of runs that give no probabilities or lack a "
        f"class: {runs}.",
    )


def _list_runs(counts: pd.DataFrame, labels: Labels) -> str:
    """Return "method (data set count, ...); ..." of the counts above zero."""
    listed = []
    positive = counts > 0
    for method in counts.columns[positive.any()]:
        found = counts.loc[positive[method], method]
        where = ", ".join(f"{name} {count}" for name, count in found.items())
        listed.append(f"{labels.title(str(method))} ({where})")
    return "; ".join(listed)
