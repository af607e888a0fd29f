"""FsNet: features selected by a concrete layer that is predicted from feature embeddings."""

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


class FsNetClassifier(EmbeddedNetworkClassifier):
    """Concrete selectors with predicted logits, a perceptron behind them, a predicted decoder.

    Parameters
    ----------
    annealing_steps
        Steps over which the selectors' temperature falls from 10 to 0.01.
    bounded_logits
        Pass the selectors' logits through tanh, as the paper's authors' code does.
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
        annealing_steps: int = 1000,
        bounded_logits: bool = True,
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
        self.annealing_steps = annealing_steps
        self.bounded_logits = bounded_logits
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
        paper={
            "cll": {"embedding_size": 70, "validation_interval": 4},
            "lung": {"embedding_size": 20, "learning_rate": 1e-3},
            "prostate": {"validation_interval": 4},
            "toxicity": {"learning_rate": 1e-3, "reconstruction": 0.2},
        },
        column="FsNet",
        requires=("torch", "numba"),
        version=2,
    ),
)
