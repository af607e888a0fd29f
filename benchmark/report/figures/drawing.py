"""Draws every figure the runs allow and says why others are missing."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benchmark.errors import UserError
from benchmark.report.figures import ablations, curves, importances, overview
from benchmark.report.report import Report
from benchmark.results.arrays import RunArrays

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Written for every figure: PNG to look at, PDF for papers, SVG for the web.
FORMATS = ("png", "pdf", "svg")

#: What the digest of a figure's runs stands behind, in its metadata.
STAMP = "wpfs-bench runs "

#: Draws nothing (no such runs) or named figures.
Painter = Callable[[Report, RunArrays], Iterator[tuple[str, "Figure"]]]

#: What is drawn and from which runs.
PAINTERS: dict[str, Painter] = {
    "critical-difference": overview.draw_critical_difference,
    "boxes": overview.draw_boxes,
    "loss-curves": curves.draw_overfitting,
    "loss-grid": curves.draw_loss_grids,
    "importances": importances.draw_importances,
    "importances-by-lambda": importances.draw_importance_grids,
    "selected-features": importances.draw_selected_share,
    "embedding-type": ablations.draw_embedding_types,
    "spn": ablations.draw_spn,
    "wpn": ablations.draw_wpn,
    "dataset-size": ablations.draw_dataset_size,
}

#: Figure -> the command that makes its runs.
COMMANDS = {
    "critical-difference": "run --model paper --dataset paper",
    "boxes": "run --model paper --dataset paper",
    "loss-curves": "run --model wpfs,mlp --dataset paper",
    "loss-grid": "run --model wpfs,mlp --dataset paper",
    "importances": "run --study lambda --dataset paper",
    "importances-by-lambda": "run --study lambda --dataset paper",
    "selected-features": "run --study lambda --dataset paper",
    "embedding-type": "run --study embedding-type --dataset paper",
    "spn": "run --study spn --dataset paper",
    "wpn": "run --study wpn --dataset paper",
    "dataset-size": "run --study dataset-size --dataset metabric-dr,metabric-pam50",
}


def draw_figures(report: Report, arrays: RunArrays, folder: Path) -> list[str]:
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
    made_from = f"{STAMP}{report.digest}"
    metadata: dict[str, dict[str, str | None]] = {
        "png": {"Source": made_from},
        "pdf": {"Subject": made_from, "CreationDate": None},
        "svg": {"Source": made_from, "Date": None},
    }
    lines = []
    with matplotlib.rc_context(STYLE):
        for name, paint in PAINTERS.items():
            drawn = 0
            for suffix, figure in paint(report, arrays):
                stem = f"{name}-{re.sub('[^a-z0-9]+', '-', suffix)}" if suffix else name
                for format in FORMATS:
                    figure.savefig(folder / f"{stem}.{format}", metadata=metadata[format])
                pyplot.close(figure)
                lines.append(f"{folder / stem}.{{{','.join(FORMATS)}}}")
                drawn += 1
            if not drawn:
                lines.append(
                    f"nothing to draw for {name}: no such runs, or no arrays with them; "
                    f"make them with `wpfs-bench {COMMANDS[name]}`"
                )
    return lines
