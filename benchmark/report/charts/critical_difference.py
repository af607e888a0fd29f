"""The critical-difference diagram: average ranks, and which of them a test tells apart."""

from collections.abc import Sequence

from benchmark.report import statistics
from benchmark.report.charts.canvas import Canvas, Path, Text, measure_text
from benchmark.report.charts.scale import Scale
from benchmark.report.report import Report
from benchmark.report.tables.significance import orient

_AXIS_WIDTH = 400
#: Pixels from the axis to the labels beside it.
_LABEL_GAP = 13


def draw_critical_difference(report: Report) -> Canvas | None:
    """Draw the methods' average ranks; None with fewer than two of them or two data sets."""
    mean = orient(report.complete)
    if min(mean.shape) < 2:
        return None
    ranks = statistics.bootstrap_rank_intervals(mean)["rank"].sort_values(kind="stable")
    critical = statistics.find_critical_difference(mean.shape[1], mean.shape[0])
    return draw_ranks(list(ranks), [report.labels.title(str(m)) for m in ranks.index], critical)


def draw_ranks(ranks: Sequence[float], names: Sequence[str], critical: float) -> Canvas:
    """Draw average ranks, best first; bars join methods within the critical difference."""
    k = len(ranks)
    half = (k + 1) // 2
    cliques = statistics.find_cliques(ranks, critical)
    labels = [f"{name}  {rank:.2f}" for rank, name in zip(ranks, names, strict=True)]
    left = measure_text(labels[:half]) + _LABEL_GAP
    right = measure_text(labels[half:]) + _LABEL_GAP
    width, axis_y, first = left + _AXIS_WIDTH + right, 64, 92 + 9 * len(cliques)
    order = ", ".join(f"{name} {rank:.2f}" for rank, name in zip(ranks, names, strict=True))
    canvas = Canvas(
        width,
        first + 20 * half + 4,
        "critical-difference",
        "Critical-difference diagram",
        order,
    )
    scale = Scale(1, k, left, width - right)
    canvas.add(Path([(scale(1), axis_y), (scale(k), axis_y)]))
    for tick in range(1, k + 1):
        canvas.add(Path([(scale(tick), axis_y - 5), (scale(tick), axis_y)]))
        canvas.add(Text(scale(tick), axis_y - 10, str(tick), "middle", "tick"))
    reach = min(scale(1) + (scale(k) - scale(1)) * critical / max(k - 1, 1), width - 8)
    canvas.add(Path([(scale(1), 22), (reach, 22)], "bar"))
    canvas.add(Text(scale(1), 14, f"critical difference {critical:.2f}", "start", "tick"))
    for position, (rank, label) in enumerate(zip(ranks, labels, strict=True)):
        on_left = position < half
        y = first + 20 * (position if on_left else k - 1 - position)
        edge = left - 8 if on_left else width - right + 8
        canvas.add(Path([(scale(rank), axis_y), (scale(rank), y), (edge, y)], "leader"))
        canvas.add(Text(edge + (-5 if on_left else 5), y + 4, label, "end" if on_left else "start"))
    for level, (start, end) in enumerate(cliques):
        y = axis_y + 10 + 9 * level
        canvas.add(Path([(scale(ranks[start]) - 4, y), (scale(ranks[end]) + 4, y)], "bar"))
    return canvas
