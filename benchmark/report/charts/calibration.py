"""Probabilities against what came true."""

from collections.abc import Iterable

from benchmark.report.charts.canvas import Canvas, Circle, Path, Text, name_after
from benchmark.report.charts.scale import Scale


def draw_calibration(
    title: str, what: str, points: Iterable[tuple[float, float, float, float, int]]
) -> Canvas:
    """Draw one method's bins; on the diagonal what was said is what happened.

    Parameters
    ----------
    title
        The method.
    what
        Whose probability.
    points
        Mean probability, share that came true, ends of its interval, patients.
    """
    width, height, left, top = 300, 300, 46, 30
    canvas = Canvas(
        width,
        height,
        name_after("calibration", title),
        f"Calibration of {title}",
        "Share of patients for whom it came true against the probability given, with 95% "
        "intervals.",
    )
    x, y = Scale(0, 1, left, width - 12), Scale(0, 1, height - 40, top)
    canvas.add(Text(left, 16, title, "start", "title"))
    for tick in (0, 0.2, 0.4, 0.6, 0.8, 1):
        canvas.add(Path([(left, y(tick)), (width - 12, y(tick))], "grid"))
        canvas.add(Path([(x(tick), top), (x(tick), height - 40)], "grid"))
        canvas.add(Text(left - 6, y(tick) + 4, f"{tick:g}", "end", "tick"))
        canvas.add(Text(x(tick), height - 24, f"{tick:g}", "middle", "tick"))
    canvas.add(Path([(x(0), y(0)), (x(1), y(1))], "leader"))
    canvas.add(
        Text((left + width - 12) / 2, height - 6, f"probability of {what}", "middle", "tick")
    )
    canvas.add(Text(12, (top + height - 40) / 2, "share it was true for", "middle", "tick", -90))
    bins = list(points)
    for said, _, low, high, _ in bins:
        canvas.add(Path([(x(said), y(low)), (x(said), y(high))], "whisker"))
    canvas.add(Path([(x(said), y(happened)) for said, happened, *_ in bins], "blue"))
    for said, happened, _, _, n in bins:
        hint = f"said {said:.2f}, happened {happened:.2f}, {n} patients"
        canvas.add(Circle(x(said), y(happened), 4, "point", hint))
    return canvas
