"""Methods x data sets as a heat map."""

import math

from benchmark.report.aggregate import Scores
from benchmark.report.charts.canvas import Canvas, Rectangle, Text
from benchmark.report.report import Report

#: Darkest and lightest (a single hue: readable without colour vision).
_DEEP, _PALE = (8, 81, 156), (247, 251, 255)
#: Points below the best at which a cell is palest.
_RANGE = 20.0

_CELL_W, _CELL_H = 62, 26

#: Pixels between groups of data sets.
_GAP = 14


def draw_heat_map(report: Report) -> Canvas:
    """Draw methods x data sets; the darker, the nearer to the best on that data set.

    A gap parts the paper's data sets and their stand-ins from the others.
    """
    scores, labels, metric = report.scores, report.labels, report.scores.metric
    left, top = 190, 120
    groups = labels.group_datasets(scores.datasets)
    # A turned head reaches beyond its column, about 5.5 pixels a letter.
    overhang = max(40.0, 5.5 * len(scores.datasets[-1]) - _CELL_W / 2 + 8)
    canvas = Canvas(
        left + _CELL_W * len(scores.datasets) + _GAP * (len(groups) - 1) + overhang,
        top + _CELL_H * len(scores.methods) + 8,
        "heat-map",
        f"Heat map of {metric.phrase}",
        "The same numbers as in the main table; a darker cell is nearer to the best method on "
        "that data set.",
    )
    for row, method in enumerate(scores.methods):
        canvas.add(Text(left - 8, top + _CELL_H * row + 17, labels.title(method), "end"))
    x = float(left)
    for datasets in groups.values():
        for dataset in datasets:
            head = dataset + labels.mark(dataset)
            canvas.add(Text(x + _CELL_W / 2, top - 8, head, turn=-35))
            for row, method in enumerate(scores.methods):
                _draw_cell(canvas, scores, dataset, method, (x, top + _CELL_H * row))
            x += _CELL_W
        x += _GAP
    return canvas


def _draw_cell(
    canvas: Canvas, scores: Scores, dataset: str, method: str, corner: tuple[float, float]
) -> None:
    (x, y), metric = corner, scores.metric
    values = scores.mean.loc[dataset] * metric.scale
    best = values.max() if metric.higher_is_better else values.min()
    reach = _RANGE if metric.percent else _RANGE / 100
    value = values[method]
    if math.isnan(value):
        failed = scores.failed.loc[dataset, method] > 0
        text, kind = ("failed", "bad") if failed else ("—", "label")
        canvas.add(Rectangle(x, y, _CELL_W - 2, _CELL_H - 2, "empty"))
    else:
        share = 1 - min(1.0, abs(best - value) / reach)
        canvas.add(Rectangle(x, y, _CELL_W - 2, _CELL_H - 2, "heat", mix_shade(share)))
        text = f"{value:.{1 if metric.percent else metric.digits}f}"
        kind = "on-dark" if share > 0.55 else "on-pale"
    canvas.add(Text(x + _CELL_W / 2 - 1, y + 16, text, "middle", kind))


def mix_shade(share: float) -> str:
    """Return the colour between the palest (0) and the darkest (1)."""
    channels = (
        round(pale + (deep - pale) * share) for deep, pale in zip(_DEEP, _PALE, strict=True)
    )
    return "#" + "".join(f"{channel:02x}" for channel in channels)
