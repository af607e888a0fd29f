"""Majority class: the floor every method must be above."""

import numpy as np
from numpy.typing import NDArray

from baselines._shared.method import Method
from baselines._shared.standardised import Samples, StandardisedClassifier


class MajorityClassifier(StandardisedClassifier):
    """Predict the training rows' most frequent class, with the class shares as probabilities."""

    def _learn(self, train: Samples, valid: Samples | None) -> None:
        self.shares_ = np.bincount(train.codes) / len(train.codes)
        self.n_parameters_ = len(self.shares_)

    def _probabilities(self, X: NDArray[np.float64]) -> NDArray[np.floating]:
        return np.tile(self.shares_, (len(X), 1))


METHODS = (
    Method(
        name="majority",
        estimator=MajorityClassifier,
        title="Majority class",
        kind="floor",
        reference="The floor: no learning from the features.",
        tags=frozenset({"deterministic", "no-learning"}),
    ),
)
