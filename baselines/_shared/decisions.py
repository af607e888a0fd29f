"""Decision values of classifiers without probabilities, and how they become probabilities."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines._shared.standardised import Samples, StandardisedClassifier
from wpfs.loss import softmax, weighted_cross_entropy

_CALIBRATION_FOLDS = 5

#: Takes the indices of kept and of held-out training rows; fits to the kept ones and returns
#: the decisions (n_held, C) about the others.
DecideHeldOut = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]


class CalibratedClassifier(StandardisedClassifier):
    """A classifier whose probabilities are ``softmax(decision / temperature)``.

    The temperature is chosen on cross-validated decisions about the training rows, so the most
    probable class is always the one the classifier decides for.
    """

    temperature_: float

    @abstractmethod
    def _decide(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return one decision value per class of z-scored rows, (n, C)."""

    def _probabilities(self, X: NDArray[np.float64]) -> NDArray[np.floating]:
        return softmax(self._decide(X) / self.temperature_)

    def _choose_temperature(self, train: Samples, decide_held_out: DecideHeldOut) -> float:
        """Minimise the weighted cross-entropy of held-out training rows."""
        from scipy.optimize import minimize_scalar
        from sklearn.model_selection import StratifiedKFold

        n_folds = min(_CALIBRATION_FOLDS, int(np.bincount(train.codes).min()))
        if n_folds < 2:
            return 1.0
        decisions = np.empty((len(train.codes), len(self.classes_)))
        for kept, held in StratifiedKFold(n_folds).split(train.codes, train.codes):
            decisions[held] = decide_held_out(kept, held)

        def loss(log_temperature: float) -> float:
            proba = softmax(decisions / np.exp(log_temperature))
            return weighted_cross_entropy(proba, train.codes, train.weights)

        return float(np.exp(minimize_scalar(loss, bounds=(-5, 5), method="bounded").x))


def make_svm(kernel: str, C: float) -> Any:
    """Return scikit-learn's one-vs-one support vector machine with balanced class weights."""
    from sklearn.svm import SVC

    return SVC(kernel=kernel, C=C, class_weight="balanced", break_ties=True, random_state=0)


def decide(classifier: Any, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a scikit-learn classifier's decision values, (n, C), also where C = 2."""
    decision = classifier.decision_function(X)
    if decision.ndim == 1:
        return np.column_stack([-decision, decision]) / 2
    return decision
