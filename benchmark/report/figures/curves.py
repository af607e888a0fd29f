"""Loss curves of WPFS and the MLP: the paper's "overfitting trends" and the appendix's grids."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from benchmark.report.figures.style import METHOD_COLOURS
from benchmark.report.report import Report
from benchmark.results.arrays import RunArrays

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Panels of a data set's grid.
_GRID = 6


def draw_overfitting(report: Report, arrays: RunArrays) -> Iterator[tuple[str, "Figure"]]:
    """Draw one run of each method per data set (the paper's Figure 4)."""
    from matplotlib import pyplot

    found = {
        dataset: curves
        for dataset in report.datasets
        if (curves := _read(report.frame, arrays, dataset, limit=1))
    }
    if not found:
        return
    columns = min(3, len(found))
    rows = -(-len(found) // columns)
    figure, grid = pyplot.subplots(
        rows, columns, squeeze=False, figsize=(3.6 * columns, 2.7 * rows + 0.4)
    )
    for panel, (dataset, curves) in zip(grid.flat, found.items(), strict=False):
        _draw_panel(panel, curves[0], report)
        panel.set_title(dataset + report.remarks[dataset].mark)
    _finish(figure, grid)
    for panel in grid.flat[len(found) :]:
        panel.axis("off")
    yield "", figure


def draw_loss_grids(report: Report, arrays: RunArrays) -> Iterator[tuple[str, "Figure"]]:
    """Draw several splits per data set (the paper's Figures 20 to 28)."""
    from matplotlib import pyplot

    for dataset in report.datasets:
        curves = _read(report.frame, arrays, dataset, limit=_GRID)
        if not curves:
            continue
        columns = min(3, len(curves))
        rows = -(-len(curves) // columns)
        figure, grid = pyplot.subplots(
            rows, columns, squeeze=False, figsize=(3.6 * columns, 2.9 * rows + 0.5)
        )
        for panel, split in zip(grid.flat, curves, strict=False):
            _draw_panel(panel, split, report)
            scores = ", ".join(
                f"{report.names[model].title} {100 * run['balanced_accuracy_test']:.1f}%"
                for model, run in split.items()
            )
            first = next(iter(split.values()))
            panel.set_title(
                f"repeat {first['repeat']}, fold {first['fold']}\ntest {scores}", fontsize=9
            )
        _finish(figure, grid)
        for panel in grid.flat[len(curves) :]:
            panel.axis("off")
        figure.suptitle(dataset + report.remarks[dataset].mark, fontsize=12)
        yield dataset, figure


def _read(
    frame: pd.DataFrame, arrays: RunArrays, dataset: str, limit: int
) -> list[dict[str, dict[str, Any]]]:
    """Read the curves of the first splits: model -> scores and history."""
    runs = frame[
        (frame["dataset"] == dataset)
        & (frame["status"] == "ok")
        & frame["model"].isin(list(METHOD_COLOURS))
    ].sort_values(["repeat", "fold", "seed"], kind="stable")
    splits = []
    for _, of_split in runs.groupby(["repeat", "fold", "seed"], sort=True):
        curves = {}
        for run, row in of_split.iterrows():
            history = arrays.read_history(int(run))
            if len(history):
                curves[row["model"]] = {**row.to_dict(), "history": history}
        if curves:
            splits.append(curves)
        if len(splits) == limit:
            break
    return splits


def _draw_panel(panel: Any, split: Mapping[str, Mapping[str, Any]], report: Report) -> None:
    highest = []
    for model, run in split.items():
        history, colour = run["history"], METHOD_COLOURS[model]
        title = report.names[model].title
        panel.plot(
            history["step"], history["train_loss"], ls="--", lw=1, color=colour,
            label=f"{title} train",
        )  # fmt: skip
        panel.plot(
            history["step"], history["valid_loss"], lw=1.4, color=colour, label=f"{title} valid"
        )
        for key in ("train_loss", "valid_loss"):
            losses = np.asarray(history[key], dtype=float)
            highest.append(np.quantile(losses[np.isfinite(losses)], 0.98))
    panel.set_ylim(0, max(highest) * 1.1)


def _finish(figure: "Figure", grid: np.ndarray) -> None:
    handles: dict[str, Any] = {}
    for panel in grid.flat:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    # One panel is too narrow for all of them beside each other.
    ncols = len(handles) if grid.shape[1] > 1 else 2
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=ncols)
    for panel in grid[-1]:
        panel.set_xlabel("training step")
    figure.supylabel("weighted cross-entropy", fontsize=11)
