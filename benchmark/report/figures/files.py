"""Writes every figure the runs allow and names the runs that the others need."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmark.errors import UserError
from benchmark.report.figures import ablations, genes, importances, main_table
from benchmark.report.report import Report

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Written for every figure: PNG to look at, PDF for papers, SVG for the web.
FORMATS = ("png", "pdf", "svg")

#: What the digest of a figure's runs stands behind, in its metadata.
STAMP = "wpfs-bench runs "


@dataclass(frozen=True)
class FigureSource:
    """How a figure is made.

    Parameters
    ----------
    paint
        Yields figures, each with what it is about (empty if there is one only); none where the
        runs are missing.
    command
        That makes the runs.
    """

    paint: Callable[[Report], Iterator[tuple[str, "Figure"]]]
    command: str


_MAIN = "run --model paper --dataset paper"
_CURVES = "run --model wpfs,mlp --dataset paper"
_LAMBDA = "run --study lambda --dataset paper"

FIGURES: Mapping[str, FigureSource] = {
    "critical-difference": FigureSource(main_table.paint_critical_difference, _MAIN),
    "boxes": FigureSource(main_table.paint_boxes, _MAIN),
    "loss-curves": FigureSource(main_table.paint_losses, _CURVES),
    "loss-grid": FigureSource(main_table.paint_loss_grids, _CURVES),
    "importances": FigureSource(importances.paint_importances, _LAMBDA),
    "importances-by-lambda": FigureSource(importances.paint_importance_grids, _LAMBDA),
    "selected-features": FigureSource(importances.paint_selected_share, _LAMBDA),
    "gene-stability": FigureSource(genes.paint_stability, _MAIN),
    "gene-recovery": FigureSource(
        genes.paint_recovery,
        "run --model paper -d synthetic:samples=60 -d synthetic:samples=240",
    ),
    "gene-values": FigureSource(genes.paint_values, _MAIN),
    "gene-agreement": FigureSource(genes.paint_agreement, _MAIN),
    "embedding-type": FigureSource(
        ablations.paint_embedding_types, "run --study embedding-type --dataset paper"
    ),
    "spn": FigureSource(ablations.paint_spn, "run --study spn --dataset paper"),
    "wpn": FigureSource(ablations.paint_wpn, "run --study wpn --dataset paper"),
    "dataset-size": FigureSource(
        ablations.paint_dataset_size,
        "run --study dataset-size --dataset metabric-dr,metabric-pam50",
    ),
}


def draw_figures(report: Report, folder: Path) -> list[str]:
    """Draw all figures into a folder.

    Returns
    -------
    list
        One line per figure: its files, or that there is nothing to draw it from.
    """
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    from benchmark.report.figures.style import STYLE

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"--figures {folder}: {error.strerror}; choose another folder") from error
    # The runs' digest tells when a figure is out of date; a fixed date keeps a figure's bytes the
    # same when nothing changed.
    made_from = f"{STAMP}{report.runs.digest}"
    metadata: dict[str, dict[str, str | None]] = {
        "png": {"Source": made_from},
        "pdf": {"Subject": made_from, "CreationDate": None},
        "svg": {"Source": made_from, "Date": None},
    }
    report = replace(report, request=replace(report.request, titles=True))
    lines, shown = [], ",".join(report.datasets)
    with matplotlib.rc_context(STYLE):
        for name, source in FIGURES.items():
            drawn = 0
            for suffix, figure in source.paint(report):
                stem = f"{name}-{re.sub('[^a-z0-9]+', '-', suffix)}" if suffix else name
                for format in FORMATS:
                    figure.savefig(folder / f"{stem}.{format}", metadata=metadata[format])
                pyplot.close(figure)
                lines.append(f"{folder / stem}.{{{','.join(FORMATS)}}}")
                drawn += 1
            if not drawn:
                command = source.command.replace("--dataset paper", f"--dataset {shown}")
                lines.append(
                    f"nothing to draw for {name}: no such runs, or no arrays with them; "
                    f"make them with `wpfs-bench {command}`"
                )
    return lines
