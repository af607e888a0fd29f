"""Every run: one box plot per data set."""

from collections.abc import Collection, Mapping

import numpy as np

from benchmark.report.charts.canvas import (
    Canvas,
    Circle,
    Path,
    Rectangle,
    Text,
    measure_text,
    name_after,
)
from benchmark.report.charts.scale import Scale
from benchmark.report.report import Report
from benchmark.report.table import PROTOCOL_RUNS

_ROW = 22


def draw_boxes(report: Report) -> list[Canvas]:
    """Draw the runs of all methods, one chart per data set."""
    metric, runs = report.request.metric, report.runs.of_main_table
    good = runs[runs["status"] == "ok"].dropna(subset=metric.column)
    by_cell = good.groupby(["dataset", "model"])[metric.column]
    found = {cell: metric.scale * scores.to_numpy() for cell, scores in by_cell}
    charts = []
    for dataset in report.datasets:
        values = {
            report.labels.title(model): found.get((dataset, model), np.empty(0))
            for model in report.models
        }
        failed = [report.labels.title(model) for model in report.scores.list_failed(dataset)]
        name = dataset + report.labels.mark(dataset)
        charts.append(draw_distributions(name, values, metric.phrase, failed))
    return charts


def draw_distributions(
    dataset: str, runs: Mapping[str, np.ndarray], label: str, failed: Collection[str] = ()
) -> Canvas:
    """Draw the distribution of runs on one data set: box, whiskers and every run.

    Parameters
    ----------
    dataset
        Its name, with its mark.
    runs
        Title of a method -> values in the unit shown; empty where there is none.
    label
        Of the axis.
    failed
        Methods with runs of which none ended well.
    """
    labels = [
        title if len(values) in (0, PROTOCOL_RUNS) else f"{title} (n={len(values)})"
        for title, values in runs.items()
    ]
    left = measure_text(labels)
    width, height = left + 320, 30 + _ROW * len(runs) + 34
    medians = "; ".join(f"{t}: median {np.median(v):.2f}" for t, v in runs.items() if len(v))
    canvas = Canvas(width, height, name_after("box", dataset), f"Runs on {dataset}", medians)
    every = np.concatenate([v for v in runs.values() if len(v)] or [np.array([0.0, 1.0])])
    pad = max((every.max() - every.min()) * 0.04, 1e-3)
    scale = Scale(every.min() - pad, every.max() + pad, left, width - 14)
    bottom = 24 + _ROW * len(runs)
    canvas.add(Text(left, 14, dataset, "start", "title"))
    for tick in scale.ticks(5):
        canvas.add(Path([(scale(tick), 22), (scale(tick), bottom)], "grid"))
        canvas.add(Text(scale(tick), bottom + 14, f"{tick:g}", "middle", "tick"))
    canvas.add(Text((left + width - 14) / 2, bottom + 29, label, "middle", "tick"))
    for row, (title, values) in enumerate(runs.items()):
        y = 24 + _ROW * row + _ROW / 2
        canvas.add(Text(left - 8, y + 4, labels[row], "end"))
        if not len(values):
            text, kind = ("failed", "bad") if title in failed else ("no run", "tick")
            canvas.add(Text(left + 4, y + 4, text, "start", kind))
            continue
        low, quarter, median, three, high = np.quantile(values, [0, 0.25, 0.5, 0.75, 1])
        canvas.add(Path([(scale(low), y), (scale(high), y)], "whisker"))
        canvas.add(Rectangle(scale(quarter), y - 6, scale(three) - scale(quarter), 12, "box"))
        canvas.add(Path([(scale(median), y - 7), (scale(median), y + 7)], "median"))
        for index, value in enumerate(values):
            canvas.add(Circle(scale(value), y + (index % 5 - 2) * 1.6, 1.6, "run"))
    return canvas
