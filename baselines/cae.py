"""CAE: a supervised concrete layer that selects features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from baselines._shared.method import EVERY_DATASET, Method
from wpfs.estimator import NetworkClassifier
from wpfs.options import keyword_constructor
from wpfs.ranges import Count, Positive

if TYPE_CHECKING:
    from wpfs.masks import MaskStream
    from wpfs.networks import ClassificationNetwork


@keyword_constructor
class ConcreteSelectorClassifier(NetworkClassifier):
    """The concrete autoencoder's selectors in front of a perceptron, trained on the labels.

    Takes the hyper-parameters of ``NetworkClassifier`` too.

    Parameters
    ----------
    annealing_steps
        Steps over which the selectors' temperature falls from 10 to 0.01.
    """

    annealing_steps: Count = 1000
    learning_rate: Positive = 1e-3

    @property
    def selected_features_(self) -> npt.NDArray[np.int64]:
        """Indices of the features that a selector settled on."""
        return np.flatnonzero(self.feature_importances_)

    def _build_network(
        self, X: npt.NDArray[np.float64], n_classes: int, masks: MaskStream, seed: int
    ) -> ClassificationNetwork:
        from wpfs.layers import ConcreteFirstLayer
        from wpfs.networks import ClassificationNetwork

        first_layer = ConcreteFirstLayer(X.shape[1], self.hidden_sizes[0], self.annealing_steps)
        return ClassificationNetwork(first_layer, self.hidden_sizes, n_classes, self.dropout, masks)


METHODS = (
    Method(
        name="cae",
        estimator=ConcreteSelectorClassifier,
        title="CAE",
        reference=(
            "Balın, Abid & Zou, Concrete autoencoders: differentiable feature selection and "
            "reconstruction, ICML, 2019"
        ),
        tags=frozenset({"weighs-classes", "ranks-features", "early-stopping", "gpu"}),
        grid={"learning_rate": (1e-4, 1e-3), "annealing_steps": (300, 1000)},
        paper_values={
            # ASSUMPTION: the paper prints the learning rate's grid only, not the value chosen.
            EVERY_DATASET: {"learning_rate": 1e-3},
            "cll": {"validation_interval": 4},
            "metabric-dr": {"annealing_steps": 300},
            "prostate": {"validation_interval": 4},
            "tcga-2ysurvival": {"annealing_steps": 300},
            "tcga-tumor-grade": {"annealing_steps": 300},
        },
        paper_column="CAE",
        requires=("torch", "numba"),
        version=2,
    ),
)
