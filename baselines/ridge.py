"""Ridge classifier: least squares on class codes, the cheapest control there is."""

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import RidgeClassifier as _ScikitLearnRidge

from baselines._shared.decisions import CalibratedClassifier, decide
from baselines._shared.method import Method
from baselines._shared.standardised import Samples
from wpfs.options import keyword_constructor


@keyword_constructor
class RidgeClassifier(CalibratedClassifier):
    """Ridge regression of each class's indicator, with balanced class weights.

    Parameters
    ----------
    alpha
        Strength of the penalty.
    n_threads
        Threads of the matrix products.
    """

    alpha: float = 10.0
    n_threads: int = 1

    def _learn(self, train: Samples, valid: Samples | None) -> None:
        def decide_held_out(kept: NDArray[np.int64], held: NDArray[np.int64]) -> NDArray:
            return decide(self._fit_ridge(train.X[kept], train.codes[kept]), train.X[held])

        self.temperature_ = self._choose_temperature(train, decide_held_out)
        self.ridge_ = self._fit_ridge(train.X, train.codes)
        # Of two classes scikit-learn gives one row of coefficients, or no rows at all.
        self.feature_importances_ = np.abs(np.atleast_2d(self.ridge_.coef_)).sum(axis=0)
        self.n_parameters_ = self.ridge_.coef_.size + self.ridge_.intercept_.size

    def _decide(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return decide(self.ridge_, X)

    def _fit_ridge(self, X: NDArray[np.float64], codes: NDArray[np.int64]) -> _ScikitLearnRidge:
        return _ScikitLearnRidge(alpha=self.alpha, class_weight="balanced").fit(X, codes)


METHODS = (
    Method(
        name="ridge",
        estimator=RidgeClassifier,
        title="Ridge",
        kind="linear",
        year=1970,
        reference=(
            "Hoerl & Kennard, Ridge regression: biased estimation for nonorthogonal problems, "
            "Technometrics 12, 1970"
        ),
        tags=frozenset({"deterministic", "weighs-classes", "ranks-features"}),
        grid={"alpha": (10.0, 100.0, 1000.0, 10_000.0, 100_000.0)},
    ),
)
