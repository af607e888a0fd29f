"""Methods x data sets as a heat map."""

import math

from benchmark.report.charts.canvas import Canvas, Rectangle, Text
from benchmark.report.report import Report

#: Darkest and lightest (a single hue: readable without colour vision).
_DEEP, _PALE = (8, 81, 156), (247, 251, 255)
#: Points below the best at which a cell is palest.
_RANGE = 20.0


def draw_heat_map(report: Report) -> Canvas:
    """Draw methods x data sets; the darker, the nearer to the best on that data set."""
    scores, labels, metric = report.scores, report.labels, report.scores.metric
    left, top, cell_w, cell_h = 190, 100, 62, 26
    # The turned head of the last column reaches beyond it, about 5.5 pixels a letter.
    overhang = max(40.0, 5.5 * len(labels.title(scores.methods[-1])) - cell_w / 2 + 8)
    canvas = Canvas(
        left + cell_w * len(scores.methods) + overhang,
        top + cell_h * len(scores.datasets) + 8,
        "heat-map",
        f"Heat map of {metric.phrase}",
        "The same numbers as in the main table; a darker cell is nearer to the best method on "
        "that data set.",
    )
    for column, method in enumerate(scores.methods):
        x = left + cell_w * column + cell_w / 2
        canvas.add(Text(x, top - 8, labels.title(method), turn=-35))
    for row, dataset in enumerate(scores.datasets):
        y = top + cell_h * row
        canvas.add(Text(left - 8, y + 17, dataset + labels.mark(dataset), "end"))
        values = scores.mean.loc[dataset] * metric.scale
        best = values.max() if metric.higher_is_better else values.min()
        reach = _RANGE if metric.percent else _RANGE / 100
        for column, method in enumerate(scores.methods):
            x, value = left + cell_w * column, values[method]
            middle = x + cell_w / 2 - 1
            if math.isnan(value):
                failed = scores.failed.loc[dataset, method] > 0
                text, kind = ("failed", "bad") if failed else ("—", "label")
                canvas.add(Rectangle(x, y, cell_w - 2, cell_h - 2, "empty"))
            else:
                share = 1 - min(1.0, abs(best - value) / reach)
                canvas.add(Rectangle(x, y, cell_w - 2, cell_h - 2, "heat", mix_shade(share)))
                text = f"{value:.{1 if metric.percent else metric.digits}f}"
                kind = "on-dark" if share > 0.55 else "on-pale"
            canvas.add(Text(middle, y + 16, text, "middle", kind))
    return canvas


def mix_shade(share: float) -> str:
    """Return the colour between the palest (0) and the darkest (1)."""
    channels = (
        round(pale + (deep - pale) * share) for deep, pale in zip(_DEEP, _PALE, strict=True)
    )
    return "#" + "".join(f"{channel:02x}" for channel in channels)
