"""Support vector machine with a Gaussian kernel, one-vs-one."""

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel

from baselines._shared.decisions import CalibratedClassifier, decide, make_svm
from baselines._shared.method import Method
from baselines._shared.standardised import Samples
from wpfs.options import keyword_constructor


@keyword_constructor
class RBFSVMClassifier(CalibratedClassifier):
    """SVM with the kernel exp(-gamma / D * squared distance) and balanced class weights.

    Parameters
    ----------
    C
        Inverse strength of the penalty.
    gamma
        Inverse squared width of the kernel per feature: the same value suits tables of any width.
    n_threads
        Threads of the matrix products.
    """

    C: float = 10.0
    gamma: float = 0.1
    n_threads: int = 1

    def _learn(self, train: Samples, valid: Samples | None) -> None:
        kernel = self._compare(train.X, train.X)

        def decide_held_out(kept: NDArray[np.int64], held: NDArray[np.int64]) -> NDArray:
            svm = make_svm("precomputed", self.C)
            svm.fit(kernel[np.ix_(kept, kept)], train.codes[kept])
            return decide(svm, kernel[np.ix_(held, kept)])

        self.temperature_ = self._choose_temperature(train, decide_held_out)
        self.svm_ = make_svm("precomputed", self.C).fit(kernel, train.codes)
        self.train_rows_ = train.X

    def _decide(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return decide(self.svm_, self._compare(X, self.train_rows_))

    def _compare(self, X: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
        return rbf_kernel(X, others, gamma=self.gamma / X.shape[1])


METHODS = (
    Method(
        name="rbf-svm",
        estimator=RBFSVMClassifier,
        title="RBF SVM",
        kind="kernel",
        year=1995,
        reference="Cortes & Vapnik, Support-vector networks, Machine Learning 20, 1995",
        tags=frozenset({"deterministic", "weighs-classes"}),
        grid={"C": (1.0, 10.0, 100.0), "gamma": (0.03, 0.1, 0.3, 1.0)},
    ),
)
