"""How well methods rank the true features, by the number of samples."""

from collections.abc import Sequence

from benchmark.genes.lists import GeneLists
from benchmark.genes.recovery import measure_recovery
from benchmark.report.charts.canvas import Canvas, Circle, Path, Text, name_after
from benchmark.report.charts.scale import Scale
from benchmark.report.labels import Labels


def draw_recoveries(studies: Sequence[GeneLists], labels: Labels) -> list[Canvas]:
    """Draw average precision against samples, for tables that differ in nothing else."""
    families: dict[str, list[GeneLists]] = {}
    for genes in studies:
        if genes.table is not None and genes.table.informative is not None:
            facts = {**genes.table.provenance, "samples": ""}
            families.setdefault(str(sorted(facts.items())), []).append(genes)
    charts = (_draw(family, labels) for family in families.values() if len(family) > 1)
    return list(charts)


def _draw(family: Sequence[GeneLists], labels: Labels) -> Canvas:
    """Draw a line per method through the means over its runs."""
    lines: dict[str, list[tuple[int, float]]] = {}
    chance = 0.0
    for genes in family:
        assert genes.table is not None
        assert genes.table.informative is not None
        chance = len(genes.table.informative) / genes.table.n_features
        for model, recovery in measure_recovery(genes).items():
            point = (genes.table.n_samples, float(recovery.average_precision.mean()))
            lines.setdefault(labels.title(model), []).append(point)
    sizes = sorted({size for points in lines.values() for size, _ in points})
    width, height, left, right = 620, 340, 46, 150
    names = ", ".join(genes.dataset for genes in family)
    canvas = Canvas(
        width,
        height,
        name_after("recovery", family[0].dataset),
        "Recovery of the true features by the number of samples",
        names,
    )
    canvas.add(Text(left, 14, "average precision of the true features", "start", "tick"))
    x = Scale(sizes[0], sizes[-1], left + 8, width - right, logarithmic=True)
    y = Scale(0, max(value for points in lines.values() for _, value in points), height - 42, 28)
    for tick in y.ticks(5):
        canvas.add(Path([(left, y(tick)), (width - right, y(tick))], "grid"))
        canvas.add(Text(left - 6, y(tick) + 4, f"{round(tick, 6):g}", "end", "tick"))
    for size in sizes:
        canvas.add(Text(x(size), height - 26, str(size), "middle", "tick"))
    canvas.add(Text((left + width - right) / 2, height - 8, "samples", "middle", "tick"))
    canvas.add(Path([(left, y(chance)), (width - right, y(chance))], "leader"))
    canvas.add(Text(width - right + 8, y(chance) + 4, "by chance", "start", "tick"))
    below = y(chance) - 6
    for title, points in sorted(lines.items(), key=lambda line: sorted(line[1])[-1][1]):
        places = [(x(size), y(value)) for size, value in sorted(points)]
        canvas.add(Path(places, "blue"))
        for (px, py), (size, value) in zip(places, sorted(points), strict=True):
            canvas.add(Circle(px, py, 3, "point", f"{title}: {value:.2f} with {size} samples"))
        below = min(below - 13, places[-1][1] + 4)
        canvas.add(Path([places[-1], (width - right + 6, below - 4)], "leader"))
        canvas.add(Text(width - right + 8, below, title))
    return canvas
