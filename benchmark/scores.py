"""Measures of predictions against the truth, as fractions.

Written out in numpy: they are called six times per run, and scikit-learn's input checks alone
would cost more than the rest of a small run.
"""

import numpy as np
from numpy.typing import NDArray

#: Probabilities below this count as this in the cross-entropy, which would be infinite at zero.
SMALLEST_PROBABILITY = 1e-15


def balanced_accuracy(y_true: NDArray[np.int64], y_pred: NDArray[np.int64]) -> float:
    """Return the mean recall over the classes that occur in ``y_true``, both (n,)."""
    counts = np.bincount(y_true)
    hits = np.bincount(y_true, weights=y_true == y_pred)
    present = counts > 0
    return float(np.mean(hits[present] / counts[present]))


def accuracy(y_true: NDArray[np.int64], y_pred: NDArray[np.int64]) -> float:
    """Return the share of right labels."""
    return float(np.mean(y_true == y_pred))


def macro_f1(y_true: NDArray[np.int64], y_pred: NDArray[np.int64]) -> float:
    """Return the mean F1 over the classes that occur in truth or prediction."""
    n_classes = int(max(y_true.max(), y_pred.max())) + 1
    hits = np.bincount(y_true[y_true == y_pred], minlength=n_classes)
    total = np.bincount(y_true, minlength=n_classes) + np.bincount(y_pred, minlength=n_classes)
    present = total > 0
    return float(np.mean(2 * hits[present] / total[present]))


def balanced_weights(y_train: NDArray[np.int64], n_classes: int) -> NDArray[np.float64]:
    """Return n / (C_present * count) per class, (C,); 0 for a class without training rows."""
    counts = np.bincount(y_train, minlength=n_classes)
    present = counts > 0
    weights = np.zeros(n_classes)
    weights[present] = len(y_train) / (present.sum() * counts[present])
    return weights


def cross_entropy(
    y_true: NDArray[np.int64], proba: NDArray[np.float64], weights: NDArray[np.float64]
) -> float:
    """Return the class-weighted mean of -log p(true class); NaN if all weights are zero.

    Parameters
    ----------
    y_true
        (n,) class codes.
    proba
        (n, C) probabilities.
    weights
        (C,) class weights.
    """
    likelihood = np.maximum(proba[np.arange(len(y_true)), y_true], SMALLEST_PROBABILITY)
    row_weights = weights[y_true]
    if not row_weights.any():
        return float("nan")
    return float(-(row_weights * np.log(likelihood)).sum() / row_weights.sum())


def brier(y_true: NDArray[np.int64], proba: NDArray[np.float64]) -> float:
    """Return the Brier score: mean squared distance from the one-hot truth, halved for C = 2."""
    truth = np.eye(proba.shape[1])[y_true]
    distance = float(np.mean(((proba - truth) ** 2).sum(axis=1)))
    return distance / 2 if proba.shape[1] == 2 else distance


def auroc(y_true: NDArray[np.int64], proba: NDArray[np.float64]) -> float:
    """Return the area under the ROC curve, one class against the rest, mean over classes.

    Classes without a positive or without a negative row are left out; NaN if none is left.
    """
    n_classes = proba.shape[1]
    classes = [1] if n_classes == 2 else range(n_classes)
    areas = [_binary_auroc(y_true == c, proba[:, c]) for c in classes]
    known = [area for area in areas if not np.isnan(area)]
    return float(np.mean(known)) if known else float("nan")


def _binary_auroc(positive: NDArray[np.bool_], score: NDArray[np.float64]) -> float:
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    if not n_positive or not n_negative:
        return float("nan")
    _, group, counts = np.unique(score, return_inverse=True, return_counts=True)
    # Mean rank of each group of ties: the Mann-Whitney form of the area.
    ranks = np.cumsum(counts) - (counts - 1) / 2
    return float(
        (ranks[group][positive].sum() - n_positive * (n_positive + 1) / 2)
        / (n_positive * n_negative)
    )
