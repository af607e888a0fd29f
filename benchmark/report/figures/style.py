"""One look for all figures: readable when printed small, safe for colour-blind readers."""

from typing import Any

#: Okabe and Ito's palette.
BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, BLACK = "#CC79A7", "#56B4E9", "#000000"
PALETTE = (BLUE, ORANGE, GREEN, PURPLE, SKY, RED, BLACK)

#: Colour of each method that figures compare.
METHOD_COLOURS = {"wpfs": BLUE, "mlp": RED}

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
