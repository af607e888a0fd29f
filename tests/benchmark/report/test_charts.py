"""Charts of the page: what they say, not how they look."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.report.html import charts
from benchmark.report.html.scale import Scale
from benchmark.report.html.svg import Canvas
from benchmark.report.report import Report


def texts(svg):
    return [element.text for element in ElementTree.fromstring(svg).iter() if element.text]


def test_heat_map_shows_failed_and_missing_cells_as_such(runs):
    report = Report(runs)
    svg = charts.draw_heat_map(report.scores, report.titles, {"toxicity": "‡"})
    assert "failed" in texts(svg)
    assert "—" in texts(svg)
    assert "toxicity‡" in texts(svg)


def test_every_chart_is_named_for_screen_readers(runs):
    svg = charts.draw_histogram("prostate", np.array([8, 1, 1]))
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    ids = {element.get("id") for element in root}
    assert set(root.get("aria-labelledby").split()) <= ids
    assert "10.0% of the features score above 0.95." in texts(svg)


def test_critical_difference_diagram_lists_all_methods_with_their_ranks():
    svg = charts.draw_critical_difference([1.2, 2.0, 2.8], ["a", "b", "c"], 1.0)
    assert {"a  1.20", "b  2.00", "c  2.80", "critical difference 1.00"} <= set(texts(svg))
    assert len(re.findall('class="bar"', svg)) == 3, "the legend and two overlapping cliques"


def test_boxes_say_when_a_method_has_no_result():
    svg = charts.draw_boxes(
        "d", {"a": np.array([1.0, 2.0, 3.0]), "b": np.array([])}, {"a": "A", "b": "B"}, "score"
    )
    assert "no run" in texts(svg)
    assert len(re.findall('class="run"', svg)) == 3


def test_boxes_tell_failed_from_not_run():
    runs = {"a": np.array([1.0]), "b": np.array([])}
    svg = charts.draw_boxes("d", runs, {"a": "A", "b": "B"}, "score", failed=["b"])
    assert "failed" in texts(svg)
    assert "no run" not in texts(svg)


def test_names_are_escaped():
    canvas = Canvas(10, 10)
    canvas.text(0, 0, "<script>&")
    assert "<script>" not in canvas.render("x", "<b>", "&")


def test_loss_curves_leave_out_what_is_not_finite():
    curve = {
        "step": np.array([1, 2, 3]),
        "train_loss": np.array([1.0, np.inf, 0.5]),
        "valid_loss": np.array([1.0, np.nan, 0.7]),
    }
    svg = charts.draw_losses("d", {"MLP": curve})
    assert "nan" not in svg
    assert "inf" not in svg


def test_costs_of_equal_methods_do_not_divide_by_zero():
    svg = charts.draw_costs({"a": (1.0, 90.0), "b": (1.0, 90.0)}, "score")
    assert "nan" not in svg


@given(
    st.floats(-1e6, 1e6),
    st.floats(1e-3, 1e6),
)
def test_ticks_lie_inside_and_are_few(low, span):
    ticks = Scale(low, low + span, 0, 100).ticks(5)
    assert 1 <= len(ticks) <= 12
    assert all(low - span * 1e-6 <= tick <= low + span * (1 + 1e-6) for tick in ticks)


@pytest.mark.parametrize(("value", "place"), [(1, 0), (10, 50), (100, 100)])
def test_logarithmic_scale(value, place):
    assert Scale(1, 100, 0, 100, logarithmic=True)(value) == pytest.approx(place)
