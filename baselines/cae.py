"""CAE: a supervised concrete layer that selects features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from baselines._shared.method import EVERY_DATASET, Method
from wpfs.estimator import NetworkClassifier

if TYPE_CHECKING:
    from wpfs.masks import MaskStream
    from wpfs.networks import ClassificationNetwork


class ConcreteSelectorClassifier(NetworkClassifier):
    """The concrete autoencoder's selectors in front of a perceptron, trained on the labels.

    Parameters
    ----------
    annealing_steps
        Steps over which the selectors' temperature falls from 10 to 0.01.
    hidden_sizes, dropout
        The network.
    learning_rate, weight_decay, gradient_clip, schedule
        AdamW.
    batch_size, max_steps, patience, validation_interval, batched_validation, validation_fraction
        See ``wpfs.training.TrainingSettings``.
    device, n_threads, random_state
        As for ``wpfs.WPFSClassifier``.
    """

    def __init__(
        self,
        *,
        annealing_steps: int = 1000,
        hidden_sizes: Sequence[int] = (100, 100, 10),
        dropout: float = 0.2,
        learning_rate: float = 1e-3,
        weight_decay: float = 1e-4,
        gradient_clip: float = 2.5,
        schedule: str = "exponential",
        batch_size: int = 8,
        max_steps: int = 10_000,
        patience: int = 200,
        validation_interval: int = 5,
        batched_validation: bool = False,
        validation_fraction: float = 0.1,
        device: str = "cpu",
        n_threads: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.annealing_steps = annealing_steps
        self.hidden_sizes = hidden_sizes
        self.dropout = dropout
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.gradient_clip = gradient_clip
        self.schedule = schedule
        self.batch_size = batch_size
        self.max_steps = max_steps
        self.patience = patience
        self.validation_interval = validation_interval
        self.batched_validation = batched_validation
        self.validation_fraction = validation_fraction
        self.device = device
        self.n_threads = n_threads
        self.random_state = random_state

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
        paper={
            # ASSUMPTION: the paper prints the learning rate's grid only, not the value chosen.
            EVERY_DATASET: {"learning_rate": 1e-3},
            "cll": {"validation_interval": 4},
            "metabric-dr": {"annealing_steps": 300},
            "prostate": {"validation_interval": 4},
            "tcga-2ysurvival": {"annealing_steps": 300},
            "tcga-tumor-grade": {"annealing_steps": 300},
        },
        column="CAE",
        requires=("torch", "numba"),
        version=2,
    ),
)
