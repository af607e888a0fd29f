"""GCondNet: an MLP whose first weights come from graphs of the training samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from baselines._shared.method import Method
from wpfs.estimator import NetworkClassifier
from wpfs.options import keyword_constructor
from wpfs.ranges import Count, Positive

if TYPE_CHECKING:
    import torch

    from wpfs.layers import LinearFirstLayer
    from wpfs.masks import MaskStream


@keyword_constructor
class GCondNetClassifier(NetworkClassifier):
    """A perceptron that starts from the weights a graph network gives and leaves them behind.

    Each feature has a graph of the training samples, each sample connected to its nearest ones by
    value. Its embedding is the feature's column of first-layer weights, mixed with free weights
    that start at zero. The graphs' share falls linearly to none.

    Takes the hyper-parameters of ``NetworkClassifier`` too.

    Parameters
    ----------
    n_neighbors
        To which a sample is connected.
    mixing_steps
        Steps until the graphs' share is none.
    """

    n_neighbors: Count = 5
    mixing_steps: Count = 200
    learning_rate: Positive = 1e-4

    def _embed(self, X: npt.NDArray[np.float64], seed: int) -> torch.Tensor:
        """Return the standardised training rows (D, n): each feature's graph is made of them."""
        import torch

        return self._standardise(X, torch.device("cpu")).t()

    def _build_first_layer(
        self, n_features: int, masks: MaskStream, embeddings: torch.Tensor | None
    ) -> LinearFirstLayer:
        from baselines._shared.feature_graphs import GraphConditionedLayer, build_graphs
        from wpfs.layers import LinearFirstLayer

        if embeddings is None:  # of a trained network, which has left its graphs behind
            return LinearFirstLayer(n_features, self.hidden_sizes[0], self.dropout, masks)
        graphs = build_graphs(embeddings.t().numpy(), self.n_neighbors)
        return GraphConditionedLayer(
            graphs, self.hidden_sizes[0], self.dropout, masks, self.mixing_steps
        )


METHODS = (
    Method(
        name="gcondnet",
        estimator=GCondNetClassifier,
        title="GCondNet",
        kind="network",
        year=2024,
        reference=(
            "Margeloiu et al., GCondNet: a novel method for improving neural networks on small "
            "high-dimensional tabular data, TMLR, 2024"
        ),
        tags=frozenset({"weighs-classes", "ranks-features", "early-stopping", "gpu"}),
        grid={"learning_rate": (3e-3, 1e-3, 3e-4, 1e-4)},
        # In its authors' code, as for the MLP: one check more in an epoch of nine batches.
        paper_values={"prostate": {"validation_interval": 4}, "cll": {"validation_interval": 4}},
        requires=("torch", "numba"),
    ),
)
