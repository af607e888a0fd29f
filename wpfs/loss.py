"""Class weights, softmax and cross-entropy in NumPy: what every method is trained and judged by."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def balance_classes(codes: npt.NDArray[np.int64], n_classes: int) -> npt.NDArray[np.float64]:
    """Return weights (C,) inverse to the class counts; zero for classes that do not occur."""
    counts = np.bincount(codes, minlength=n_classes)
    return np.divide(
        len(codes), np.count_nonzero(counts) * counts, out=np.zeros(n_classes), where=counts > 0
    )


def softmax(logits: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Return the row-wise softmax."""
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


def weighted_cross_entropy(
    proba: npt.NDArray[np.floating],
    codes: npt.NDArray[np.int64],
    weights: npt.NDArray[np.float64],
    smallest: float = float(np.finfo(np.float64).tiny),
) -> float:
    """Return the weighted mean of -log p(true class).

    Parameters
    ----------
    proba
        (n, C) probabilities.
    codes
        (n,) true classes.
    weights
        (n,) weight of each row.
    smallest
        Probabilities below this count as this: the loss would be infinite at zero.
    """
    likelihood = proba[np.arange(len(codes)), codes].astype(np.float64)
    return float(np.average(-np.log(np.maximum(likelihood, smallest)), weights=weights))
