"""How far the tops of the methods' lists of genes agree."""

import math

from benchmark.genes.lists import GeneLists
from benchmark.report.charts.canvas import Canvas, Rectangle, Text, measure_text, name_after
from benchmark.report.charts.heat_map import mix_shade
from benchmark.report.labels import Labels


def draw_gene_agreement(genes: GeneLists, labels: Labels) -> Canvas | None:
    """Draw methods x methods, darker where their lists overlap more; None for a single method."""
    models = list(genes.selections)
    if len(models) < 2:
        return None
    matrix = genes.measure_agreement(by_rank=True)
    titles = [labels.title(model) for model in models]
    left, cell_w, cell_h = measure_text(titles), 46, 26
    top = 36 + 0.6 * measure_text(titles)
    overhang = max(40.0, 5.5 * len(titles[-1]) - cell_w / 2 + 8)
    name = genes.dataset + labels.mark(genes.dataset)
    canvas = Canvas(
        left + cell_w * len(models) + overhang,
        top + cell_h * len(models) + 8,
        name_after("gene-agreement", genes.dataset),
        f"Agreement of the methods' genes on {name}",
        f"Rank-biased overlap of the {genes.top} best genes: 1 for equal lists, 0 for lists "
        "without a common gene.",
    )
    canvas.add(Text(8, 14, f"{name}: rank-biased overlap of the best genes", "start", "title"))
    for column, title in enumerate(titles):
        canvas.add(Text(left + cell_w * (column + 0.5), top - 8, title, turn=-35))
    for row, (model, title) in enumerate(zip(models, titles, strict=True)):
        y = top + cell_h * row
        canvas.add(Text(left - 8, y + 17, title, "end"))
        for column, other in enumerate(models):
            x, value = left + cell_w * column, float(matrix.loc[model, other])
            if math.isnan(value):
                canvas.add(Rectangle(x, y, cell_w - 2, cell_h - 2, "empty"))
                continue
            canvas.add(Rectangle(x, y, cell_w - 2, cell_h - 2, "heat", mix_shade(value)))
            kind = "on-dark" if value > 0.55 else "on-pale"
            canvas.add(Text(x + cell_w / 2 - 1, y + 16, f"{value:.2f}", "middle", kind))
    return canvas
