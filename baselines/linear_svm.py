"""Linear support vector machine, one-vs-one, untuned: the baseline the paper left out."""

import numpy as np
from numpy.typing import NDArray

from baselines._shared.decisions import CalibratedClassifier, decide, make_svm
from baselines._shared.method import Method
from baselines._shared.standardised import Samples
from wpfs.options import keyword_constructor


@keyword_constructor
class LinearSVMClassifier(CalibratedClassifier):
    """Linear SVM on z-scored features with balanced class weights.

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
        # All an SVM needs of very wide rows is their Gram matrix.
        gram = train.X @ train.X.T

        def decide_held_out(kept: NDArray[np.int64], held: NDArray[np.int64]) -> NDArray:
            svm = make_svm("precomputed", self.C).fit(gram[np.ix_(kept, kept)], train.codes[kept])
            return decide(svm, gram[np.ix_(held, kept)])

        self.temperature_ = self._choose_temperature(train, decide_held_out)
        self.svm_ = make_svm("linear", self.C).fit(train.X, train.codes)
        self.feature_importances_ = np.abs(self.svm_.coef_).sum(axis=0)

    def _decide(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return decide(self.svm_, X)


METHODS = (
    Method(
        name="linear-svm",
        estimator=LinearSVMClassifier,
        title="Linear SVM",
        kind="linear",
        year=1995,
        reference="Cortes & Vapnik, Support-vector networks, Machine Learning 20, 1995",
        tags=frozenset({"deterministic", "weighs-classes", "ranks-features"}),
        grid={"C": (0.001, 0.01, 0.1, 1.0)},
    ),
)
