"""Validation rows for a classifier that was not given any."""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import train_test_split

Rows = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]


def hold_out(
    X: npt.NDArray[np.float64], y: npt.NDArray[np.int64], fraction: float, seed: int
) -> tuple[Rows, Rows]:
    """Split (n, D) and class codes (n,) into training and validation rows, stratified.

    Each class needs two rows; where that fails, or nothing would be left to learn from, all rows
    serve as both, with a warning.
    """
    counts = np.bincount(y)
    n_valid = max(round(fraction * len(y)), len(counts))
    if counts.min() < 2 or len(y) - n_valid < len(counts):
        warnings.warn(
            "too few rows to hold out a stratified validation set: early stopping looks at the "
            "training rows instead",
            stacklevel=3,
        )
        return (X, y), (X, y)
    X_train, X_valid, y_train, y_valid = train_test_split(
        X, y, test_size=n_valid, random_state=seed, stratify=y
    )
    return (X_train, y_train), (X_valid, y_valid)
