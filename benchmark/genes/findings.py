"""What a reader of the lists should know before using them."""

import math

import numpy as np

from benchmark.genes.lists import GeneLists

#: So far from 0 and from 1 a gate is undecided: the first and last bin of the histograms.
_DECIDED = 0.05


def list_warnings(genes: GeneLists) -> list[str]:
    """Say which methods select no more stably than chance."""
    warnings = []
    for model, stability in genes.stability.items():
        if math.isnan(stability.value):
            continue
        low, high = stability.find_interval()
        if low <= 0:
            sizes = genes.selections[model].mark_selected(genes.top).sum(axis=1)
            warnings.append(
                f"{model}: its runs select no more alike than chance (stability "
                f"{stability.value:.2f}, {low:.2f} to {high:.2f}; they select "
                f"{_describe_range(sizes)}): do not publish this list."
            )
    return warnings


def _describe_range(numbers: np.ndarray) -> str:
    """Return ``9 to 3,026 genes``, or ``50 genes``."""
    least, most = int(numbers.min()), int(numbers.max())
    return f"{most:,} genes" if least == most else f"{least:,} to {most:,} genes"


def describe_gates(genes: GeneLists) -> list[str]:
    """Say how many gates are undecided, beside the accuracy, for methods that learn gates."""
    lines = []
    for model, counts in genes.gates.items():
        undecided = 1 - (counts[0] + counts[-1]) / counts.sum()
        accuracy = 100 * genes.selections[model].runs["balanced_accuracy_test"].mean()
        lines.append(
            f"{model}: {undecided:.1%} of its scores are undecided ({_DECIDED} to "
            f"{1 - _DECIDED:.2f}), {counts[-1] / counts.sum():.1%} lie above, at a balanced "
            f"accuracy of {accuracy:.1f}. In the paper, scores are near 0 or 1 where the task is "
            "easy and undecided where it is hard."
        )
    return lines
