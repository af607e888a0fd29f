"""Charts of the page: each a function from plain values to an SVG text."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from benchmark.report.aggregate import Scores
from benchmark.report.html.scale import Scale, format_tick
from benchmark.report.html.svg import Canvas, anchor_of
from benchmark.report.statistics import find_cliques

#: Darkest and lightest of the heat map (a single hue: readable without colour vision).
_DEEP, _PALE = (8, 81, 156), (247, 251, 255)
#: Points below the best at which a cell of the heat map is palest.
_HEAT_RANGE = 20.0
_ROW = 22


def draw_heat_map(scores: Scores, titles: Mapping[str, str], marks: Mapping[str, str]) -> str:
    """Draw methods x data sets; the darker, the nearer to the best on that data set."""
    metric = scores.metric
    left, top, cell_w, cell_h = 190, 100, 62, 26
    # The turned head of the last column reaches beyond it, about 5.5 pixels a letter.
    overhang = max(40.0, 5.5 * len(titles[scores.methods[-1]]) - cell_w / 2 + 8)
    canvas = Canvas(
        left + cell_w * len(scores.methods) + overhang, top + cell_h * len(scores.datasets) + 8
    )
    for column, method in enumerate(scores.methods):
        x = left + cell_w * column + cell_w / 2
        canvas.text(x, top - 8, titles[method], turn=-35)
    for row, dataset in enumerate(scores.datasets):
        y = top + cell_h * row
        canvas.text(left - 8, y + 17, dataset + marks.get(dataset, ""), "end")
        values = scores.mean.loc[dataset] * metric.scale
        best = values.max() if metric.higher_is_better else values.min()
        reach = _HEAT_RANGE if metric.percent else _HEAT_RANGE / 100
        for column, method in enumerate(scores.methods):
            x, value = left + cell_w * column, values[method]
            if np.isnan(value):
                failed = scores.failed.loc[dataset, method] > 0
                canvas.rect(x, y, cell_w - 2, cell_h - 2, "empty")
                canvas.text(
                    x + cell_w / 2 - 1,
                    y + 16,
                    "failed" if failed else "—",
                    "middle",
                    "bad" if failed else "label",
                )
                continue
            share = 1 - min(1.0, abs(best - value) / reach)
            canvas.rect(x, y, cell_w - 2, cell_h - 2, "heat", _mix(share))
            canvas.text(
                x + cell_w / 2 - 1,
                y + 16,
                f"{value:.{metric.digits if not metric.percent else 1}f}",
                "middle",
                "on-dark" if share > 0.55 else "on-pale",
            )
    return canvas.render(
        "heat-map",
        f"Heat map of {metric.phrase}",
        "The same numbers as in the main table; a darker cell is nearer to the best method on "
        "that data set.",
    )


def draw_critical_difference(ranks: Sequence[float], names: Sequence[str], critical: float) -> str:
    """Draw average ranks on an axis; bars join methods that do not differ significantly.

    Parameters
    ----------
    ranks
        Sorted, best first.
    names
        Of the methods, in the same order.
    critical
        Nemenyi's critical difference.
    """
    k = len(ranks)
    half = (k + 1) // 2
    cliques = find_cliques(ranks, critical)
    width, left, right = 720, 160, 160
    axis_y, first = 64, 92 + 9 * len(cliques)
    canvas = Canvas(width, first + 20 * half + 4)
    scale = Scale(1, k, left, width - right)
    canvas.line(scale(1), axis_y, scale(k), axis_y)
    for tick in range(1, k + 1):
        canvas.line(scale(tick), axis_y - 5, scale(tick), axis_y)
        canvas.text(scale(tick), axis_y - 10, str(tick), "middle", "tick")
    reach = min(scale(1) + (scale(k) - scale(1)) * critical / max(k - 1, 1), width - 8)
    canvas.line(scale(1), 22, reach, 22, "bar")
    canvas.text(scale(1), 14, f"critical difference {critical:.2f}", "start", "tick")
    for position, (rank, name) in enumerate(zip(ranks, names, strict=True)):
        on_left = position < half
        y = first + 20 * (position if on_left else k - 1 - position)
        edge = left - 8 if on_left else width - right + 8
        canvas.path([(scale(rank), axis_y), (scale(rank), y), (edge, y)], "leader")
        label = f"{name}  {rank:.2f}"
        canvas.text(edge + (-5 if on_left else 5), y + 4, label, "end" if on_left else "start")
    for level, (start, end) in enumerate(cliques):
        y = axis_y + 10 + 9 * level
        canvas.line(scale(ranks[start]) - 4, y, scale(ranks[end]) + 4, y, "bar")
    order = ", ".join(f"{name} {rank:.2f}" for rank, name in zip(ranks, names, strict=True))
    return canvas.render("critical-difference", "Critical-difference diagram", order)


def draw_boxes(
    dataset: str,
    runs: Mapping[str, np.ndarray],
    titles: Mapping[str, str],
    label: str,
    failed: Collection[str] = (),
) -> str:
    """Draw the distribution of runs on one data set: box, whiskers and every run.

    Parameters
    ----------
    dataset
        Its name, with its mark.
    runs
        Method -> values in the unit shown; empty where there is none.
    titles
        Method -> its title.
    label
        Of the axis.
    failed
        Methods with runs of which none ended well.
    """
    left, width = 150, 460
    height = 30 + _ROW * len(runs) + 34
    canvas = Canvas(width, height)
    every = np.concatenate([v for v in runs.values() if len(v)] or [np.array([0.0, 1.0])])
    pad = max((every.max() - every.min()) * 0.04, 1e-3)
    scale = Scale(every.min() - pad, every.max() + pad, left, width - 14)
    bottom = 24 + _ROW * len(runs)
    canvas.text(left, 14, dataset, "start", "title")
    for tick in scale.ticks(5):
        canvas.line(scale(tick), 22, scale(tick), bottom, "grid")
        canvas.text(scale(tick), bottom + 14, format_tick(tick), "middle", "tick")
    canvas.text((left + width - 14) / 2, bottom + 29, label, "middle", "tick")
    for row, (method, values) in enumerate(runs.items()):
        y = 24 + _ROW * row + _ROW / 2
        canvas.text(left - 8, y + 4, titles[method], "end")
        if not len(values):
            if method in failed:
                canvas.text(left + 4, y + 4, "failed", "start", "bad")
            else:
                canvas.text(left + 4, y + 4, "no run", "start", "tick")
            continue
        low, quarter, median, three, high = np.quantile(values, [0, 0.25, 0.5, 0.75, 1])
        canvas.line(scale(low), y, scale(high), y, "whisker")
        canvas.rect(scale(quarter), y - 6, scale(three) - scale(quarter), 12, "box")
        canvas.line(scale(median), y - 7, scale(median), y + 7, "median")
        for index, value in enumerate(values):
            canvas.circle(scale(value), y + (index % 5 - 2) * 1.6, 1.6, "run")
    return canvas.render(
        f"box-{anchor_of(dataset)}",
        f"Runs on {dataset}",
        "; ".join(f"{titles[m]}: median {np.median(v):.2f}" for m, v in runs.items() if len(v)),
    )


def draw_losses(name: str, curves: Mapping[str, Mapping[str, np.ndarray]]) -> str:
    """Draw training (dashed) and validation (solid) loss of one run per method.

    Parameters
    ----------
    name
        Of the data set.
    curves
        Title of a method -> ``step``, ``train_loss``, ``valid_loss``; at most two methods.
    """
    width, height, left = 460, 250, 46
    canvas = Canvas(width, height)
    steps = max(float(curve["step"].max()) for curve in curves.values())
    losses = np.concatenate(
        [curve[key] for curve in curves.values() for key in ("train_loss", "valid_loss")]
    )
    # One early spike would flatten everything else.
    top = float(np.quantile(losses[np.isfinite(losses)], 0.99)) or 1.0
    x, y = Scale(0, steps, left, width - 12), Scale(0, top, height - 36, 30)
    canvas.text(left, 14, name, "start", "title")
    for tick in y.ticks(4):
        canvas.line(left, y(tick), width - 12, y(tick), "grid")
        canvas.text(left - 6, y(tick) + 4, format_tick(tick), "end", "tick")
    for tick in x.ticks(5):
        canvas.text(x(tick), height - 20, format_tick(tick), "middle", "tick")
    canvas.text((left + width - 12) / 2, height - 5, "training step", "middle", "tick")
    legend = left + 20 + 7.6 * len(name)
    for number, (title, curve) in enumerate(curves.items()):
        for key, dash in (("train_loss", " dashed"), ("valid_loss", "")):
            points = [
                (x(float(step)), y(min(float(loss), top)))
                for step, loss in zip(curve["step"], curve[key], strict=True)
                if np.isfinite(loss)
            ]
            canvas.path(points, f"curve hue{number}{dash}")
        canvas.line(legend, 10, legend + 18, 10, f"curve hue{number}")
        canvas.text(legend + 23, 14, title, "start", "tick")
        legend += 40 + 7 * len(title)
    return canvas.render(
        f"loss-{anchor_of(name)}",
        f"Loss curves on {name}",
        "Weighted cross-entropy of one run; dashed on training data, solid on validation data.",
    )


def draw_histogram(name: str, counts: np.ndarray) -> str:
    """Draw how many features have which importance score, in per cent of the features."""
    width, height, left = 300, 190, 44
    canvas = Canvas(width, height)
    share = 100 * counts / max(counts.sum(), 1)
    y = Scale(0, max(float(share.max()), 1.0), height - 36, 28)
    x = Scale(0, len(share), left, width - 10)
    canvas.text(left, 14, name, "start", "title")
    for tick in y.ticks(4):
        canvas.line(left, y(tick), width - 10, y(tick), "grid")
        canvas.text(left - 5, y(tick) + 4, format_tick(tick), "end", "tick")
    for index, value in enumerate(share):
        canvas.rect(x(index) + 0.5, y(value), x(index + 1) - x(index) - 1, y(0) - y(value), "box")
    for tick in (0, 0.5, 1):
        canvas.text(x(tick * len(share)), height - 21, format_tick(tick), "middle", "tick")
    canvas.text((left + width) / 2, height - 6, "importance score", "middle", "tick")
    return canvas.render(
        f"importance-{anchor_of(name)}",
        f"Importance scores on {name}",
        f"{share[-1]:.1f}% of the features score above 0.95.",
    )


def draw_costs(points: Mapping[str, tuple[float, float]], label: str) -> str:
    """Draw time against score, one labelled point per method.

    Parameters
    ----------
    points
        Title -> (seconds, score in the unit shown).
    label
        Of the score.
    """
    width, height, left = 620, 340, 58
    canvas = Canvas(width, height)
    seconds = [max(point[0], 1e-3) for point in points.values()]
    values = [point[1] for point in points.values()]
    pad = max((max(values) - min(values)) * 0.1, 0.5)
    x = Scale(min(seconds) / 1.6, max(seconds) * 4, left, width - 10, logarithmic=True)
    y = Scale(min(values) - pad, max(values) + pad, height - 42, 24)
    for tick in y.ticks(5):
        canvas.line(left, y(tick), width - 10, y(tick), "grid")
        canvas.text(left - 6, y(tick) + 4, format_tick(tick), "end", "tick")
    for tick in x.ticks():
        canvas.line(x(tick), 24, x(tick), height - 42, "grid")
        canvas.text(x(tick), height - 26, format_tick(tick), "middle", "tick")
    canvas.text((left + width) / 2, height - 8, "seconds per run (median)", "middle", "tick")
    canvas.text(left, 14, label, "start", "tick")
    taken: list[tuple[float, float]] = []
    for title, (second, value) in sorted(points.items(), key=lambda item: -item[1][1]):
        px, py = x(max(second, 1e-3)), y(value)
        ly = py + 4
        while any(abs(ly - ty) < 13 and abs(px - tx) < 110 for tx, ty in taken):
            ly += 13
        taken.append((px, ly))
        if ly != py + 4:
            canvas.line(px, py, px + 8, ly - 4, "leader")
        canvas.circle(px, py, 4, "point", f"{title}: {value:.2f} in {second:.1f} s")
        canvas.text(px + 9, ly, title)
    return canvas.render(
        "costs",
        "Time against score",
        "; ".join(f"{title}: {value:.2f} in {s:.1f} s" for title, (s, value) in points.items()),
    )


def _mix(share: float) -> str:
    red, green, blue = (
        round(pale + (deep - pale) * share) for deep, pale in zip(_DEEP, _PALE, strict=True)
    )
    return f"rgb({red},{green},{blue})"
