"""k-nearest neighbours whose votes weigh as much as their class is rare."""

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from baselines._shared.method import Method
from baselines._shared.standardised import Samples, StandardisedClassifier
from wpfs.options import keyword_constructor


@keyword_constructor
class NearestNeighboursClassifier(StandardisedClassifier):
    """Vote among the nearest training rows.

    Parameters
    ----------
    n_neighbors
        How many vote; all training rows where there are fewer.
    metric
        Distance between z-scored rows, as scikit-learn names it.
    n_threads
        Threads of the distance computation.
    """

    n_neighbors: int = 5
    metric: str = "euclidean"
    n_threads: int = 1

    def _learn(self, train: Samples, valid: Samples | None) -> None:
        self.index_ = NearestNeighbors(
            n_neighbors=min(self.n_neighbors, len(train.X)),
            metric=self.metric,
            algorithm="brute",
            n_jobs=1,
        ).fit(train.X)
        self.train_codes_ = train.codes
        self.n_parameters_ = train.X.size

    def _probabilities(self, X: NDArray[np.float64]) -> NDArray[np.floating]:
        voters = self.train_codes_[self.index_.kneighbors(X, return_distance=False)]
        votes = np.stack([(voters == code).sum(axis=1) for code in range(len(self.classes_))], 1)
        return votes * self.class_weights_


METHODS = (
    Method(
        name="knn",
        estimator=NearestNeighboursClassifier,
        title="k-NN",
        kind="neighbours",
        year=1967,
        reference=(
            "Cover & Hart, Nearest neighbor pattern classification, "
            "IEEE Transactions on Information Theory, 1967"
        ),
        tags=frozenset({"deterministic", "weighs-classes"}),
        grid={"n_neighbors": (1, 3, 5, 9, 15)},
    ),
)
