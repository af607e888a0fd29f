"""CAE: a supervised concrete layer that selects features."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baselines._shared.concrete_network import ConcreteNetworkClassifier
from baselines._shared.method import EVERY_DATASET, Method
from wpfs.options import keyword_constructor
from wpfs.ranges import Positive

if TYPE_CHECKING:
    import torch

    from wpfs.layers import ConcreteFirstLayer
    from wpfs.masks import MaskStream


@keyword_constructor
class ConcreteSelectorClassifier(ConcreteNetworkClassifier):
    """The concrete autoencoder's selectors in front of a perceptron, trained on the labels."""

    learning_rate: Positive = 1e-3

    def _build_first_layer(
        self, n_features: int, masks: MaskStream, embeddings: torch.Tensor | None
    ) -> ConcreteFirstLayer:
        from wpfs.layers import ConcreteFirstLayer

        return ConcreteFirstLayer(n_features, self.hidden_sizes[0], self.annealing_steps)


METHODS = (
    Method(
        name="cae",
        estimator=ConcreteSelectorClassifier,
        title="CAE",
        kind="network",
        year=2019,
        reference=(
            "Balın, Abid & Zou, Concrete autoencoders: differentiable feature selection and "
            "reconstruction, ICML, 2019"
        ),
        tags=frozenset(
            {"weighs-classes", "ranks-features", "early-stopping", "gpu", "selects-features"}
        ),
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
