"""In which class a feature is high, and how well it tells the classes apart alone.

Both are measured on the rows outside each run's test rows, and averaged over the splits.
"""

from collections.abc import Iterable

import numpy as np

from benchmark.datasets.dataset import Dataset, fill_gaps, take_medians
from benchmark.genes.selections import rank_scores


def list_outside_rows(dataset: Dataset, test_rows: Iterable[np.ndarray]) -> list[np.ndarray]:
    """Return per split the rows to learn from: those that are not test rows."""
    everything = np.arange(dataset.n_samples)
    return [np.setdiff1d(everything, rows) for rows in test_rows]


def find_directions(dataset: Dataset, splits: list[np.ndarray]) -> np.ndarray:
    """Return (D,) the class with the highest mean of a feature in most splits; -1 for none.

    Parameters
    ----------
    dataset
        The table.
    splits
        Rows of each split to look at.
    """
    classes = len(dataset.class_names)
    votes = np.zeros((classes, dataset.n_features), dtype=np.int32)
    for rows in splits:
        means = _average_classes(dataset, rows)
        highest = means.argmax(axis=0)
        flat = means.max(axis=0) == means.min(axis=0)
        votes[highest[~flat], np.flatnonzero(~flat)] += 1
    return np.where(votes.any(axis=0), votes.argmax(axis=0), -1)


def measure_separation(
    dataset: Dataset, splits: list[np.ndarray], features: np.ndarray, directions: np.ndarray
) -> np.ndarray:
    """Return the AUROC of single features for the class they are high in, against all others.

    Parameters
    ----------
    dataset, splits
        As for ``find_directions``.
    features
        (k,) numbers of features.
    directions
        (D,) from ``find_directions``.

    Returns
    -------
    numpy.ndarray
        (k,) mean over the splits; NaN for a feature that is high in no class.
    """
    found = np.full((len(splits), len(features)), np.nan)
    for row, rows in enumerate(splits):
        values, y = _fill(dataset.X[np.ix_(rows, features)]), dataset.y[rows]
        for column, high in enumerate(directions[features]):
            inside = y == high
            n_inside, n_others = inside.sum(), (~inside).sum()
            if n_inside and n_others:
                ranks = rank_scores(-values[:, column])  # the smallest first
                above = ranks[inside].sum(dtype=np.float64) - n_inside * (n_inside + 1) / 2
                found[row, column] = above / (n_inside * n_others)
    return found.mean(axis=0)


def _average_classes(dataset: Dataset, rows: np.ndarray) -> np.ndarray:
    """Return (C, D) class means."""
    members = np.eye(len(dataset.class_names), dtype=np.float32)[dataset.y[rows]]
    members /= np.maximum(members.sum(axis=0), 1)
    means: np.ndarray = members.T @ _fill(dataset.X[rows])
    return means


def _fill(values: np.ndarray) -> np.ndarray:
    """Fill gaps with the medians of these rows, as runs do with those of their training rows."""
    return fill_gaps(values, take_medians(values)) if np.isnan(values).any() else values
