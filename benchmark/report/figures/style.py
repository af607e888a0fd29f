"""One look for the figures that matplotlib draws by itself."""

from typing import Any

from benchmark.report.charts.style import LIGHT

#: Okabe and Ito's palette, safe for colour-blind readers.
PALETTE = (LIGHT["blue"], "#E69F00", "#009E73", "#CC79A7", "#56B4E9", LIGHT["orange"], "#000000")

STYLE: dict[str, Any] = {
    "font.size": 11,
    "axes.titlesize": 11,
    "axes.labelsize": 11,
    "legend.fontsize": 10,
    "xtick.labelsize": 10,
    "ytick.labelsize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
    "savefig.dpi": 200,
    # Text stays text in vector files, and ids do not change from one drawing to the next.
    "svg.fonttype": "none",
    "svg.hashsalt": "wpfs-bench",
    "pdf.fonttype": 42,
}
