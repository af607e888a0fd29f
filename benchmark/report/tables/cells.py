"""Cells that several tables have: scores with their places, ranks, durations, and empty ones."""

import math

import numpy as np
import pandas as pd

from benchmark.report.aggregate import Scores
from benchmark.report.ranks import format_rank
from benchmark.report.table import Cell, Place, State
from benchmark.text import show_duration


def score_cells(scores: Scores, dataset: str, with_std: bool) -> tuple[Cell, ...]:
    """Build the cells of one data set, the best and the second marked."""
    metric = scores.metric
    means, shown = scores.mean.loc[dataset], scores.printed.loc[dataset]
    stds, counts, failed = (f.loc[dataset] for f in (scores.std, scores.n, scores.failed))
    levels = sorted(shown.dropna().unique(), reverse=metric.higher_is_better)
    places: dict[float, Place] = {}
    if len(levels) > 1:
        places = {levels[0]: "best", levels[1]: "second"}
    cells = []
    for method in scores.methods:
        mean = means[method]
        if pd.isna(mean):
            cells.append(empty_cell(scores, dataset, method))
            continue
        cells.append(
            Cell(
                float(mean) * metric.scale,
                std=stds[method] * metric.scale if with_std else None,
                n=int(counts[method]),
                digits=metric.digits,
                place=places.get(shown[method], ""),
                failed=int(failed[method]),
            )
        )
    return tuple(cells)


def empty_cell(scores: Scores, dataset: str, method: str) -> Cell:
    """Build the cell of a method without a score: failed, missing, or nothing run at all."""
    failed = int(scores.failed.loc[dataset, method])
    if scores.n.loc[dataset, method]:
        return Cell(state="missing")
    state: State = "failed" if failed else "missing"
    return Cell(n=0, state="unrun" if dataset in scores.unrun else state, failed=failed)


def rank_cell(rank: float, place: Place = "") -> Cell:
    """Build the cell of a rank or an average rank."""
    if pd.isna(rank):
        return Cell(state="missing")
    return Cell(float(rank), text=format_rank(rank), place=place)


def duration_cell(seconds: float) -> Cell:
    """Build the cell of a duration, a number of seconds written in a fitting unit."""
    if pd.isna(seconds):
        return Cell(state="missing")
    return Cell(float(seconds), text=show_duration(seconds))


def deviate(values: np.ndarray) -> float:
    """Return the sample standard deviation of values (n,), NaN of a single one."""
    return float(values.std(ddof=1)) if len(values) > 1 else math.nan
