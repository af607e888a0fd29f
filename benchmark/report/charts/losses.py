"""Loss curves of WPFS and the MLP."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmark.report.charts.canvas import Canvas, Path, Text, measure_text, name_after
from benchmark.report.charts.scale import Scale
from benchmark.report.charts.style import METHOD_COLOURS
from benchmark.report.report import Report
from benchmark.report.study_runs import SPLIT


def read_curves(report: Report, dataset: str, limit: int) -> list[dict[str, dict[str, Any]]]:
    """Read the curves of the first splits that have any: method -> its run, with ``history``."""
    runs = report.runs.of_main_table
    wanted = (runs["dataset"] == dataset) & (runs["status"] == "ok")
    columns = [*SPLIT, "model", "balanced_accuracy_test"]
    runs = runs.loc[wanted & runs["model"].isin(METHOD_COLOURS), columns]
    splits: list[dict[str, dict[str, Any]]] = []
    for _, of_split in runs.groupby(SPLIT, sort=True):
        if len(splits) == limit:
            break
        curves = {}
        for run, row in of_split.iterrows():
            history = report.arrays.read_history(int(run))
            if len(history):
                curves[row["model"]] = {**row.to_dict(), "history": history}
        if curves:
            splits.append(curves)
    return splits


def draw_first_losses(report: Report) -> list[Canvas]:
    """Draw the curves of the first split, one chart per data set."""
    charts = []
    for dataset in report.datasets:
        for curves in read_curves(report, dataset, limit=1):
            charts.append(draw_losses(report, dataset + report.labels.mark(dataset), curves))
    return charts


def draw_losses(report: Report, title: str, curves: Mapping[str, Mapping[str, Any]]) -> Canvas:
    """Draw training (dashed) and validation (solid) loss of one run per method.

    Parameters
    ----------
    report
        Which names the methods.
    title
        What the runs are on.
    curves
        As ``read_curves`` gives them: method -> ``history`` with ``step``, ``train_loss`` and
        ``valid_loss``, equally long.
    """
    width, height, left, top = 460, 270, 46, 46
    canvas = Canvas(
        width,
        height,
        name_after("loss", title),
        f"Loss curves on {title}",
        "Weighted cross-entropy of one run; dashed on training data, solid on validation data.",
    )
    histories = {model: run["history"] for model, run in curves.items()}
    steps = max(float(history["step"].max()) for history in histories.values())
    losses = np.concatenate(
        [history[key] for history in histories.values() for key in ("train_loss", "valid_loss")]
    )
    # One early spike would flatten everything else.
    highest = float(np.quantile(losses[np.isfinite(losses)], 0.99)) or 1.0
    x, y = Scale(0, steps, left, width - 12), Scale(0, highest, height - 36, top)
    canvas.add(Text(left, 14, title, "start", "title"))
    for tick in y.ticks(4):
        canvas.add(Path([(left, y(tick)), (width - 12, y(tick))], "grid"))
        canvas.add(Text(left - 6, y(tick) + 4, f"{tick:g}", "end", "tick"))
    for tick in x.ticks(5):
        canvas.add(Text(x(tick), height - 20, f"{tick:g}", "middle", "tick"))
    canvas.add(Text((left + width - 12) / 2, height - 5, "training step", "middle", "tick"))
    legend: float = left
    for model, history in histories.items():
        colour, name = METHOD_COLOURS[model], report.labels.title(model)
        for key, kind in (("train_loss", f"{colour}-dashed"), ("valid_loss", colour)):
            points = [
                (x(float(step)), y(min(float(loss), highest)))
                for step, loss in zip(history["step"], history[key], strict=True)
                if np.isfinite(loss)
            ]
            canvas.add(Path(points, kind))
        canvas.add(Path([(legend, 30), (legend + 18, 30)], colour))
        canvas.add(Text(legend + 22, 34, name, "start", "tick"))
        legend += 22 + measure_text([name])
    canvas.add(Text(legend, 34, "dashed: training, solid: validation", "start", "tick"))
    return canvas
