"""What a reader of the lists should know before using them."""

from collections.abc import Callable

import numpy as np

from benchmark.genes.lists import GeneLists

#: So far from 0 and from 1 a gate is undecided: the first and last bin of the histograms.
_DECIDED = 0.05

#: Rank-biased overlap from which methods rank the genes in nearly the same way.
_ALIKE = 0.9


def list_warnings(genes: GeneLists, title: Callable[[str], str] = str) -> list[str]:
    """List methods that cannot order their best genes, select all, or no more alike than chance.

    ``title`` returns how a method is called.
    """
    warnings = []
    for model, found in genes.selections.items():
        best = np.nanmax(found.scores, axis=1, keepdims=True)
        tied = int(np.median((found.scores == best).sum(axis=1)))
        if tied > genes.top:
            warnings.append(
                f"{title(model)}: about {tied:,} genes of a run share its best score, more than "
                "the list is long: only many runs together put them in an order."
            )
    for model, stability in genes.stability.items():
        sizes = genes.selections[model].mark_selected(genes.top).sum(axis=1)
        if sizes.min() == genes.n_features or sizes.max() == 0:
            what = "every gene" if sizes.any() else "no gene"
            warnings.append(
                f"{title(model)}: its runs select {what}, so it has a ranking and no selection."
            )
            continue
        low, high = stability.find_interval()
        if low <= 0:
            warnings.append(
                f"{title(model)}: as far as {len(sizes)} runs tell, they select no more alike than "
                f"chance (stability {stability.value:.2f}, {low:.2f} to {high:.2f}; "
                f"{_describe_range(sizes)} each): do not publish this list."
            )
    return warnings


def _describe_range(numbers: np.ndarray) -> str:
    """Return ``9 to 3,026 genes``, or ``50 genes``."""
    least, most = int(numbers.min()), int(numbers.max())
    return f"{most:,} genes" if least == most else f"{least:,} to {most:,} genes"


def describe_alike(genes: GeneLists, title: Callable[[str], str] = str) -> list[str]:
    """Name the methods with nearly the same list: together they have more than one vote for it."""
    overlap = genes.measure_agreement(by_rank=True)
    lines, left = [], list(genes.selections)
    while left:
        first = left[0]
        group = [first, *(model for model in left[1:] if overlap.loc[first, model] >= _ALIKE)]
        left = [model for model in left if model not in group]
        if len(group) > 1:
            lines.append(
                f"{', '.join(map(title, group))} rank nearly alike (rank-biased overlap with "
                f"{title(first)} {_ALIKE} or more): one opinion, counted {len(group)} times."
            )
    return lines


def describe_gates(genes: GeneLists, title: Callable[[str], str] = str) -> list[str]:
    """Return how many gates are undecided, beside the accuracy, for methods that learn gates."""
    lines = []
    for model, counts in genes.gates.items():
        undecided = 1 - (counts[0] + counts[-1]) / counts.sum()
        accuracy = 100 * genes.selections[model].runs["balanced_accuracy_test"].mean()
        lines.append(
            f"{title(model)}: {undecided:.1%} of its scores are undecided ({_DECIDED} to "
            f"{1 - _DECIDED:.2f}), {counts[-1] / counts.sum():.1%} lie above, at a balanced "
            f"accuracy of {accuracy:.1f}. In the paper, scores are near 0 or 1 where the task is "
            "easy and undecided where it is hard."
        )
    return lines
