"""Principal components and linear discriminant analysis with a shrunken covariance."""

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from baselines._shared.method import Method
from baselines._shared.standardised import Samples, StandardisedClassifier
from wpfs.options import keyword_constructor


@keyword_constructor
class PCALDAClassifier(StandardisedClassifier):
    """Linear discriminant analysis on principal components, every class equally likely.

    Parameters
    ----------
    n_components
        Principal components kept; all of them where there are fewer.
    n_threads
        Threads of the linear algebra.
    """

    n_components: int = 100
    n_threads: int = 1

    def _learn(self, train: Samples, valid: Samples | None) -> None:
        n_classes = len(self.classes_)
        self.pca_ = PCA(min(self.n_components, *train.X.shape), svd_solver="full").fit(train.X)
        self.lda_ = LinearDiscriminantAnalysis(
            solver="lsqr", shrinkage="auto", priors=np.full(n_classes, 1 / n_classes)
        ).fit(self.pca_.transform(train.X), train.codes)
        weights = self.lda_.coef_ @ self.pca_.components_
        self.feature_importances_ = np.abs(weights).sum(axis=0)
        self.n_parameters_ = weights.size + self.lda_.intercept_.size

    def _probabilities(self, X: NDArray[np.float64]) -> NDArray[np.floating]:
        return self.lda_.predict_proba(self.pca_.transform(X))


METHODS = (
    Method(
        name="pca-lda",
        estimator=PCALDAClassifier,
        title="PCA + LDA",
        kind="linear",
        year=2004,
        reference=(
            "Ledoit & Wolf, Honey, I shrunk the sample covariance matrix, "
            "Journal of Portfolio Management 30, 2004"
        ),
        tags=frozenset({"deterministic", "weighs-classes", "ranks-features"}),
        grid={"n_components": (5, 10, 20, 50, 100)},
    ),
)
