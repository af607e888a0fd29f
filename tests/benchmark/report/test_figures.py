"""Figures: drawn where there are runs, named as missing where there are none."""

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_hex

from baselines._shared.registry import get_method
from benchmark.errors import UserError
from benchmark.plan.hyperparameters import normalise
from benchmark.plan.studies import STUDIES
from benchmark.report.charts.canvas import Canvas, Circle, Rectangle, Text
from benchmark.report.charts.style import LIGHT
from benchmark.report.figures.ablations import paint_spn, paint_wpn
from benchmark.report.figures.files import draw_figures
from benchmark.report.figures.importances import (
    measure_selected_share,
    paint_importance_grids,
    paint_selected_share,
)
from benchmark.report.figures.main_table import paint_boxes, paint_losses
from benchmark.report.figures.panels import draw_panels
from benchmark.report.report import Report
from benchmark.report.request import ReportRequest
from benchmark.report.tables.registry import build_tables
from benchmark.results.arrays import count_importances
from benchmark.results.reading import read_results

matplotlib.use("agg")


def test_a_chart_keeps_its_shapes_places_and_colours_as_a_figure():
    charts = [Canvas(200, 100, name, name) for name in ("a", "b")]
    charts[1].add(Rectangle(20, 30, 40, 50, "box"))
    charts[1].add(Text(20, 90, "below", "middle", "tick"))
    charts[1].add(Circle(100, 50, 2, "point"))
    figure = draw_panels(charts, columns=2)
    (axes,) = figure.axes
    (box,) = axes.patches
    (text,) = (text for text in axes.texts if text.get_text() == "below")
    ((x, y),) = axes.collections[0].get_offsets()
    assert to_hex(box.get_facecolor()) == LIGHT["box"]
    assert (box.get_width(), box.get_height()) == (40, 50)
    assert (x - box.get_x(), y - box.get_y()) == (80, 20)
    assert text.get_position()[0] == box.get_x() > 200, "the second chart is right of the first"
    assert axes.get_ylim()[0] > axes.get_ylim()[1], "y grows downwards"


@pytest.mark.slow
def test_figures_of_a_store(store_folder, tmp_path):
    frame, arrays = read_results(store_folder)
    lines = draw_figures(Report(frame, stored_arrays=arrays), tmp_path)
    drawn = {path.name for path in tmp_path.iterdir()}
    names = ("critical-difference", "boxes", "loss-curves", "loss-grid-prostate")
    # A diagram of ranks needs two data sets with a result of every method.
    assert drawn >= {f"{name}.{kind}" for name in names[1:] for kind in ("png", "pdf", "svg")}
    assert any(line.startswith("nothing to draw for dataset-size") for line in lines)
    text = (tmp_path / "boxes.svg").read_text()
    for shown in ("test balanced accuracy (%)", "failed", "no run", "WPFS (n=10)"):
        assert f">{shown}<" in text


def test_boxes_of_the_papers_data_sets_and_of_others_are_figures_apart(runs, make_row, make_frame):
    more = make_frame([*runs.to_dict("records"), make_row("alon"), make_row("su")])
    assert [suffix for suffix, _ in paint_boxes(Report(more))] == ["", "others"]
    only = Report(more, ReportRequest(datasets=("alon", "su")))
    assert [suffix for suffix, _ in paint_boxes(only)] == [""]


@pytest.fixture
def study_runs(make_row, make_frame):
    """All variants of four studies, on two splits of two data sets."""
    rows = []
    for name in ("spn", "wpn", "embedding-type", "dataset-size"):
        datasets = STUDIES[name].datasets or ("prostate", "toxicity")
        runs = STUDIES[name].runs(datasets, lambda m, d: get_method(m).paper_hyperparameters(d))
        for place, (model, dataset, values) in enumerate(runs):
            values = normalise(get_method(model), values)
            rows.append(
                make_row(dataset, model, hyperparameters=values, presets=(), score=0.7 + place / 99)
            )
    return make_frame([*rows, make_row(), make_row(model="mlp", score=0.7)])


@pytest.mark.slow
def test_figures_of_studies(study_runs, tmp_path, monkeypatch):
    monkeypatch.setattr("benchmark.report.figures.files.FORMATS", ("svg",))
    draw_figures(Report(study_runs), tmp_path)
    drawn = {path.stem for path in tmp_path.iterdir()}
    assert drawn >= {"spn", "wpn", "embedding-type", "dataset-size"}


@pytest.fixture
def lambda_runs(make_row, make_frame):
    """Two folds of two lambdas on prostate."""
    return make_frame(
        [
            make_row(fold=fold, hyperparameters={"validation_interval": 4, **more}, presets=())
            for more in ({}, {"sparsity": 3e-5})
            for fold in range(2)
        ]
    )


def test_no_grid_of_scores_is_drawn_without_scores(lambda_runs):
    report = Report(lambda_runs, ReportRequest(preset="grid"))
    assert len(report.find_study("lambda").runs) == 4
    assert list(paint_importance_grids(report)) == []


class Scores:
    """Arrays of runs of which all but the last have importance scores."""

    unreadable = ()

    def __init__(self, runs):
        self._runs = list(runs)

    def read_importance_counts(self, run):
        if run == self._runs[-1]:
            return None
        return count_importances(np.linspace(0, 1, 100) ** (1 + self._runs.index(run)))


def test_grids_of_scores_have_a_panel_per_lambda_and_split(lambda_runs):
    report = Report(lambda_runs, stored_arrays=Scores(lambda_runs.index))
    ((dataset, figure),) = paint_importance_grids(report)
    shown = [text.get_text() for text in figure.axes[0].texts]
    assert dataset == "prostate"
    assert [text for text in shown if text.startswith("λ")] == [
        f"λ = {label}, repeat 0, fold {fold}" for fold in (0, 1) for label in ("0", "3e-5")
    ]
    assert shown.count("no scores") == 1
    ((_, figure),) = paint_selected_share(report)
    mean = figure.axes[0].lines[-1].get_ydata()
    assert mean == pytest.approx([4, 2]), "per cent above 0.95, mean of the runs with scores"


def test_selected_share_counts_scores_above_the_threshold():
    counts = count_importances(np.array([0.1, 0.94, 0.96, 0.99]))
    assert measure_selected_share(counts) == 50
    assert np.isnan(measure_selected_share(None))


def test_spn_gain_is_the_difference_on_the_same_splits(make_row, make_frame):
    base = get_method("wpfs").paper_hyperparameters("prostate") | {"sparsity": 0.0}
    rows = []
    for fold, (without, with_spn) in enumerate([(0.5, 0.6), (0.8, 0.88), (0.9, None)]):
        for score, network in ((without, False), (with_spn, True)):
            values = normalise(get_method("wpfs"), base | {"sparsity_network": network})
            if score is not None:
                rows.append(make_row(fold=fold, score=score, hyperparameters=values, presets=()))
    ((_, figure),) = paint_spn(Report(make_frame(rows)))
    (bar,) = figure.axes[0].patches
    assert bar.get_width() == pytest.approx(9)


def test_wpn_gain_uses_the_lambda_chosen_on_validation(make_row, make_frame):
    base = get_method("wpfs").paper_hyperparameters("prostate")
    rows = [
        make_row(
            hyperparameters=normalise(
                get_method("wpfs"), base | {"weight_predictor": predictor, "sparsity": weight}
            ),
            score=score,
            cross_entropy_valid=loss,
            presets=(),
        )
        for predictor, weight, score, loss in (
            (False, 0.0, 0.70, 0.90),
            (False, 3e-5, 0.95, 0.95),
            (True, 0.0, 0.80, 0.10),
            (True, 3e-5, 0.99, 0.50),
        )
    ]
    ((_, figure),) = paint_wpn(Report(make_frame(rows)))
    (bar,) = figure.axes[0].patches
    assert bar.get_width() == pytest.approx(10)


def test_the_legend_of_loss_curves_fits_into_its_chart(store_folder):
    frame, arrays = read_results(store_folder)
    request = ReportRequest(datasets=("prostate",), titles=True)
    ((_, figure),) = paint_losses(Report(frame, request, stored_arrays=arrays))
    figure.draw_without_rendering()
    assert {"WPFS", "MLP"} <= {text.get_text() for text in figure.axes[0].texts}
    assert all(text.get_window_extent().x1 <= figure.bbox.x1 for text in figure.axes[0].texts)


def test_what_cannot_be_drawn_of_a_cohort_is_suggested_for_it(make_row, make_frame, tmp_path):
    report = Report(make_frame([make_row("cohort", "mlp")]))
    lines = draw_figures(report, tmp_path)
    assert any("run --study lambda --dataset cohort`" in line for line in lines)
    assert not any("--dataset paper" in line for line in lines)
    with pytest.raises(UserError, match="run --study lambda --dataset cohort`"):
        build_tables(report, "selected")
