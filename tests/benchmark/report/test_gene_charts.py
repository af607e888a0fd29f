"""Charts of genes: what they show, not how they look."""

import numpy as np
import pytest

from benchmark.datasets.synthetic import load_synthetic
from benchmark.genes.lists import GeneLists
from benchmark.genes.selections import Selections
from benchmark.report.charts.canvas import Circle, Path, Rectangle, Text
from benchmark.report.charts.gene_agreement import draw_gene_agreement
from benchmark.report.charts.gene_values import draw_gene_values
from benchmark.report.charts.recovery import draw_recoveries
from benchmark.report.charts.stability import draw_stability
from benchmark.report.labels import Labels

from .conftest import build_frame, build_row

LABELS = Labels(titles=False)


def make_lists(samples=60, models=("lasso", "trees"), seed=0):
    """Return lists of two methods: one finds the same true genes in every run, one throws dice."""
    table, rng = load_synthetic(samples=samples, features=40, informative=4, seed=seed), None
    rng = np.random.default_rng(0)
    selections = {}
    for model in models:
        runs = build_frame([build_row(table.name, model, 0, fold, 0.9) for fold in range(5)])
        scores = rng.random((5, 40)).astype(np.float32)
        if model == "lasso":
            scores = np.zeros((5, 40), dtype=np.float32)
            scores[:, table.informative] = [4, 3, 2, 1]
        selections[model] = Selections(model, runs, scores, None)
    tests = tuple(np.arange(fold, samples, 5) for fold in range(5))
    return GeneLists(table.name, selections, (), table.feature_names, 4, table, tests)


def texts(canvas):
    return [shape.text for shape in canvas.shapes if isinstance(shape, Text)]


def test_stable_methods_stand_at_the_right():
    canvas = draw_stability(make_lists(), LABELS)
    points = {s.hint.split(":")[0]: s.x for s in canvas.shapes if isinstance(s, Circle)}
    assert points["lasso"] > points["trees"] + 200
    assert {"lasso", "trees"} <= set(texts(canvas))


def test_a_method_without_a_stability_is_not_drawn():
    lists = make_lists(models=("trees",))
    lists.selections["trees"].scores[:] = 0
    assert draw_stability(lists, LABELS) is None


def test_labels_of_equal_points_do_not_overlap():
    canvas = draw_stability(make_lists(models=("trees", "bushes", "shrubs", "hedges")), LABELS)
    places = [(s.x, s.y) for s in canvas.shapes if isinstance(s, Text) and s.kind == "label"]
    for number, (x, y) in enumerate(places):
        assert all(abs(y - b) >= 12 or abs(x - a) > 40 for a, b in places[:number])


def test_values_are_drawn_for_every_sample_in_the_order_of_the_classes():
    lists = make_lists()
    canvas = draw_gene_values(lists, LABELS)
    cells = [s for s in canvas.shapes if isinstance(s, Rectangle)]
    for row in {cell.y for cell in cells}:
        widths = sum(cell.width for cell in cells if cell.y == row)
        assert widths == pytest.approx(60 * max(2.0, 760 / 60))
    shown = texts(canvas)
    assert [name for name in shown if name.startswith("class-")] == [
        "class-0",
        "class-1",
        "class-2",
    ]
    best = lists.names[lists.list_top()]
    assert [name for name in shown if name.startswith("gene-")] == best.tolist()


def test_without_a_table_no_values_are_drawn():
    lists = make_lists()
    bare = GeneLists(lists.dataset, lists.selections, (), lists.names, 4)
    assert draw_gene_values(bare, LABELS) is None


def test_agreement_is_of_two_methods_or_more():
    assert texts(draw_gene_agreement(make_lists(), LABELS)).count("1.00") == 2
    assert draw_gene_agreement(make_lists(models=("lasso",)), LABELS) is None


def test_recovery_joins_tables_that_differ_in_size_only():
    studies = [make_lists(60), make_lists(120), make_lists(60, seed=1)]
    (canvas,) = draw_recoveries(studies, LABELS)
    lines = [s for s in canvas.shapes if isinstance(s, Path) and s.kind == "blue"]
    assert [len(line.points) for line in lines] == [2, 2]
    assert {"60", "120", "by chance"} <= set(texts(canvas))
    assert draw_recoveries(studies[1:], LABELS) == []
