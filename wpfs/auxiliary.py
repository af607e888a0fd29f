"""The two small networks that read feature embeddings (Section "Model" of the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from wpfs.blocks import SLOPE, HiddenBlock
from wpfs.masks import MaskStream
from wpfs.tower import Tower


class WeightPredictor(Tower):
    """WPN: maps embeddings (D, M) to first-layer weights (D, K).

    Parameters
    ----------
    embedding_size
        M.
    layer_sizes
        Hidden sizes, then K.
    dropout, masks
        As for ``RectifiedNorm``.
    bounded
        Pass the weights through tanh.
    """

    def __init__(
        self,
        embedding_size: int,
        layer_sizes: Sequence[int],
        dropout: float,
        masks: MaskStream,
        bounded: bool = True,
    ) -> None:
        *hidden, n_units = layer_sizes
        inputs = [embedding_size, *hidden]
        blocks = [HiddenBlock(a, b, dropout, masks) for a, b in pairwise(inputs)]
        for block in blocks:
            nn.init.kaiming_normal_(
                block.linear.weight, a=SLOPE, mode="fan_out", nonlinearity="leaky_relu"
            )
        super().__init__(blocks, nn.Linear(inputs[-1], n_units), bounded)
        nn.init.uniform_(self.output.weight, -0.01, 0.01)


class SparsityNetwork(Tower):
    """SPN: maps the embedding of each feature to its importance score.

    Parameters
    ----------
    embedding_size
        M.
    hidden_sizes
        Sizes of the hidden layers, all in front of the one-unit output.
    dropout, masks
        As for ``RectifiedNorm``.
    """

    def __init__(
        self, embedding_size: int, hidden_sizes: Sequence[int], dropout: float, masks: MaskStream
    ) -> None:
        inputs = [embedding_size, *hidden_sizes]
        blocks = [HiddenBlock(a, b, dropout, masks) for a, b in pairwise(inputs)]
        super().__init__(blocks, nn.Linear(inputs[-1], 1))

    def forward(self, embeddings: Tensor) -> Tensor:
        """Map embeddings (D, M) to scores (D,) in (0, 1)."""
        return torch.sigmoid(super().forward(embeddings)).squeeze(1)
