"""How many of the true features are found, where the truth is known."""

from dataclasses import dataclass

import numpy as np

from benchmark.genes.lists import GeneLists


@dataclass(frozen=True, eq=False)
class Recovery:
    """What the runs of a method find of the true features.

    Parameters
    ----------
    precision
        (M,) share of a run's selected features that are true; NaN if it selects none.
    recall
        (M,) share of the true features that a run selects.
    average_precision
        (M,) of a run's ranking; a random one has the share of true features.
    """

    precision: np.ndarray
    recall: np.ndarray
    average_precision: np.ndarray


def measure_recovery(genes: GeneLists) -> dict[str, Recovery]:
    """Return method -> what its runs find; empty where the truth is not known."""
    if genes.table is None or genes.table.informative is None:
        return {}
    truth = np.zeros(genes.n_features, dtype=bool)
    truth[genes.table.informative] = True
    recoveries = {}
    for model, found in genes.selections.items():
        selected = found.mark_selected(genes.top)
        hits, sizes = (selected & truth).sum(axis=1), selected.sum(axis=1)
        recoveries[model] = Recovery(
            np.divide(hits, sizes, out=np.full(len(hits), np.nan), where=sizes > 0),
            hits / truth.sum(),
            np.array([measure_average_precision(ranks, truth) for ranks in found.ranks]),
        )
    return recoveries


def measure_average_precision(ranks: np.ndarray, truth: np.ndarray) -> float:
    """Return the average precision of a ranking; equals count as found together.

    Parameters
    ----------
    ranks
        (D,) 1 is the best, equals share theirs.
    truth
        (D,) whether a feature is true; at least one is.
    """
    order = np.argsort(ranks, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(ranks[order]) > 0, True))
    hits = truth[order].cumsum()[ends]
    gains = np.diff(hits, prepend=0) / hits[-1]
    return float((gains * hits / (ends + 1)).sum())
