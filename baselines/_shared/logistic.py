"""Penalised logistic regression, the base of the lasso and elastic-net methods."""

import warnings
from dataclasses import field

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from baselines._shared.standardised import Samples, StandardisedClassifier
from wpfs.options import keyword_constructor


@keyword_constructor
class PenalisedLogisticClassifier(StandardisedClassifier):
    """Multinomial logistic regression with an elastic-net penalty, solved by SAGA.

    Parameters
    ----------
    C
        Inverse strength of the penalty.
    max_iter
        Passes over the data at most.
    tol
        Relative change of the coefficients at which the solver stops.
    random_state
        Seed of the solver's order of rows.
    n_threads
        Threads of the linear algebra.
    """

    #: Share of the L1 part.
    l1_ratio: float = field(default=1.0, init=False)
    C: float = 1.0
    max_iter: int = 1000
    tol: float = 1e-4
    random_state: int | None = None
    n_threads: int = 1

    def _learn(self, train: Samples, valid: Samples | None) -> None:
        self.model_ = LogisticRegression(
            C=self.C,
            l1_ratio=self.l1_ratio,
            solver="saga",
            max_iter=self.max_iter,
            tol=self.tol,
            random_state=self.random_state,
        )
        if self.model_.penalty == "l2":  # scikit-learn before 1.8, where l1_ratio alone is ignored
            self.model_.set_params(penalty="elasticnet")
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
