"""Figures: drawn where there are runs, named as missing where there are none."""

import pytest

from baselines._shared.registry import get_method
from benchmark.plan.studies import STUDIES
from benchmark.report.figures.curves import draw_overfitting
from benchmark.report.figures.drawing import FORMATS, draw_figures
from benchmark.report.figures.style import STYLE
from benchmark.report.report import Report, Request
from benchmark.report.tables.study import find_runs
from benchmark.results.arrays import StoredArrays
from benchmark.results.reading import read_results


def stems(folder):
    return {path.stem for path in folder.iterdir()}


@pytest.mark.slow
def test_figures_of_a_store(store_folder, tmp_path, monkeypatch):
    monkeypatch.setattr("benchmark.report.figures.drawing.FORMATS", ("svg",))
    frame, arrays = read_results(store_folder)
    lines = draw_figures(Report(frame), arrays, tmp_path / "figures")
    assert {"boxes", "loss-curves", "loss-grid-prostate"} <= stems(tmp_path / "figures")
    assert any(line.startswith("nothing to draw for dataset-size") for line in lines)
    text = (tmp_path / "figures" / "boxes.svg").read_text()
    assert "Test balanced accuracy (%)" in text, "text stays text"
    assert ">failed<" in text
    assert ">no run<" in text
    assert ">n=" in text, "fewer runs than the protocol's are said"


@pytest.mark.slow
def test_figures_of_studies(make_row, make_frame, tmp_path, monkeypatch):
    from benchmark.plan.hyperparameters import normalise

    monkeypatch.setattr("benchmark.report.figures.drawing.FORMATS", ("svg",))
    rows = [make_row(), make_row(model="mlp", score=0.7)]
    for name in ("spn", "wpn", "embedding-type", "dataset-size"):
        datasets = STUDIES[name].datasets or ("prostate", "toxicity")
        runs = STUDIES[name].runs(datasets, lambda m, d: get_method(m).paper_hyperparameters(d))
        for place, (model, dataset, values) in enumerate(runs):
            values = normalise(get_method(model), values)
            rows.append(
                make_row(dataset, model, hyperparameters=values, presets=(), score=0.7 + place / 99)
            )
    frame = make_frame(rows)
    draw_figures(Report(frame), StoredArrays(frame), tmp_path / "figures")
    assert {"spn", "wpn", "embedding-type", "dataset-size"} <= stems(tmp_path / "figures")


def test_no_grid_of_scores_is_drawn_without_scores(make_row, make_frame):
    from benchmark.report.figures.importances import draw_importance_grids

    rows = [
        make_row(fold=fold, hyperparameters={"validation_interval": 4, **changes}, presets=())
        for changes in ({}, {"sparsity": 3e-5})
        for fold in range(2)
    ]
    frame = make_frame(rows)
    report = Report(frame)
    assert len(find_runs(frame, STUDIES["lambda"], report.remarks)) == 4
    assert list(draw_importance_grids(report, StoredArrays(frame))) == []


def test_every_figure_comes_as_pixels_and_as_vectors():
    assert FORMATS == ("png", "pdf", "svg")


def test_selected_share_counts_scores_above_the_threshold():
    import numpy as np

    from benchmark.report.figures.importances import _selected_share
    from benchmark.results.arrays import count_importances

    counts = count_importances(np.array([0.1, 0.94, 0.96, 0.99]))
    assert _selected_share(counts) == 50
    assert np.isnan(_selected_share(None))


def test_wpn_gain_uses_the_lambda_chosen_on_validation(make_row, make_frame):
    from benchmark.report.figures.ablations import draw_wpn

    rows = []
    scores = {(False, 0.0): (0.70, 0.9), (False, 3e-5): (0.95, 0.95), (True, 0.0): (0.80, 0.1),
              (True, 3e-5): (0.99, 0.5)}  # fmt: skip
    base = get_method("wpfs").paper_hyperparameters("prostate")
    for (predictor, weight), (score, loss) in scores.items():
        values = {**base, "weight_predictor": predictor, "sparsity": weight}
        values = {k: v for k, v in values.items() if v not in (True, 0.0) or k == "x"}
        if not predictor:
            values["weight_predictor"] = False
        rows.append(
            make_row(hyperparameters=values, score=score, cross_entropy_valid=loss, presets=())
        )
    frame = make_frame(rows)
    ((_, figure),) = draw_wpn(Report(frame), StoredArrays(frame))
    (bar,) = figure.axes[0].patches
    assert bar.get_width() == pytest.approx(10)


@pytest.mark.slow
def test_legend_of_a_single_panel_fits_into_the_figure(store_folder):
    import matplotlib

    matplotlib.use("agg")
    frame, arrays = read_results(store_folder)
    report = Report(frame, Request(datasets=("prostate",)))
    with matplotlib.rc_context(STYLE):
        ((_, figure),) = draw_overfitting(report, arrays)
        figure.draw_without_rendering()
    box = figure.legends[0].get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.x1
