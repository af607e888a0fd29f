"""ANOVA filter and a linear SVM: the control for every method that selects features."""

import numpy as np
from numpy.typing import NDArray

from baselines._shared.decisions import CalibratedClassifier, decide, make_svm
from baselines._shared.method import Method
from baselines._shared.separation import measure_separation, select_best
from baselines._shared.standardised import Samples
from wpfs.options import keyword_constructor


@keyword_constructor
class FilterSVMClassifier(CalibratedClassifier):
    """A linear SVM on the features whose class means differ most.

    Features are ranked by the share of their variance that lies between the classes, which
    orders them as the F statistic of a one-way analysis of variance does; the shares are
    ``feature_importances_``.

    Parameters
    ----------
    n_selected
        Features kept; all of them where there are fewer.
    C
        Inverse strength of the SVM's ridge penalty.
    n_threads
        Threads of the matrix products.
    """

    n_selected: int = 100
    C: float = 0.01
    n_threads: int = 1

    def _learn(self, train: Samples, valid: Samples | None) -> None:
        def decide_held_out(kept: NDArray[np.int64], held: NDArray[np.int64]) -> NDArray:
            X, codes = train.X[kept], train.codes[kept]
            chosen = select_best(measure_separation(X, codes), self.n_selected)
            svm = make_svm("linear", self.C).fit(X[:, chosen], codes)
            return decide(svm, train.X[np.ix_(held, chosen)])

        self.temperature_ = self._choose_temperature(train, decide_held_out)
        self.feature_importances_ = measure_separation(train.X, train.codes)
        self.selected_features_ = select_best(self.feature_importances_, self.n_selected)
        chosen = train.X[:, self.selected_features_]
        self.svm_ = make_svm("linear", self.C).fit(chosen, train.codes)

    def _decide(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return decide(self.svm_, X[:, self.selected_features_])


METHODS = (
    Method(
        name="filter-svm",
        estimator=FilterSVMClassifier,
        title="ANOVA + SVM",
        kind="linear",
        year=2002,
        reference=(
            "Dudoit, Fridlyand & Speed, Comparison of discrimination methods for the "
            "classification of tumors using gene expression data, JASA 97, 2002 (the filter); "
            "Cortes & Vapnik, Support-vector networks, Machine Learning 20, 1995"
        ),
        tags=frozenset({"deterministic", "weighs-classes", "ranks-features", "selects-features"}),
        grid={"n_selected": (10, 30, 100, 300, 1000), "C": (0.01, 0.1, 1.0)},
    ),
)
