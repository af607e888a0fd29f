"""Charts of the main table as figures: ranks, boxes and loss curves."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchmark.report.charts.boxes import draw_boxes
from benchmark.report.charts.critical_difference import draw_critical_difference
from benchmark.report.charts.losses import draw_first_losses, draw_losses, read_curves
from benchmark.report.figures.panels import draw_panels
from benchmark.report.labels import OTHERS
from benchmark.report.report import Report

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Splits of a data set's grid of loss curves.
_SPLITS = 6


def paint_critical_difference(report: Report) -> Iterator[tuple[str, "Figure"]]:
    """Draw average ranks; bars join methods that Nemenyi's test cannot tell apart."""
    diagram = draw_critical_difference(report)
    if diagram is not None:
        yield "", draw_panels([diagram])


def paint_boxes(report: Report) -> Iterator[tuple[str, "Figure"]]:
    """Draw the runs of every method, one panel per data set, a figure for each group of them."""
    panels = dict(zip(report.datasets, draw_boxes(report), strict=True))
    for group, datasets in report.labels.group_datasets(report.datasets).items():
        suffix = "others" if group == OTHERS and len(datasets) < len(panels) else ""
        columns = 2 if len(datasets) == 4 else 3
        yield suffix, draw_panels([panels[name] for name in datasets], columns=columns)


def paint_losses(report: Report) -> Iterator[tuple[str, "Figure"]]:
    """Draw one run of each method per data set (the paper's Figure 4)."""
    charts = draw_first_losses(report)
    if charts:
        yield "", draw_panels(charts, title="weighted cross-entropy")


def paint_loss_grids(report: Report) -> Iterator[tuple[str, "Figure"]]:
    """Draw several splits per data set (the paper's Figures 20 to 28)."""
    for dataset in report.datasets:
        charts = []
        for curves in read_curves(report, dataset, limit=_SPLITS):
            scores = ", ".join(
                f"{report.labels.title(model)} {100 * run['balanced_accuracy_test']:.1f}%"
                for model, run in curves.items()
            )
            first = next(iter(curves.values()))
            title = f"repeat {first['repeat']}, fold {first['fold']}; test: {scores}"
            charts.append(draw_losses(report, title, curves))
        if charts:
            name = dataset + report.labels.mark(dataset)
            yield dataset, draw_panels(charts, title=f"{name}: weighted cross-entropy")
