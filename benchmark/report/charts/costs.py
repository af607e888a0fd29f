"""Time of a run against its score."""

from collections.abc import Mapping

import pandas as pd

from benchmark.report.charts.canvas import Canvas, Circle, Path, Text
from benchmark.report.charts.scale import Scale
from benchmark.report.report import Report


def draw_costs(report: Report) -> Canvas | None:
    """Draw the methods' mean scores over complete data sets; None if there are none."""
    metric, runs = report.request.metric, report.runs.of_main_table
    seconds = runs[runs["status"] == "ok"].groupby("model")["seconds"].median()
    means = report.complete.mean.mean(axis=0) * metric.scale
    points = {
        report.labels.title(model): (float(seconds[model]), float(means[model]))
        for model in report.complete.methods
        if pd.notna(means[model]) and pd.notna(seconds.get(model))
    }
    return draw_points(points, f"mean {metric.phrase}") if points else None


def draw_points(points: Mapping[str, tuple[float, float]], label: str) -> Canvas:
    """Draw time against score: title of a method -> (seconds, score in the unit shown)."""
    width, height, left = 620, 340, 58
    facts = "; ".join(f"{title}: {value:.2f} in {s:.1f} s" for title, (s, value) in points.items())
    canvas = Canvas(width, height, "costs", "Time against score", facts)
    seconds = [max(point[0], 1e-3) for point in points.values()]
    values = [point[1] for point in points.values()]
    pad = max((max(values) - min(values)) * 0.1, 0.5)
    x = Scale(min(seconds) / 1.6, max(seconds) * 4, left, width - 10, logarithmic=True)
    y = Scale(min(values) - pad, max(values) + pad, height - 42, 24)
    for tick in y.ticks(5):
        canvas.add(Path([(left, y(tick)), (width - 10, y(tick))], "grid"))
        canvas.add(Text(left - 6, y(tick) + 4, f"{tick:g}", "end", "tick"))
    for tick in x.ticks():
        canvas.add(Path([(x(tick), 24), (x(tick), height - 42)], "grid"))
        canvas.add(Text(x(tick), height - 26, f"{tick:g}", "middle", "tick"))
    canvas.add(Text((left + width) / 2, height - 8, "seconds per run (median)", "middle", "tick"))
    canvas.add(Text(left, 14, label, "start", "tick"))
    taken: list[tuple[float, float]] = []
    for title, (second, value) in sorted(points.items(), key=lambda item: -item[1][1]):
        px, py = x(max(second, 1e-3)), y(value)
        ly = py + 4
        while any(abs(ly - ty) < 13 and abs(px - tx) < 110 for tx, ty in taken):
            ly += 13
        taken.append((px, ly))
        if ly != py + 4:
            canvas.add(Path([(px, py), (px + 8, ly - 4)], "leader"))
        canvas.add(Circle(px, py, 4, "point", f"{title}: {value:.2f} in {second:.1f} s"))
        canvas.add(Text(px + 9, ly, title))
    return canvas
