"""Charts as matplotlib figures, so that they can be written as pixels and for print."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchmark.report.charts.canvas import Canvas, Circle, Path, Rectangle, Text
from benchmark.report.charts.style import LIGHT, LOOKS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Pixels of a canvas to an inch, as in browsers; matplotlib has 72 points to an inch.
_PIXELS = 96
_POINT = 72 / _PIXELS

_GAP = 16
_TITLE_HEIGHT = 26

_ANCHORS = {"start": "left", "middle": "center", "end": "right"}


def draw_panels(charts: Sequence[Canvas], columns: int = 3, title: str = "") -> "Figure":
    """Draw charts side by side, at most ``columns`` in a row."""
    from matplotlib.figure import Figure

    columns = min(columns, len(charts))
    rows = [charts[start : start + columns] for start in range(0, len(charts), columns)]
    widths = [max(row[c].width for row in rows if c < len(row)) for c in range(columns)]
    heights = [max(chart.height for chart in row) for row in rows]
    top = _TITLE_HEIGHT if title else 0
    width = sum(widths) + _GAP * (columns + 1)
    height = top + sum(heights) + _GAP * (len(rows) + 1)
    figure = Figure(figsize=(width / _PIXELS, height / _PIXELS))
    figure.set_layout_engine("none")
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    if title:
        axes.text(width / 2, 24, title, ha="center", fontsize=12)
    y = float(top + _GAP)
    for row, row_height in zip(rows, heights, strict=True):
        x = float(_GAP)
        for chart, column_width in zip(row, widths, strict=False):
            _draw(axes, chart, x, y)
            x += column_width + _GAP
        y += row_height + _GAP
    return figure


def _draw(axes: Any, chart: Canvas, left: float, top: float) -> None:
    """Draw the shapes in their order, and points above all others."""
    from matplotlib.patches import Rectangle as Patch

    for order, shape in enumerate(chart.shapes):
        look = LOOKS[shape.kind]
        stroke, fill = LIGHT.get(look.stroke, "none"), LIGHT.get(look.fill, "none")
        line: dict[str, Any] = {
            "linewidth": look.width * _POINT if look.stroke else 0,
            "linestyle": (0, [length / look.width for length in look.dash]) if look.dash else "-",
            "alpha": look.opacity,
            # matplotlib draws lines above rectangles unless told otherwise.
            "zorder": order,
        }
        if isinstance(shape, Path):
            xs, ys = ([left + x for x, _ in shape.points], [top + y for _, y in shape.points])
            axes.plot(xs, ys, color=stroke, **line)
        elif isinstance(shape, Rectangle):
            corner = (left + shape.x, top + shape.y)
            line |= {"facecolor": shape.fill or fill, "edgecolor": stroke}
            axes.add_patch(Patch(corner, shape.width, shape.height, **line))
        elif isinstance(shape, Text):
            axes.text(
                left + shape.x, top + shape.y, shape.text, color=fill,
                ha=_ANCHORS[shape.anchor], va="baseline", rotation=-shape.turn,
                rotation_mode="anchor", fontsize=look.size * _POINT,
                fontweight="bold" if look.bold else "normal", zorder=order,
            )  # fmt: skip
    # Box plots have thousands of points: one artist per kind, not one per point.
    circles = [shape for shape in chart.shapes if isinstance(shape, Circle)]
    for kind in {circle.kind for circle in circles}:
        of_kind = [circle for circle in circles if circle.kind == kind]
        axes.scatter(
            [left + circle.x for circle in of_kind],
            [top + circle.y for circle in of_kind],
            s=[(2 * circle.radius * _POINT) ** 2 for circle in of_kind],
            color=LIGHT[LOOKS[kind].fill],
            alpha=LOOKS[kind].opacity,
            linewidths=0,
            zorder=len(chart.shapes),
        )
