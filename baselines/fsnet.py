"""FsNet: features selected by a concrete layer that is predicted from feature embeddings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from baselines._shared.embedded_network import EmbeddedNetworkClassifier
from baselines._shared.method import Method
from wpfs.options import keyword_constructor
from wpfs.ranges import Count

if TYPE_CHECKING:
    from wpfs.masks import MaskStream
    from wpfs.networks import ClassificationNetwork


@keyword_constructor
class FsNetClassifier(EmbeddedNetworkClassifier):
    """Concrete selectors with predicted logits, a perceptron behind them, a predicted decoder.

    Takes the hyper-parameters of ``EmbeddedNetworkClassifier`` too.

    Parameters
    ----------
    annealing_steps
        Steps over which the selectors' temperature falls from 10 to 0.01.
    bounded_logits
        Pass the selectors' logits through tanh, as the paper's authors' code does.
    """

    annealing_steps: Count = 1000
    bounded_logits: bool = True

    @property
    def selected_features_(self) -> npt.NDArray[np.int64]:
        """Indices of the features that a selector settled on."""
        return np.flatnonzero(self.feature_importances_)

    def _build_network(
        self, X: npt.NDArray[np.float64], n_classes: int, masks: MaskStream, seed: int
    ) -> ClassificationNetwork:
        from wpfs.layers import ConcreteFirstLayer
        from wpfs.networks import ClassificationNetwork

        embeddings = self._embed(X, seed)
        n_units = self.hidden_sizes[0]
        predictor = self._build_weight_predictor(
            embeddings.shape[1], n_units, masks, self.bounded_logits
        )
        first_layer = ConcreteFirstLayer(
            X.shape[1],
            n_units,
            self.annealing_steps,
            weight_predictor=predictor,
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
        name="fsnet",
        estimator=FsNetClassifier,
        title="FsNet",
        reference=(
            "Singh et al., FsNet: feature selection network on high-dimensional biological data, "
            "arXiv:2001.08322, 2020"
        ),
        tags=frozenset(
            {"weighs-classes", "ranks-features", "early-stopping", "embeds-features", "gpu"}
        ),
        grid={"learning_rate": (1e-3, 3e-3), "reconstruction": (0.0, 0.2, 1.0, 5.0)},
        # The embedding's size is WPFS' (the paper prints none).
        paper_values={
            "cll": {"embedding_size": 70, "validation_interval": 4},
            "lung": {"embedding_size": 20, "learning_rate": 1e-3},
            "prostate": {"validation_interval": 4},
            "toxicity": {"learning_rate": 1e-3, "reconstruction": 0.2},
        },
        paper_column="FsNet",
        requires=("torch", "numba"),
        version=2,
    ),
)
