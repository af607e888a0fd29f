"""The classification network, with any first layer and an optional decoder."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor, nn

from wpfs.auxiliary import WeightPredictor
from wpfs.blocks import HiddenBlock
from wpfs.layers import ConcreteFirstLayer, LinearFirstLayer
from wpfs.masks import MaskStream


class Decoder(nn.Module):
    """Reconstructs the input from a hidden layer with predicted weights (DietNetworks, FsNet).

    Parameters
    ----------
    weight_predictor
        Maps embeddings (D, M) to weights (D, K).
    embeddings
        (D, M).
    """

    embeddings: Tensor

    def __init__(self, weight_predictor: WeightPredictor, embeddings: Tensor) -> None:
        super().__init__()
        self.weight_predictor = weight_predictor
        self.register_buffer("embeddings", embeddings)
        self.bias = nn.Parameter(torch.zeros(len(embeddings)))

    def forward(self, hidden: Tensor) -> Tensor:
        """Map hidden units (n, K) to samples (n, D)."""
        return nn.functional.linear(hidden, self.weight_predictor(self.embeddings), self.bias)


class ClassificationNetwork(nn.Module):
    """First layer -> hidden blocks -> linear head.

    Parameters
    ----------
    first_layer
        Maps samples (n, D) to (n, hidden_sizes[0]).
    hidden_sizes
        Units of every hidden layer, the first layer's included.
    n_classes
        C.
    dropout, masks
        As for ``RectifiedNorm``.
    sparsity
        The paper's lambda: weight of the sum of importance scores in the loss.
    decoder
        Reconstructs the samples from the second hidden layer, or None.
    reconstruction
        Weight of the mean squared reconstruction error in the loss.
    """

    def __init__(
        self,
        first_layer: LinearFirstLayer | ConcreteFirstLayer,
        hidden_sizes: Sequence[int],
        n_classes: int,
        dropout: float,
        masks: MaskStream,
        sparsity: float = 0.0,
        decoder: Decoder | None = None,
        reconstruction: float = 0.0,
    ) -> None:
        super().__init__()
        self.first_layer = first_layer
        self.blocks = nn.ModuleList(
            HiddenBlock(a, b, dropout, masks) for a, b in itertools.pairwise(hidden_sizes)
        )
        self.head = nn.Linear(hidden_sizes[-1], n_classes)
        self.sparsity = sparsity
        self.decoder = decoder
        self.reconstruction = reconstruction
        self._reconstruction_error: Tensor | None = None

    @property
    def hidden_blocks(self) -> list[HiddenBlock]:
        """The blocks behind the first layer."""
        return cast(list[HiddenBlock], list(self.blocks))

    def forward(self, x: Tensor) -> Tensor:
        """Map samples (n, D) to logits (n, C)."""
        hidden = self.first_layer(x)
        for depth, block in enumerate(self.blocks, start=2):
            hidden = block(hidden)
            if depth == 2 and self.decoder is not None and self.training:
                self._reconstruction_error = nn.functional.mse_loss(self.decoder(hidden), x)
        return self.head(hidden)

    def penalty(self) -> Tensor | None:
        """Return what the loss adds to the cross-entropy of the last forward pass, if anything."""
        terms = []
        scores = getattr(self.first_layer, "scores", None)
        if scores is not None and self.sparsity > 0.0:
            terms.append(self.sparsity * scores.sum())
        if self._reconstruction_error is not None:
            terms.append(self.reconstruction * self._reconstruction_error)
        return torch.stack(terms).sum() if terms else None

    def set_step(self, step: int) -> None:
        """Set the training step, from one, for layers that change over time."""
        self.first_layer.set_step(step)

    def forget_last_batch(self) -> None:
        """Drop what ``penalty`` was computed from, which keeps a graph alive."""
        self._reconstruction_error = None
        self.first_layer.forget_last_batch()

    def count_parameters(self) -> int:
        """Return the number of learnable parameters."""
        return sum(parameter.numel() for parameter in self.parameters())
