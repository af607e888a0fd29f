"""Figures of the paper's ablations: embedding types, the two auxiliary networks, data set size."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from benchmark.report.aggregate import aggregate
from benchmark.report.charts.style import LIGHT, METHOD_COLOURS
from benchmark.report.figures.style import PALETTE
from benchmark.report.labels import label_methods
from benchmark.report.report import Report
from benchmark.report.statistics import correct_standard_error
from benchmark.report.study_runs import keep_common_splits, subtract_variants
from benchmark.run.metrics import find_metric_of_column

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TEST = "balanced_accuracy_test"


def paint_embedding_types(report: Report) -> Iterator[tuple[str, "Figure"]]:
    """Draw validation accuracy by embedding type, min-max scaled (the paper's Figure 2)."""
    from matplotlib import pyplot

    study = report.find_study("embedding-type")
    if study.runs.empty:
        return
    scores = study.scores
    variants = [v for v in scores.methods if v.endswith("min-max") and scores.mean[v].notna().any()]
    if len(variants) < 2:
        return
    x = np.arange(len(scores.datasets))
    width = 0.8 / len(variants)
    figure, axes = pyplot.subplots(figsize=(max(6.5, 1.4 + 1.05 * len(x)), 3.8))
    for number, variant in enumerate(variants):
        axes.bar(
            x + (number - (len(variants) - 1) / 2) * width,
            100 * scores.mean[variant],
            width * 0.94,
            yerr=100 * scores.std[variant],
            error_kw={"elinewidth": 0.8, "capsize": 1.5, "ecolor": "#555555"},
            color=PALETTE[number],
            label=variant.removesuffix(", min-max"),
        )
    axes.set_xticks(x, scores.datasets, rotation=25, ha="right")
    axes.set_ylabel("validation balanced accuracy (%)")
    axes.set_ylim(30, 105)
    axes.grid(axis="x", visible=False)
    figure.legend(ncols=len(variants), loc="outside upper center")
    yield "", figure


def paint_spn(report: Report) -> Iterator[tuple[str, "Figure"]]:
    """Draw what the sparsity network adds on test (the paper's Figure 3)."""
    study = report.find_study("spn")
    gain = subtract_variants(study.runs, _TEST, "with SPN", "without SPN")
    if len(gain):
        found = study.labels.order_datasets(gain.index.unique("dataset"))
        gains = {name: gain.loc[name] for name in found}
        yield "", _draw_gains(gains, "gain in test balanced accuracy by the SPN (points)")


def paint_wpn(report: Report) -> Iterator[tuple[str, "Figure"]]:
    """Draw what the weight predictor adds, lambda chosen on validation (the paper's Figure 7)."""
    study = report.find_study("wpn")
    runs = keep_common_splits(study.runs)
    if runs.empty:
        return
    loss = aggregate(runs, find_metric_of_column("cross_entropy_valid"), by="variant").mean
    gains = {}
    for dataset in study.labels.order_datasets(loss.index):
        chosen = []
        for kind in ("with WPN", "without WPN"):
            losses = loss.loc[dataset].dropna()
            losses = losses[losses.index.str.startswith(kind)]
            if len(losses):
                chosen.append(losses.idxmin())
        if len(chosen) == 2:
            gains[dataset] = subtract_variants(runs[runs["dataset"] == dataset], _TEST, *chosen)
    if gains:
        yield "", _draw_gains(gains, "gain in test balanced accuracy by the WPN (points)")


def paint_dataset_size(report: Report) -> Iterator[tuple[str, "Figure"]]:
    """Draw accuracy by number of samples, WPFS and MLP (the paper's Figures 8 to 10)."""
    from matplotlib import pyplot

    study = report.find_study("dataset-size")
    runs = study.runs[study.runs["status"] == "ok"].copy()
    if runs.empty:
        return
    runs["samples"] = runs["variant"].str.rpartition("= ")[2]
    sizes = list(dict.fromkeys(v.label.rpartition("= ")[2] for v in study.study.variants))
    titles = label_methods(METHOD_COLOURS)
    found = runs.groupby("dataset", sort=False)["samples"].nunique()
    datasets = list(found.index[found > 1])
    if not datasets:
        return
    figure, panels = pyplot.subplots(
        1, len(datasets), squeeze=False, figsize=(4.2 * len(datasets), 3.4)
    )
    for panel, dataset in zip(panels[0], datasets, strict=True):
        for model, role in METHOD_COLOURS.items():
            of_model = runs[(runs["dataset"] == dataset) & (runs["model"] == model)]
            if of_model.empty:
                continue
            for split, style in (("train", ":"), ("valid", "--"), ("test", "-")):
                by_size = of_model.groupby("samples")[f"balanced_accuracy_{split}"]
                mean = 100 * by_size.mean().reindex(sizes)
                std = 100 * by_size.std().reindex(sizes)
                panel.plot(
                    range(len(sizes)), mean, style, marker="o", ms=3, color=LIGHT[role],
                    label=f"{titles[model].title} {split}",
                )  # fmt: skip
                if split == "test":
                    around = (range(len(sizes)), mean - std, mean + std)
                    panel.fill_between(*around, color=LIGHT[role], alpha=0.12, lw=0)
        panel.set_xticks(range(len(sizes)), sizes)
        panel.set_title(dataset)
        panel.set_xlabel("samples")
    panels[0, 0].set_ylabel("balanced accuracy (%)")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(6, len(labels)))
    yield "", figure


def _draw_gains(gains: Mapping[str, pd.Series], label: str) -> "Figure":
    """Draw the mean of each data set's gains over its splits, a fraction, and its error."""
    from matplotlib import pyplot

    names = list(gains)[::-1]
    values = [100 * gains[name].mean() for name in names]
    errors = [
        100 * correct_standard_error(gains[name].to_numpy()) if len(gains[name]) > 1 else np.nan
        for name in names
    ]
    figure, axes = pyplot.subplots(figsize=(5.4, 1.15 + 0.34 * len(names)))
    axes.barh(
        names,
        values,
        xerr=errors,
        error_kw={"elinewidth": 0.8, "capsize": 2.5, "ecolor": "#555555"},
        color=[LIGHT["blue" if value >= 0 else "orange"] for value in values],
    )
    axes.axvline(0, color="black", lw=1)
    for position, (value, error) in enumerate(zip(values, np.nan_to_num(errors), strict=True)):
        axes.annotate(
            f"{value:+.2f}",
            (value + error, position) if value >= 0 else (value - error, position),
            xytext=(4 if value >= 0 else -4, 0),
            textcoords="offset points",
            va="center",
            ha="left" if value >= 0 else "right",
            fontsize=9,
        )
    axes.margins(x=0.2)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(f"{label}\n± standard error over the splits")
    return figure
