"""The multilayer perceptron: WPFS' classification network with free first-layer weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from baselines._shared.method import Method
from wpfs.estimator import NetworkClassifier

if TYPE_CHECKING:
    from wpfs.masks import MaskStream
    from wpfs.networks import ClassificationNetwork


class MLPClassifier(NetworkClassifier):
    """A three-layer perceptron with BatchNorm and dropout, trained as WPFS is."""

    def _build_network(
        self, X: npt.NDArray[np.float64], n_classes: int, masks: MaskStream, seed: int
    ) -> ClassificationNetwork:
        from wpfs.layers import LinearFirstLayer
        from wpfs.networks import ClassificationNetwork

        first_layer = LinearFirstLayer(X.shape[1], self.hidden_sizes[0], self.dropout, masks)
        return ClassificationNetwork(first_layer, self.hidden_sizes, n_classes, self.dropout, masks)


METHODS = (
    Method(
        name="mlp",
        estimator=MLPClassifier,
        title="MLP",
        reference=(
            "Multilayer perceptron as configured by Margeloiu et al., AAAI 2023; see Kadra et al. "
            "Well-tuned Simple Nets Excel on Tabular Datasets. NeurIPS 2021."
        ),
        tags=frozenset({"weighs-classes", "ranks-features", "early-stopping", "gpu"}),
        grid={
            "learning_rate": (3e-3, 1e-3, 3e-4, 1e-4),
            "batch_size": (8, 12, 16, 20, 24, 32),
            "dropout": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5),
        },
        paper_values={"prostate": {"validation_interval": 4}, "cll": {"validation_interval": 4}},
        paper_column="MLP",
        requires=("torch", "numba"),
    ),
)
