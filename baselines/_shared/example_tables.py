"""Small classification problems with known structure, for the conformance suite."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SEED = 42


@dataclass(frozen=True)
class Table:
    """A made-up problem: training, validation and test rows."""

    X: NDArray[np.float32]
    y: NDArray[Any]
    X_valid: NDArray[np.float32]
    y_valid: NDArray[Any]
    X_test: NDArray[np.float32]
    y_test: NDArray[Any]


def make_table(
    class_counts: tuple[int, ...],
    n_features: int,
    *,
    distance: float = 3.0,
    n_informative: int = 10,
    valid_counts: tuple[int, ...] | None = None,
    test_counts: tuple[int, ...] | None = None,
) -> Table:
    """Draw Gaussian classes whose means differ in the first features.

    Parameters
    ----------
    class_counts
        Training rows of each class.
    n_features
        D.
    distance
        How far a class mean is from the others in each of its informative features, in
        standard deviations.
    n_informative
        Number of informative features, dealt out to the classes in turn.
    valid_counts, test_counts
        Rows of each class; 4 and 40 of each when not given.
    """
    rng = np.random.default_rng(_SEED)
    n_classes = len(class_counts)
    means = np.zeros((n_classes, n_features))
    for feature in range(min(n_informative, n_features)):
        means[feature % n_classes, feature] = distance
    if n_features == 1:
        means[:, 0] = distance * np.arange(n_classes)

    def draw(counts: tuple[int, ...]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        y = rng.permutation(np.repeat(np.arange(n_classes), counts))
        return (means[y] + rng.normal(size=(len(y), n_features))).astype(np.float32), y

    X, y = draw(class_counts)
    X_valid, y_valid = draw(valid_counts or (4,) * n_classes)
    X_test, y_test = draw(test_counts or (40,) * n_classes)
    return Table(X, y, X_valid, y_valid, X_test, y_test)
