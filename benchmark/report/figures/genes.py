"""Genes: stability against accuracy, values of the best, agreement of methods."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from benchmark.datasets.names import is_made
from benchmark.genes.lists import GeneLists
from benchmark.genes.table import add_table
from benchmark.report.charts.canvas import Canvas
from benchmark.report.charts.gene_agreement import draw_gene_agreement
from benchmark.report.charts.gene_values import draw_gene_values
from benchmark.report.charts.recovery import draw_recoveries
from benchmark.report.charts.stability import draw_stability
from benchmark.report.figures.panels import draw_panels
from benchmark.report.labels import Labels
from benchmark.report.report import Report

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def paint_stability(report: Report) -> Iterator[tuple[str, "Figure"]]:
    """Draw stability against accuracy, a panel per data set."""
    charts = [draw_stability(genes, report.labels) for genes in report.genes.values()]
    drawn = [chart for chart in charts if chart is not None]
    if drawn:
        yield "", draw_panels(drawn, columns=min(3, len(drawn)))


def paint_recovery(report: Report) -> Iterator[tuple[str, "Figure"]]:
    """Draw how well methods rank the true features, by the number of samples."""
    studies = [add_table(genes) for dataset, genes in report.genes.items() if is_made(dataset)]
    charts = draw_recoveries(studies, report.labels)
    if charts:
        yield "", draw_panels(charts, columns=2)


def paint_values(report: Report) -> Iterator[tuple[str, "Figure"]]:
    """Draw the values of the best genes, a figure per data set whose table is at hand."""
    yield from _paint_each(report, lambda genes, labels: draw_gene_values(add_table(genes), labels))


def paint_agreement(report: Report) -> Iterator[tuple[str, "Figure"]]:
    """Draw how far the methods' lists agree, a figure per data set."""
    yield from _paint_each(report, draw_gene_agreement)


def _paint_each(
    report: Report, draw: Callable[[GeneLists, Labels], Canvas | None]
) -> Iterator[tuple[str, "Figure"]]:
    for dataset, genes in report.genes.items():
        chart = draw(genes, report.labels)
        if chart is not None:
            yield dataset, draw_panels([chart])
