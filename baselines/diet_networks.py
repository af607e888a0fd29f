"""DietNetworks for continuous data: a first layer predicted from feature embeddings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baselines._shared.embedded_network import EmbeddedNetworkClassifier
from baselines._shared.method import Method

if TYPE_CHECKING:
    import torch

    from wpfs.layers import LinearFirstLayer
    from wpfs.masks import MaskStream


class DietNetworksClassifier(EmbeddedNetworkClassifier):
    """A perceptron whose first-layer weights a second network predicts."""

    def _build_first_layer(
        self, n_features: int, masks: MaskStream, embeddings: torch.Tensor | None
    ) -> LinearFirstLayer:
        from wpfs.layers import LinearFirstLayer

        assert embeddings is not None
        n_units = self.hidden_sizes[0]
        predictor = self._build_weight_predictor(embeddings, n_units, masks)
        return LinearFirstLayer(
            n_features,
            n_units,
            self.dropout,
            masks,
            weight_predictor=predictor,
            embeddings=embeddings,
        )


METHODS = (
    Method(
        name="diet-networks",
        estimator=DietNetworksClassifier,
        title="DietNetworks",
        kind="network",
        year=2017,
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
