"""Importance scores of WPFS: their distribution, and how many features are selected."""

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from benchmark.report.charts.importances import draw_first_importances, draw_histogram
from benchmark.report.figures.panels import draw_panels
from benchmark.report.figures.style import PALETTE
from benchmark.report.report import Report
from benchmark.report.study_runs import SPLIT, keep_common_splits

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Splits per data set in the grid by lambda.
_SPLITS = 3


def paint_importances(report: Report) -> Iterator[tuple[str, "Figure"]]:
    """Draw the scores of one run per data set, without sparsity loss (the paper's Figure 5)."""
    runs = report.find_study("lambda").runs
    charts = draw_first_importances(report, runs[runs["variant"] == "0"])
    if charts:
        yield "", draw_panels(charts, title="features (%) by score, λ = 0")


def paint_importance_grids(report: Report) -> Iterator[tuple[str, "Figure"]]:
    """Draw scores by lambda, three splits per data set (the paper's Figures 11 to 19)."""
    study = report.find_study("lambda")
    runs = study.runs[study.runs["status"] == "ok"]
    for dataset in study.labels.order_datasets(runs["dataset"].unique()):
        of_dataset = runs[runs["dataset"] == dataset].sort_values(SPLIT, kind="stable")
        lambdas = study.list_variants(of_dataset)
        splits = list(of_dataset[SPLIT].drop_duplicates().head(_SPLITS).itertuples(index=False))
        counts = {
            (*split, label): report.arrays.read_importance_counts(int(run))
            for run, *split, label in of_dataset[[*SPLIT, "variant"]].itertuples()
            if tuple(split) in splits
        }
        known = [100 * found.max() / found.sum() for found in counts.values() if found is not None]
        if len(lambdas) < 2 or not known:
            continue
        charts = []
        for split, label in itertools.product(splits, lambdas):
            title = f"λ = {label}, repeat {split.repeat}, fold {split.fold}"
            charts.append(draw_histogram(title, counts.get((*split, label)), max(known)))
        name = dataset + study.labels.mark(dataset)
        yield dataset, draw_panels(charts, len(lambdas), f"{name}: features (%) by score")


def paint_selected_share(report: Report) -> Iterator[tuple[str, "Figure"]]:
    """Draw the share of selected features (score above 0.95) by lambda (the paper's Figure 6)."""
    from matplotlib import pyplot

    study = report.find_study("lambda")
    runs = keep_common_splits(study.runs).copy()
    runs["share"] = [
        measure_selected_share(report.arrays.read_importance_counts(int(run))) for run in runs.index
    ]
    runs = runs[runs["share"].notna()]
    lambdas = study.list_variants(runs)
    if len(lambdas) < 2:
        return
    wide = runs.pivot_table(index="dataset", columns="variant", values="share")[lambdas]
    figure, axes = pyplot.subplots(figsize=(5.6, 3.8))
    for number, (dataset, row) in enumerate(wide.iterrows()):
        axes.plot(
            range(len(lambdas)),
            row,
            marker="os^Dv<>"[number % 7],
            ms=4,
            lw=1,
            color=PALETTE[number % len(PALETTE)],
            label=dataset,
        )
    axes.plot(range(len(lambdas)), wide.mean(axis=0), color="black", lw=2.4, label="mean")
    axes.set_yscale("symlog", linthresh=0.1)
    axes.set_ylim(0, 100)
    axes.set_yticks([0, 0.1, 1, 10, 100], ["0", "0.1", "1", "10", "100"])
    axes.set_xticks(range(len(lambdas)), lambdas)
    axes.set_xlabel("weight λ of the sparsity loss")
    axes.set_ylabel("selected features (%)")
    axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))
    yield "", figure


def measure_selected_share(counts: np.ndarray | None) -> float:
    """Return the per cent of features above the paper's threshold, where the last bin begins."""
    return float("nan") if counts is None else 100 * float(counts[-1] / counts.sum())
