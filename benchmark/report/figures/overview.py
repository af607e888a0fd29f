"""Figures of the main table: ranks and the spread of the runs."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchmark.report import statistics
from benchmark.report.figures.style import BLUE, RED, SKY
from benchmark.report.report import Report
from benchmark.report.table import PROTOCOL_RUNS
from benchmark.report.tables.significance import orient
from benchmark.results.arrays import RunArrays

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: With more methods than this the numbers of neighbouring ranks would touch.
_CROWDED = 12


def draw_critical_difference(report: Report, _: RunArrays) -> Iterator[tuple[str, "Figure"]]:
    """Draw average ranks; bars join methods that Nemenyi's test cannot tell apart."""
    from matplotlib import pyplot

    mean = orient(report.scores)
    if min(mean.shape) < 2:
        return
    names = {model: name.title for model, name in report.names.items()}
    ranks = statistics.bootstrap_rank_intervals(mean)["rank"].sort_values(kind="stable")
    k, half = len(ranks), (len(ranks) + 1) // 2
    critical = statistics.find_critical_difference(k, len(mean))
    cliques = statistics.find_cliques(list(ranks), critical)
    first = 1.0 + 0.3 * len(cliques)
    figure, axes = pyplot.subplots(figsize=(7.5, 1.3 + 0.12 * len(cliques) + 0.22 * half))
    axes.set_xlim(1 - 0.45 * k, k + 0.45 * k)
    axes.set_ylim(first + 0.62 * half, -2.4)
    axes.axis("off")
    axes.plot([1, k], [0, 0], color="black", lw=1.2)
    for tick in range(1, k + 1):
        axes.plot([tick, tick], [0, -0.25], color="black", lw=1.2)
        if k <= _CROWDED or tick % 2:
            axes.text(tick, -0.4, str(tick), ha="center", va="bottom")
    axes.plot([1, 1 + critical], [-1.6, -1.6], color="black", lw=2.5)
    axes.text(1, -1.8, f"critical difference {critical:.2f}", ha="left", va="bottom", fontsize=9)
    for position, (model, rank) in enumerate(ranks.items()):
        on_left = position < half
        level = first + 0.62 * (position if on_left else k - 1 - position)
        edge = 1 - 0.05 * k if on_left else k + 0.05 * k
        axes.plot([rank, rank, edge], [0, level, level], color="#777777", lw=0.9)
        text = f"{names[str(model)]} ({rank:.2f})"
        side = "right" if on_left else "left"
        axes.text(edge, level, f" {text} ", ha=side, va="center", fontsize=10)
    for level, (start, end) in enumerate(cliques):
        height = 0.35 + 0.3 * level
        axes.plot(
            [ranks.iloc[start] - 0.05, ranks.iloc[end] + 0.05], [height] * 2, color=BLUE, lw=3.5
        )
    yield "", figure


def draw_boxes(report: Report, _: RunArrays) -> Iterator[tuple[str, "Figure"]]:
    """Draw the runs of every method, one panel per data set."""
    from matplotlib import pyplot

    metric = report.request.metric
    good = report.frame[report.frame["status"] == "ok"]
    names = [report.names[model].title for model in report.models]
    columns = 2 if len(report.datasets) == 4 else min(3, len(report.datasets))
    rows = -(-len(report.datasets) // columns)
    figure, grid = pyplot.subplots(
        rows,
        columns,
        squeeze=False,
        sharey=True,
        figsize=(1.6 + 3 * columns, rows * (0.9 + 0.26 * len(names))),
    )
    for panel, dataset in zip(grid.flat, report.datasets, strict=False):
        runs = good[good["dataset"] == dataset]
        values = [
            runs.loc[runs["model"] == model, metric.column].dropna().to_numpy() * metric.scale
            for model in report.models
        ]
        panel.boxplot(
            values,
            orientation="horizontal",
            widths=0.6,
            patch_artist=True,
            boxprops={"facecolor": SKY, "edgecolor": BLUE},
            medianprops={"color": "black", "linewidth": 1.8},
            flierprops={"markersize": 3},
        )
        failed = report.scores.list_failed(dataset)
        low, high = panel.get_xlim()
        if any(0 < len(found) < PROTOCOL_RUNS for found in values):
            panel.set_xlim(low - 0.12 * (high - low), high)  # room for n
        for place, (model, found) in enumerate(zip(report.models, values, strict=True), start=1):
            if len(found) != PROTOCOL_RUNS:
                lacking = "failed" if model in failed else "no run"
                panel.text(
                    0.02,
                    place,
                    f"n={len(found)}" if len(found) else lacking,
                    transform=panel.get_yaxis_transform(),
                    va="center",
                    fontsize=8,
                    color=RED if model in failed else "#666666",
                )
        panel.set_yticks(range(1, len(names) + 1), names)
        panel.set_title(dataset + report.remarks[dataset].mark)
    grid[0, 0].invert_yaxis()
    for panel in grid.flat[len(report.datasets) :]:
        panel.axis("off")
    figure.supxlabel(metric.label, fontsize=11)
    yield "", figure
