"""Charts: what they show, not how they look."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.report.charts.boxes import draw_boxes, draw_distributions
from benchmark.report.charts.canvas import Canvas, Circle, Path, Rectangle, Text
from benchmark.report.charts.costs import draw_points
from benchmark.report.charts.critical_difference import draw_ranks
from benchmark.report.charts.heat_map import draw_heat_map
from benchmark.report.charts.importances import draw_histogram
from benchmark.report.charts.losses import draw_losses
from benchmark.report.charts.scale import Scale
from benchmark.report.charts.style import LIGHT, LOOKS, write_css
from benchmark.report.report import Report


def texts(canvas):
    return [shape.text for shape in canvas.shapes if isinstance(shape, Text)]


def shapes(canvas, shape_type, kind):
    return [s for s in canvas.shapes if isinstance(s, shape_type) and s.kind == kind]


def test_heat_map_shows_failed_and_missing_cells_as_such(runs):
    shown = texts(draw_heat_map(Report(runs)))
    assert "failed" in shown
    assert "—" in shown
    assert "tcga-2ysurvival-standin†" in shown


def test_every_chart_is_named_for_screen_readers():
    root = ElementTree.fromstring(draw_histogram("prostate", np.array([8, 1, 1])).to_svg())
    assert root.get("role") == "img"
    named = {element.get("id"): element.text for element in root}
    about = [named[name] for name in root.get("aria-labelledby").split()]
    assert about[1] == "10.0% of the features score above 0.95."


def test_critical_difference_diagram_lists_all_methods_with_their_ranks():
    canvas = draw_ranks([1.2, 2.0, 2.8], ["a", "b", "c"], 1.0)
    assert {"a  1.20", "b  2.00", "c  2.80", "critical difference 1.00"} <= set(texts(canvas))
    _, first, second = shapes(canvas, Path, "bar")
    assert first.points[0][0] < second.points[0][0] < first.points[1][0], "the bars overlap"


@pytest.mark.parametrize("place", range(3))
def test_no_label_of_the_ranks_is_cut(place):
    names = ["a", "b", "c"]
    names[place] = "LassoNet (end of path), the longest of the titles"
    canvas = draw_ranks([1.2, 2.0, 19.25], names, 1.0)
    # No letter of the charts' font is narrower than 6 pixels on average.
    for text in (s for s in canvas.shapes if isinstance(s, Text) and s.kind == "label"):
        reach = 6 * len(text.text)
        start = text.x - reach if text.anchor == "end" else text.x
        assert start >= 0
        assert start + reach <= canvas.width


def test_boxes_show_every_run_the_quartiles_and_how_many_runs_there_are():
    values = {"A": np.arange(5.0), "B": np.array([]), "C": np.arange(25.0)}
    canvas = draw_distributions("d", values, "score", failed=["C"])
    assert len(shapes(canvas, Circle, "run")) == 30
    small, large = shapes(canvas, Rectangle, "box")
    assert large.width == pytest.approx(6 * small.width), "the middle half of 0-24 and of 0-4"
    assert {"A (n=5)", "B", "C", "no run"} <= set(texts(canvas))


def test_boxes_tell_failed_from_not_run(runs):
    _, stand_in, toxicity = draw_boxes(Report(runs))
    assert "failed" in texts(stand_in)
    assert "no run" not in texts(stand_in)
    assert "no run" in texts(toxicity)


def test_names_are_escaped():
    canvas = Canvas(10, 10, "x", "<b>", "&")
    canvas.add(Text(0, 0, "<script>&"))
    assert "<script>" not in canvas.to_svg()
    assert ElementTree.fromstring(canvas.to_svg())[-1].text == "<script>&"


def test_loss_curves_leave_out_what_is_not_finite(runs):
    history = {
        "step": np.array([1, 2, 3]),
        "train_loss": np.array([1.0, np.inf, 0.5]),
        "valid_loss": np.array([1.0, np.nan, 0.7]),
    }
    canvas = draw_losses(Report(runs), "d", {"mlp": {"history": history}})
    (curve,) = shapes(canvas, Path, "orange-dashed")
    assert len(curve.points) == 2
    assert np.isfinite(curve.points).all()


def test_costs_of_equal_methods_do_not_divide_by_zero():
    canvas = draw_points({"a": (1.0, 90.0), "b": (1.0, 90.0)}, "score")
    assert all(np.isfinite([c.x, c.y]).all() for c in shapes(canvas, Circle, "point"))


def test_the_page_knows_every_kind_of_shape_and_every_colour_of_the_charts():
    css = write_css()
    for kind, look in LOOKS.items():
        assert f"svg .{kind} " in css
        assert {look.stroke, look.fill} - {""} <= LIGHT.keys()


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_lie_inside_and_are_few(low, span):
    ticks = Scale(low, low + span, 0, 100).ticks(5)
    assert 1 <= len(ticks) <= 12
    assert all(low - span * 1e-6 <= tick <= low + span * (1 + 1e-6) for tick in ticks)


@pytest.mark.parametrize(("value", "place"), [(1, 0), (10, 50), (100, 100)])
def test_logarithmic_scale(value, place):
    assert Scale(1, 100, 0, 100, logarithmic=True)(value) == pytest.approx(place)
