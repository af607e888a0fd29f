"""Values of the best genes in every sample, ordered by class."""

import itertools

import numpy as np

from benchmark.genes.lists import GeneLists
from benchmark.report.charts.canvas import Canvas, Path, Rectangle, Text, measure_text, name_after
from benchmark.report.labels import Labels

#: So many genes are drawn.
_GENES = 20

#: Low, middle and high; readable without colour vision.
_COLOURS = np.array([(0, 90, 160), (247, 247, 247), (190, 80, 0)])

#: Standard deviations from a gene's mean at which a colour is deepest.
_REACH = 2.5


def draw_gene_values(genes: GeneLists, labels: Labels) -> Canvas | None:
    """Draw the genes at the top of the list over methods; None where the table is not at hand."""
    table = genes.table
    features = genes.list_top()[:_GENES]
    if table is None or not features:
        return None
    order = np.argsort(table.y, kind="stable")
    values = table.X[order][:, features].astype(np.float64)
    spread = np.nanstd(values, axis=0)
    scores = (values - np.nanmean(values, axis=0)) / np.where(spread > 0, spread, 1)
    names = [str(genes.names[feature]) for feature in features]
    left, top, cell_h = measure_text(names), 56, 17
    cell_w = max(2.0, 760 / table.n_samples)
    name = genes.dataset + labels.mark(genes.dataset)
    canvas = Canvas(
        left + cell_w * table.n_samples + 16,
        top + cell_h * len(names) + 26,
        name_after("gene-values", genes.dataset),
        f"Values of the best genes on {name}",
        "A row per gene, a column per sample, ordered by class: orange above the gene's mean, "
        "blue below.",
    )
    canvas.add(Text(8, 14, f"{name}: the {len(names)} best genes over methods", "start", "title"))
    starts = np.concatenate([[0], np.cumsum(table.class_counts)])
    for code, class_name in enumerate(table.class_names):
        begin, end = left + cell_w * starts[code], left + cell_w * starts[code + 1]
        canvas.add(Path([(begin + 1, top - 6), (end - 1, top - 6)], "axis"))
        canvas.add(Text((begin + end) / 2, top - 12, str(class_name), "middle", "tick"))
    for row, gene in enumerate(names):
        y = top + cell_h * row
        canvas.add(Text(left - 6, y + 12, gene, "end"))
        for start, end, colour in _join_equal(scores[:, row]):
            x = left + cell_w * start
            canvas.add(Rectangle(x, y, cell_w * (end - start), cell_h - 1, "heat", colour))
    bottom = top + cell_h * len(names) + 16
    about = f"each gene z-scored over all samples; deepest at {_REACH} standard deviations"
    canvas.add(Text(left, bottom, about, "start", "tick"))
    return canvas


def _join_equal(scores: np.ndarray) -> list[tuple[int, int, str]]:
    """Return runs of neighbours of one colour: first, one past the last, colour."""
    colours = [_colour(score) for score in scores]
    changes = [i for i in range(1, len(colours)) if colours[i] != colours[i - 1]]
    edges = [0, *changes, len(colours)]
    return [(i, j, colours[i]) for i, j in itertools.pairwise(edges)]


def _colour(score: float) -> str:
    if np.isnan(score):
        return "#808080"
    # Eleven steps: neighbours of one colour are drawn as one.
    share = np.round(5 * np.clip(score / _REACH, -1, 1)) / 5
    end = _COLOURS[2] if share > 0 else _COLOURS[0]
    mixed = np.round(_COLOURS[1] + (end - _COLOURS[1]) * abs(share)).astype(int)
    return "#" + "".join(f"{channel:02x}" for channel in mixed)
