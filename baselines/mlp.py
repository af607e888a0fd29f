"""The multilayer perceptron: WPFS' classification network with free first-layer weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baselines._shared.method import Method
from wpfs.estimator import NetworkClassifier

if TYPE_CHECKING:
    import torch

    from wpfs.layers import LinearFirstLayer
    from wpfs.masks import MaskStream


class MLPClassifier(NetworkClassifier):
    """A three-layer perceptron with BatchNorm and dropout, trained as WPFS is."""

    def _build_first_layer(
        self, n_features: int, masks: MaskStream, embeddings: torch.Tensor | None
    ) -> LinearFirstLayer:
        from wpfs.layers import LinearFirstLayer

        return LinearFirstLayer(n_features, self.hidden_sizes[0], self.dropout, masks)


METHODS = (
    Method(
        name="mlp",
        estimator=MLPClassifier,
        title="MLP",
        kind="network",
        year=2021,
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
