"""Linear support vector machine, one-vs-one, untuned: the baseline the paper left out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines._shared.method import Method
from baselines._shared.standardised import Samples, StandardisedClassifier
from wpfs.loss import softmax, weighted_cross_entropy
from wpfs.options import keyword_constructor

_CALIBRATION_FOLDS = 5


@keyword_constructor
class LinearSVMClassifier(StandardisedClassifier):
    """Linear SVM on z-scored features with balanced class weights.

    Probabilities are ``softmax(decision / temperature)``, with the temperature chosen on
    cross-validated decisions about the training rows, so that the most probable class is
    always the one the machine decides for.

    Parameters
    ----------
    C
        Inverse strength of the ridge penalty.
    n_threads
        Threads of the matrix products.
    """

    C: float = 0.01
    n_threads: int = 1

    def _learn(self, train: Samples, valid: Samples | None) -> None:
        self.temperature_ = self._choose_temperature(train)
        self.svm_ = self._make_svm("linear").fit(train.X, train.codes)
        self.feature_importances_ = np.abs(self.svm_.coef_).sum(axis=0)

    def _probabilities(self, X: NDArray[np.float64]) -> NDArray[np.floating]:
        return softmax(_decide(self.svm_, X) / self.temperature_)

    def _make_svm(self, kernel: str) -> Any:
        from sklearn.svm import SVC

        return SVC(
            kernel=kernel, C=self.C, class_weight="balanced", break_ties=True, random_state=0
        )

    def _choose_temperature(self, train: Samples) -> float:
        """Minimise the weighted cross-entropy of held-out training rows."""
        from scipy.optimize import minimize_scalar
        from sklearn.model_selection import StratifiedKFold

        n_folds = min(_CALIBRATION_FOLDS, int(np.bincount(train.codes).min()))
        if n_folds < 2:
            return 1.0
        # All an SVM needs of very wide rows is their Gram matrix.
        gram = train.X @ train.X.T
        n_classes = len(self.classes_)
        decisions = np.empty((len(gram), n_classes))
        for kept, held in StratifiedKFold(n_folds).split(gram, train.codes):
            svm = self._make_svm("precomputed").fit(gram[np.ix_(kept, kept)], train.codes[kept])
            decisions[held] = _decide(svm, gram[np.ix_(held, kept)])

        def loss(log_temperature: float) -> float:
            proba = softmax(decisions / np.exp(log_temperature))
            return weighted_cross_entropy(proba, train.codes, train.weights)

        return float(np.exp(minimize_scalar(loss, bounds=(-5, 5), method="bounded").x))


def _decide(svm: Any, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return one decision value per class, (n, C)."""
    decision = svm.decision_function(X)
    if decision.ndim == 1:
        return np.column_stack([-decision, decision]) / 2
    return decision


METHODS = (
    Method(
        name="linear-svm",
        estimator=LinearSVMClassifier,
        title="Linear SVM",
        reference="Cortes & Vapnik, Support-vector networks, Machine Learning 20, 1995",
        tags=frozenset({"deterministic", "weighs-classes", "ranks-features"}),
        grid={"C": (0.001, 0.01, 0.1, 1.0)},
    ),
)
