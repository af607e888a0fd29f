"""Penalised logistic regression, the base of the lasso and elastic-net methods."""

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from baselines._shared.standardised import Samples, StandardisedClassifier


class PenalisedLogisticClassifier(StandardisedClassifier):
    """Multinomial logistic regression with an elastic-net penalty, solved by SAGA."""

    C: float
    l1_ratio: float
    max_iter: int
    tol: float

    def _learn(self, train: Samples, valid: Samples | None) -> None:
        self.model_ = LogisticRegression(
            C=self.C,
            l1_ratio=self.l1_ratio,
            solver="saga",
            max_iter=self.max_iter,
            tol=self.tol,
            random_state=self.random_state,
        )
        with warnings.catch_warnings():
            # With more features than rows SAGA stays a little above its tolerance for very
            # long; ``converged_`` says so instead, and the result is deterministic either way.
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.model_.fit(train.X, train.codes, sample_weight=train.weights)
        self.n_steps_ = int(np.max(self.model_.n_iter_))
        self.converged_ = self.n_steps_ < self.max_iter
        self.feature_importances_ = np.abs(self.model_.coef_).sum(axis=0)
        self.selected_features_ = np.flatnonzero(self.feature_importances_)
        self.n_parameters_ = self.model_.coef_.size + self.model_.intercept_.size

    def _probabilities(self, X: NDArray[np.float64]) -> NDArray[np.floating]:
        return self.model_.predict_proba(X)
