"""A first layer behind stochastic gates (STG)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from wpfs.layers import LinearFirstLayer
from wpfs.masks import MaskStream

#: Where every gate's centre starts: half open (Yamada et al. 2020, section 4).
_START = 0.5


class GatedFirstLayer(LinearFirstLayer):
    """``LeakyReLU -> BatchNorm -> Dropout`` of ``W (gates * x) + b``.

    Parameters
    ----------
    n_features, n_units, dropout, masks
        As for ``LinearFirstLayer``.
    noise
        Standard deviation of the gates' Gaussian noise while training.
    """

    def __init__(
        self, n_features: int, n_units: int, dropout: float, masks: MaskStream, noise: float
    ) -> None:
        super().__init__(n_features, n_units, dropout, masks)
        self.centres = nn.Parameter(torch.full((n_features,), _START))
        self.noise = noise

    def forward(self, x: Tensor) -> Tensor:
        """Map samples (n, D) to (n, K); keeps how likely each gate is open as ``scores`` (D,)."""
        self.scores = torch.special.ndtr(self.centres / self.noise)
        gates: Tensor = self.centres
        if self.training:
            gates = gates + self.noise * torch.randn_like(x)
        return self.norm(torch.addmm(self.bias, x * gates.clamp(0, 1), self.weight.t()))

    def importances(self) -> Tensor:
        """Return the gates without noise (D,)."""
        return self.centres.clamp(0, 1)
