"""The multilayer perceptron: WPFS' classification network with free first-layer weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from baselines._shared.method import Method
from wpfs.estimator import NetworkClassifier

if TYPE_CHECKING:
    from wpfs.masks import MaskStream
    from wpfs.networks import ClassificationNetwork


class MLPClassifier(NetworkClassifier):
    """A three-layer perceptron with BatchNorm and dropout, trained as WPFS is.

    Parameters
    ----------
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
        hidden_sizes: Sequence[int] = (100, 100, 10),
        dropout: float = 0.2,
        learning_rate: float = 3e-3,
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
        paper={"prostate": {"validation_interval": 4}, "cll": {"validation_interval": 4}},
        column="MLP",
        requires=("torch", "numba"),
    ),
)
