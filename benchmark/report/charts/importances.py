"""How the importance scores of WPFS are distributed."""

import numpy as np
import pandas as pd

from benchmark.report.charts.canvas import Canvas, Path, Rectangle, Text, name_after
from benchmark.report.charts.scale import Scale
from benchmark.report.report import Report
from benchmark.report.study_runs import SPLIT


def draw_first_importances(report: Report, runs: pd.DataFrame) -> list[Canvas]:
    """Draw the scores of the first of these runs on each data set that has any."""
    charts = []
    ordered = runs[runs["status"] == "ok"].sort_values(SPLIT, kind="stable")
    for dataset in report.datasets:
        for run in ordered.index[ordered["dataset"] == dataset][:1]:
            counts = report.arrays.read_importance_counts(int(run))
            if counts is not None:
                charts.append(draw_histogram(dataset + report.labels.mark(dataset), counts))
    return charts


def draw_histogram(title: str, counts: np.ndarray | None, highest: float = 0) -> Canvas:
    """Draw how many features have which importance score, in per cent of the features.

    Parameters
    ----------
    title
        What the run is on.
    counts
        Features per bin; the bins are equally wide and go from 0 to 1. None where a run, or its
        scores, are missing.
    highest
        Where the axis ends, in per cent; at the highest bar when 0.
    """
    width, height, left = 300, 190, 44
    canvas = Canvas(width, height, name_after("importance", title), f"Importance scores on {title}")
    canvas.add(Text(left, 14, title, "start", "title"))
    if counts is None:
        canvas.add(Text(width / 2, height / 2, "no scores", "middle", "tick"))
        return canvas
    share = 100 * counts / max(counts.sum(), 1)
    canvas.description = f"{share[-1]:.1f}% of the features score above 0.95."
    y = Scale(0, highest or max(float(share.max()), 1.0), height - 36, 28)
    x = Scale(0, len(share), left, width - 10)
    for tick in y.ticks(4):
        canvas.add(Path([(left, y(tick)), (width - 10, y(tick))], "grid"))
        canvas.add(Text(left - 5, y(tick) + 4, f"{tick:g}", "end", "tick"))
    for index, value in enumerate(share):
        canvas.add(
            Rectangle(x(index) + 0.5, y(value), x(index + 1) - x(index) - 1, y(0) - y(value), "box")
        )
    for tick in (0, 0.5, 1):
        canvas.add(Text(x(tick * len(share)), height - 21, f"{tick:g}", "middle", "tick"))
    canvas.add(Text((left + width) / 2, height - 6, "importance score", "middle", "tick"))
    return canvas
