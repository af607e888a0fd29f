"""FsNet: features selected by a concrete layer that is predicted from feature embeddings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baselines._shared.concrete_network import ConcreteNetworkClassifier
from baselines._shared.embedded_network import EmbeddedNetworkClassifier
from baselines._shared.method import EVERY_DATASET, Method
from wpfs.options import keyword_constructor

if TYPE_CHECKING:
    import torch

    from wpfs.layers import ConcreteFirstLayer
    from wpfs.masks import MaskStream


@keyword_constructor
class FsNetClassifier(ConcreteNetworkClassifier, EmbeddedNetworkClassifier):
    """Concrete selectors with predicted logits, a perceptron behind them, a predicted decoder.

    Takes the hyper-parameters of its base classes too.

    Parameters
    ----------
    bounded_logits
        Pass the selectors' logits through tanh, as the paper's authors' code does.
    """

    bounded_logits: bool = True

    def _build_first_layer(
        self, n_features: int, masks: MaskStream, embeddings: torch.Tensor | None
    ) -> ConcreteFirstLayer:
        from wpfs.layers import ConcreteFirstLayer

        assert embeddings is not None
        n_units = self.hidden_sizes[0]
        predictor = self._build_weight_predictor(embeddings, n_units, masks, self.bounded_logits)
        return ConcreteFirstLayer(n_features, n_units, self.annealing_steps, predictor, embeddings)


METHODS = (
    Method(
        name="fsnet",
        estimator=FsNetClassifier,
        title="FsNet",
        kind="network",
        year=2020,
        reference=(
            "Singh et al., FsNet: feature selection network on high-dimensional biological data, "
            "arXiv:2001.08322, 2020"
        ),
        tags=frozenset(
            {
                "weighs-classes",
                "ranks-features",
                "early-stopping",
                "embeds-features",
                "gpu",
                "selects-features",
            }
        ),
        grid={"learning_rate": (1e-3, 3e-3), "reconstruction": (0.0, 0.2, 1.0, 5.0)},
        # The paper does not name the embedding; NMF is the default of the authors' code. The
        # embedding's size is WPFS' (the paper prints none).
        paper_values={
            EVERY_DATASET: {"embedding": "nmf"},
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
