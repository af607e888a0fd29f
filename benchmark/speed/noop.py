"""A classifier that does nothing, to measure what everything around it costs."""

from typing import Any, Self

import numpy as np

from baselines._shared.method import Method


class NoOpClassifier:
    """Predicts the first class with certainty."""

    def fit(self, X: np.ndarray, y: np.ndarray, eval_set: Any = None) -> Self:
        """Remember the classes of y (n,)."""
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the first class for every row, (n,)."""
        return np.full(len(X), self.classes_[0])

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return certainty of the first class, (n, C)."""
        return np.tile(np.eye(len(self.classes_))[0], (len(X), 1))


METHODS = (
    Method(
        name="no-op",
        estimator=NoOpClassifier,
        title="No-op",
        reference="measures the suite itself",
        tags=frozenset({"no-learning", "deterministic"}),
    ),
)
