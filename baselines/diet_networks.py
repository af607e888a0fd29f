"""DietNetworks for continuous data: a first layer predicted from feature embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from baselines._shared.embedded_network import EmbeddedNetworkClassifier
from baselines._shared.method import Method

if TYPE_CHECKING:
    from wpfs.masks import MaskStream
    from wpfs.networks import ClassificationNetwork


class DietNetworksClassifier(EmbeddedNetworkClassifier):
    """A perceptron whose first-layer weights a second network predicts.

    Parameters
    ----------
    embedding, embedding_size
        What the auxiliary networks read; see ``wpfs.embeddings.embed_features``.
    mirrored
        Give every feature its mirror image's embedding, as the paper's authors' code did.
    auxiliary_sizes
        Layers of the weight predictors; the last is as wide as what they predict.
    reconstruction
        Weight of the squared reconstruction error in the loss; without it there is no decoder.
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
        embedding: str = "dot-histogram",
        embedding_size: int = 50,
        mirrored: bool = False,
        auxiliary_sizes: Sequence[int] = (100, 100, 100, 100),
        reconstruction: float = 0.0,
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
        self.embedding = embedding
        self.embedding_size = embedding_size
        self.mirrored = mirrored
        self.auxiliary_sizes = auxiliary_sizes
        self.reconstruction = reconstruction
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
        paper={
            "cll": {"embedding_size": 70, "validation_interval": 4},
            "lung": {"embedding_size": 20},
            "prostate": {"validation_interval": 4},
        },
        column="DietNetworks",
        requires=("torch", "numba"),
    ),
)
