"""An external validation as a table and as a picture."""

from collections.abc import Sequence
from pathlib import Path

from benchmark.datasets.dataset import describe_table
from benchmark.errors import UserError
from benchmark.models.calibration import bin_probabilities
from benchmark.models.external import MEASURES, External, Pair
from benchmark.report.charts.calibration import draw_calibration
from benchmark.report.figures.panels import draw_panels
from benchmark.report.formats.registry import FORMATS
from benchmark.report.table import Cell, Row, Table
from benchmark.run.metrics import Metric

#: Kinds of files a picture may be written to.
PICTURES = (".png", ".pdf", ".svg")


def make_table(pair: Pair, found: Sequence[External], notes: Sequence[str], format: str) -> Table:
    """Set the methods' scores on the other cohort beside their cross-validation.

    Formats for programs get the ends of intervals as columns of their own, and columns for the
    cross-validation even where there is none.
    """
    as_data, titles = FORMATS[format].is_data, FORMATS[format].titles
    columns: list[str] = []
    for metric in MEASURES:
        name = _name(metric)
        columns += [name, f"{name}, low", f"{name}, high"] if as_data else [name]
    inside = MEASURES if as_data or any(result.inside for result in found) else ()
    columns += [f"CV {_name(metric)}" for metric in inside]
    rows = []
    for result in found:
        cells: list[Cell] = []
        for metric in MEASURES:
            cells += _show_estimate(result, metric, as_data)
        cells += [_show_cross_validated(result, metric) for metric in inside]
        rows.append(Row(result.title if titles else result.method, tuple(cells)))
    return Table(
        "external",
        f"Trained on {pair.train.name}, tried on {pair.test.name}",
        "method",
        tuple(columns),
        tuple(rows),
        tuple(notes),
    )


def list_notes(pair: Pair, found: Sequence[External], rescale: str) -> list[str]:
    """Return what has to be said below the table."""
    notes = [describe_table(pair.train), describe_table(pair.test), *pair.notes]
    notes.append(
        "Each cohort is standardised by itself."
        if rescale == "cohort"
        else "The other cohort is scaled by the training cohort's means and deviations."
    )
    notes.append("In brackets: 95% bootstrap intervals over the patients of the other cohort.")
    if any(result.inside for result in found):
        notes.append(
            f"CV: cross-validated on {pair.whole.name} with all its {pair.whole.n_features} genes."
        )
    warnings = [
        text
        for result in found
        if result.predictions is not None
        for text in result.predictions.warnings
    ]
    return [*notes, *(f"Warning: {text}" for text in dict.fromkeys(warnings))]


def draw_calibrations(pair: Pair, found: Sequence[External], path: Path) -> bool:
    """Draw the calibration of every method that gives probabilities; False if none does."""
    names = pair.test.class_names
    charts = [
        draw_calibration(
            result.title,
            str(names[1]) if len(names) == 2 else "the class named",
            [
                (each.said, each.happened, each.low, each.high, each.n)
                for each in bin_probabilities(result.predictions.proba, pair.test.y)
            ],
        )
        for result in found
        if result.predictions is not None and result.predictions.proba is not None
    ]
    if not charts:
        return False
    figure = draw_panels(charts, title=f"{pair.train.name} → {pair.test.name}")
    try:
        figure.savefig(path, dpi=200)
    except OSError as error:
        raise UserError(f"--calibration {path}: {error.strerror}; choose another file") from error
    return True


def _name(metric: Metric) -> str:
    return metric.title.partition(" (")[0]


def _digits(metric: Metric) -> int:
    return 1 if metric.percent else metric.digits


def _show_estimate(result: External, metric: Metric, as_data: bool) -> list[Cell]:
    score = result.scores.get(metric.name)
    if score is None:
        empty = Cell(state="failed" if result.error else "missing")
        return [empty] * (3 if as_data else 1)
    value, low, high = (number * metric.scale for number in (score.value, score.low, score.high))
    if as_data:
        return [Cell(value), Cell(low), Cell(high)]
    digits = _digits(metric)
    text = f"{value:.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"
    return [Cell(value, digits=digits, text=text)]


def _show_cross_validated(result: External, metric: Metric) -> Cell:
    runs = result.inside.get(metric.name)
    if runs is None:
        return Cell(state="missing")
    scale = metric.scale
    return Cell(runs.mean * scale, runs.std * scale, runs.n, _digits(metric))
