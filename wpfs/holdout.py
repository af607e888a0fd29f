"""Validation rows: those a classifier is given, or held out of its training rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import check_array

EvalSet = Sequence[tuple[npt.ArrayLike, npt.ArrayLike]]
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


def read_eval_set(eval_set: EvalSet, n_features: int, classes: npt.NDArray) -> Rows:
    """Return the rows (n, D) and class codes (n,) of an ``eval_set`` that holds one pair.

    Parameters
    ----------
    eval_set
        As ``fit`` takes it: ``[(X_valid, y_valid)]``.
    n_features
        Columns of the training rows.
    classes
        (C,) labels of the training rows, sorted.
    """
    if len(eval_set) != 1:
        raise ValueError(f"eval_set holds {len(eval_set)} pairs (X, y): one is needed")
    X, y = eval_set[0]
    X, y = check_array(X, dtype=np.float64), np.asarray(y)
    if X.shape[1] != n_features:
        raise ValueError(f"eval_set has {X.shape[1]} features, the training rows have {n_features}")
    unknown = np.setdiff1d(y, classes)
    if len(unknown):
        raise ValueError(f"eval_set holds labels absent from y: {unknown.tolist()}")
    return X, np.searchsorted(classes, y)
