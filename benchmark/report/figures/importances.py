"""Importance scores of WPFS: their distribution, and how many features are selected."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from benchmark.plan.studies import STUDIES
from benchmark.report.figures.style import BLUE, PALETTE
from benchmark.report.report import Report
from benchmark.report.tables.study import find_runs, keep_common_splits
from benchmark.results.arrays import IMPORTANCE_BINS, RunArrays

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Splits per data set in the grid by lambda.
_SPLITS = 3


def draw_importances(report: Report, arrays: RunArrays) -> Iterator[tuple[str, "Figure"]]:
    """Draw the scores of one run per data set, without sparsity loss (the paper's Figure 5)."""
    from matplotlib import pyplot

    runs = find_runs(report.studied, STUDIES["lambda"], report.remarks)
    runs = runs[(runs["variant"] == "0") & (runs["status"] == "ok")]
    found = {}
    for dataset in report.datasets:
        of_dataset = _in_order(runs[runs["dataset"] == dataset])
        counts = None if of_dataset.empty else arrays.read_importance_counts(of_dataset.index[0])
        if counts is not None:
            found[dataset] = counts
    if not found:
        return
    columns = min(3, len(found))
    rows = -(-len(found) // columns)
    figure, grid = pyplot.subplots(
        rows, columns, squeeze=False, figsize=(3.2 * columns, 2.3 * rows + 0.3)
    )
    for panel, (dataset, counts) in zip(grid.flat, found.items(), strict=False):
        _draw_counts(panel, counts)
        panel.set_title(dataset + report.remarks[dataset].mark)
    for panel in grid.flat[len(found) :]:
        panel.axis("off")
    figure.supxlabel("importance score (λ = 0)", fontsize=11)
    figure.supylabel("features (%)", fontsize=11)
    yield "", figure


def draw_importance_grids(report: Report, arrays: RunArrays) -> Iterator[tuple[str, "Figure"]]:
    """Draw scores by lambda, three splits per data set (the paper's Figures 11 to 19)."""
    from matplotlib import pyplot

    study = STUDIES["lambda"]
    labels = [variant.label for variant in study.variants]
    runs = find_runs(report.studied, study, report.remarks)
    runs = runs[runs["status"] == "ok"]
    for dataset in runs["dataset"].unique():
        of_dataset = _in_order(runs[runs["dataset"] == dataset])
        if all(arrays.read_importance_counts(int(run)) is None for run in of_dataset.index):
            continue
        shown = [label for label in labels if (of_dataset["variant"] == label).any()]
        splits = of_dataset[["repeat", "fold"]].drop_duplicates().head(_SPLITS)
        if len(shown) < 2:
            continue
        figure, grid = pyplot.subplots(
            len(splits),
            len(shown),
            squeeze=False,
            sharex=True,
            sharey=True,
            figsize=(1.9 * len(shown) + 0.4, 1.6 * len(splits) + 0.6),
        )
        for panels, split in zip(grid, splits.itertuples(), strict=True):
            for panel, label in zip(panels, shown, strict=True):
                run = of_dataset[
                    (of_dataset["variant"] == label)
                    & (of_dataset["repeat"] == split.repeat)
                    & (of_dataset["fold"] == split.fold)
                ]
                counts = None if run.empty else arrays.read_importance_counts(int(run.index[0]))
                if counts is None:
                    what = "no run" if run.empty else "no scores"
                    panel.text(0.5, 0.5, what, ha="center", transform=panel.transAxes)
                else:
                    _draw_counts(panel, counts)
        for panel, label in zip(grid[0], shown, strict=True):
            panel.set_title(f"λ = {label}")
        figure.suptitle(dataset, fontsize=12)
        figure.supxlabel("importance score", fontsize=11)
        figure.supylabel("features (%)", fontsize=11)
        yield dataset, figure


def draw_selected_share(report: Report, arrays: RunArrays) -> Iterator[tuple[str, "Figure"]]:
    """Draw the share of selected features (score above 0.95) by lambda (the paper's Figure 6)."""
    from matplotlib import pyplot

    study = STUDIES["lambda"]
    runs = keep_common_splits(find_runs(report.studied, study, report.remarks)).copy()
    runs["share"] = [_selected_share(arrays.read_importance_counts(int(run))) for run in runs.index]
    runs = runs[runs["share"].notna()]
    labels = [v.label for v in study.variants if (runs["variant"] == v.label).any()]
    if len(labels) < 2:
        return
    wide = runs.pivot_table(index="dataset", columns="variant", values="share")[labels]
    figure, axes = pyplot.subplots(figsize=(5.6, 3.8))
    for number, (dataset, row) in enumerate(wide.iterrows()):
        axes.plot(
            range(len(labels)),
            row,
            marker="os^Dv<>"[number % 7],
            ms=4,
            lw=1,
            color=PALETTE[number % len(PALETTE)],
            label=dataset,
        )
    axes.plot(range(len(labels)), wide.mean(axis=0), color="black", lw=2.4, label="mean")
    axes.set_yscale("symlog", linthresh=0.1)
    axes.set_ylim(0, 100)
    axes.set_yticks([0, 0.1, 1, 10, 100], ["0", "0.1", "1", "10", "100"])
    axes.set_xticks(range(len(labels)), labels)
    axes.set_xlabel("weight λ of the sparsity loss")
    axes.set_ylabel("selected features (%)")
    axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))
    yield "", figure


def _draw_counts(panel: Any, counts: np.ndarray) -> None:
    share = 100 * counts / counts.sum()
    width = IMPORTANCE_BINS[1] - IMPORTANCE_BINS[0]
    panel.bar(IMPORTANCE_BINS[:-1], share, width=width * 0.92, align="edge", color=BLUE)
    panel.set_xlim(0, 1)
    panel.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])


def _selected_share(counts: np.ndarray | None) -> float:
    # The last bin begins at 0.95, the paper's threshold.
    return float("nan") if counts is None else 100 * float(counts[-1] / counts.sum())


def _in_order(runs: pd.DataFrame) -> pd.DataFrame:
    return runs.sort_values(["repeat", "fold", "seed"], kind="stable")
