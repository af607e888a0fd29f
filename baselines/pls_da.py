"""PLS-DA: partial least squares regression of class indicators."""

import numpy as np
from numpy.typing import NDArray

from baselines._shared.decisions import CalibratedClassifier
from baselines._shared.method import Method
from baselines._shared.standardised import Samples
from wpfs.options import keyword_constructor

#: Share of the targets' variance below which nothing is left for a further component to explain.
_NOTHING_LEFT = 1e-10


@keyword_constructor
class PLSDAClassifier(CalibratedClassifier):
    """Partial least squares discriminant analysis with balanced class weights.

    ``feature_importances_`` is the variable importance in projection (VIP); its mean square over
    features is one.

    Parameters
    ----------
    n_components
        At most; there are fewer where they already fit the training rows exactly.
    n_threads
        Threads of the matrix products.
    """

    n_components: int = 10
    n_threads: int = 1

    def _learn(self, train: Samples, valid: Samples | None) -> None:
        def decide_held_out(kept: NDArray[np.int64], held: NDArray[np.int64]) -> NDArray:
            coefficients, intercept, _ = self._regress(train, kept)
            return train.X[held] @ coefficients + intercept

        self.temperature_ = self._choose_temperature(train, decide_held_out)
        everything = np.arange(len(train.X))
        self.coef_, self.intercept_, self.feature_importances_ = self._regress(train, everything)
        self.n_parameters_ = self.coef_.size + self.intercept_.size

    def _decide(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return X @ self.coef_ + self.intercept_

    def _regress(
        self, train: Samples, rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Regress class indicators on some of the training rows.

        Returns coefficients (D, C), intercept (C,) and VIP (D,).

        NIPALS with weighted rows, which scikit-learn's does not take: rows are centred by their
        weighted mean and scaled by the root of their weight.
        """
        weights = train.weights[rows, None]
        X, Y = train.X[rows], np.eye(len(self.classes_))[train.codes[rows]]
        X_mean, Y_mean = ((weights * Z).sum(axis=0) / weights.sum() for Z in (X, Y))
        X, Y = np.sqrt(weights) * (X - X_mean), np.sqrt(weights) * (Y - Y_mean)
        directions, X_loadings, Y_loadings, explained = [], [], [], []
        total = (Y**2).sum()
        for _ in range(min(self.n_components, *X.shape)):
            if (Y**2).sum() < _NOTHING_LEFT * total:
                break
            direction = np.linalg.svd(X.T @ Y, full_matrices=False)[0][:, 0]
            score = X @ direction
            length = score @ score
            X_loading, Y_loading = X.T @ score / length, Y.T @ score / length
            X = X - np.outer(score, X_loading)
            Y = Y - np.outer(score, Y_loading)
            directions.append(direction)
            X_loadings.append(X_loading)
            Y_loadings.append(Y_loading)
            explained.append(length * (Y_loading @ Y_loading))
        W, P, Q = (np.array(vectors).T for vectors in (directions, X_loadings, Y_loadings))
        coefficients = W @ np.linalg.solve(P.T @ W, Q.T)
        importances = np.sqrt(len(W) * (W**2 @ explained) / np.sum(explained))
        return coefficients, Y_mean - X_mean @ coefficients, importances


METHODS = (
    Method(
        name="pls-da",
        estimator=PLSDAClassifier,
        title="PLS-DA",
        kind="linear",
        year=2003,
        reference=(
            "Barker & Rayens, Partial least squares for discrimination, "
            "Journal of Chemometrics 17, 2003"
        ),
        tags=frozenset({"deterministic", "weighs-classes", "ranks-features"}),
        grid={"n_components": (1, 2, 3, 5, 10, 20)},
    ),
)
