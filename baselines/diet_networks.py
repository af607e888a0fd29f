"""DietNetworks for continuous data: a first layer predicted from feature embeddings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from baselines._shared.embedded_network import EmbeddedNetworkClassifier
from baselines._shared.method import Method

if TYPE_CHECKING:
    from wpfs.masks import MaskStream
    from wpfs.networks import ClassificationNetwork


class DietNetworksClassifier(EmbeddedNetworkClassifier):
    """A perceptron whose first-layer weights a second network predicts."""

    def _build_network(
        self, X: npt.NDArray[np.float64], n_classes: int, masks: MaskStream, seed: int
    ) -> ClassificationNetwork:
        from wpfs.layers import LinearFirstLayer
        from wpfs.networks import ClassificationNetwork

        embeddings = self._embed(X, seed)
        n_units = self.hidden_sizes[0]
        first_layer = LinearFirstLayer(
            X.shape[1],
            n_units,
            self.dropout,
            masks,
            weight_predictor=self._build_weight_predictor(embeddings.shape[1], n_units, masks),
            embeddings=embeddings,
        )
        return ClassificationNetwork(
            first_layer,
            self.hidden_sizes,
            n_classes,
            self.dropout,
            masks,
            decoder=self._build_decoder(embeddings, masks),
            reconstruction=self.reconstruction,
        )


METHODS = (
    Method(
        name="diet-networks",
        estimator=DietNetworksClassifier,
        title="DietNetworks",
        reference=(
            "Romero et al., Diet networks: thin parameters for fat genomics, ICLR, 2017; "
            "dot-histogram embeddings after Singh et al., 2020"
        ),
        tags=frozenset(
            {"weighs-classes", "ranks-features", "early-stopping", "embeds-features", "gpu"}
        ),
        grid={
            "learning_rate": (3e-3, 1e-3, 3e-4, 1e-4),
            "reconstruction": (0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0),
        },
        # The embedding's size is WPFS' (the paper prints none).
        paper_values={
            "cll": {"embedding_size": 70, "validation_interval": 4},
            "lung": {"embedding_size": 20},
            "prostate": {"validation_interval": 4},
        },
        paper_column="DietNetworks",
        requires=("torch", "numba"),
    ),
)
