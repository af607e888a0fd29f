"""How stable the selections of methods are, against their accuracy."""

import math

from benchmark.genes.lists import GeneLists
from benchmark.report.charts.canvas import Canvas, Circle, Path, Text, name_after
from benchmark.report.charts.scale import Scale
from benchmark.report.labels import Labels


def draw_stability(genes: GeneLists, labels: Labels) -> Canvas | None:
    """Draw a point per method, with its interval; None if no stability is defined."""
    points = []
    for model, stability in genes.stability.items():
        accuracy = 100 * genes.selections[model].runs["balanced_accuracy_test"].mean()
        if not math.isnan(stability.value) and not math.isnan(accuracy):
            points.append((labels.title(model), stability, float(accuracy)))
    if not points:
        return None
    width, height, left, top = 560, 340, 46, 40
    name = genes.dataset + labels.mark(genes.dataset)
    facts = "; ".join(f"{t}: stability {s.value:.2f}, {a:.1f}%" for t, s, a in points)
    canvas = Canvas(
        width, height, name_after("stability", genes.dataset), f"Stability on {name}", facts
    )
    canvas.add(Text(left, 14, name, "start", "title"))
    canvas.add(Text(left, 32, "balanced accuracy (%)", "start", "tick"))
    accuracies = [accuracy for _, _, accuracy in points]
    pad = max((max(accuracies) - min(accuracies)) * 0.12, 1.0)
    lowest = min(0.0, *(stability.find_interval()[0] for _, stability, _ in points))
    # Room for the labels, which stand to the right of their points.
    x = Scale(max(lowest, -0.5) - 0.02, 1.0, left, width - 16)
    y = Scale(min(accuracies) - pad, max(accuracies) + pad, height - 42, top)
    for tick in y.ticks(5):
        canvas.add(Path([(left, y(tick)), (width - 10, y(tick))], "grid"))
        canvas.add(Text(left - 6, y(tick) + 4, f"{tick:g}", "end", "tick"))
    for tick in x.ticks(5):
        canvas.add(Path([(x(tick), top), (x(tick), height - 42)], "grid"))
        canvas.add(Text(x(tick), height - 26, f"{tick:.1f}", "middle", "tick"))
    canvas.add(Path([(x(0), top), (x(0), height - 42)], "axis"))
    about = "stability of the selection (0: as by chance, 1: identical)"
    canvas.add(Text((left + width) / 2, height - 8, about, "middle", "tick"))
    taken = [(x(s.value) - 6, x(s.value) + 6, y(a) + 4) for _, s, a in points]
    for title, stability, accuracy in sorted(points, key=lambda point: -point[2]):
        px, py = x(stability.value), y(accuracy)
        low, high = (min(max(end, x.low), 1.0) for end in stability.find_interval())
        canvas.add(Path([(x(low), py), (x(high), py)], "whisker"))
        canvas.add(Circle(px, py, 4, "point", f"{title}: {stability.value:.2f}, {accuracy:.1f}%"))
        _label(canvas, title, px, py, taken)
    return canvas


def _label(
    canvas: Canvas, title: str, px: float, py: float, taken: list[tuple[float, float, float]]
) -> None:
    """Write a label beside a point, lower where another label or point is."""
    length = 6.4 * len(title)
    start = px + 8 if px + 8 + length < canvas.width else px - 8 - length
    line = py - 5
    while any(
        abs(line - other) < 12 and start < end and start + length > begin
        for begin, end, other in taken
    ):
        line += 12
    taken.append((start, start + length, line))
    if line > py + 8:
        canvas.add(Path([(px, py), (start, line - 4)], "leader"))
    canvas.add(Text(start, line, title))
