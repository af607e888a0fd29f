"""Algorithm 1 of the paper, word for word and slow, to test the fast one against."""

import numpy as np
import torch
from torch import Tensor, nn

from wpfs.masks import MaskStream, build_mask


class RecordedMasks(MaskStream):
    """A mask stream that remembers the keys it gave out."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.keys: list = []

    def next_key(self):
        self.keys.append(super().next_key())
        return self.keys[-1]


class ReplayedDropout(nn.Module):
    """Dropout whose masks are those another network used, in the same order."""

    def __init__(self, rate: float, masks: RecordedMasks) -> None:
        super().__init__()
        self.rate, self.masks = rate, masks

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return x
        keep = build_mask(self.masks.keys.pop(0), tuple(x.shape), self.rate)
        return x * torch.from_numpy(keep.astype(np.float32)) / (1 - self.rate)


class LiteralWPFS(nn.Module):
    """The three networks and the diagonal product."""

    def __init__(self, embeddings: Tensor, n_classes: int, rate: float, masks: RecordedMasks):
        super().__init__()

        def block(n_in, n_out):
            return [nn.Linear(n_in, n_out), *tail(n_out)]

        def tail(n):
            return [nn.LeakyReLU(), nn.BatchNorm1d(n), ReplayedDropout(rate, masks)]

        size = embeddings.shape[1]
        self.embeddings = embeddings
        self.wpn = nn.Sequential(
            *block(size, 100), *block(100, 100), *block(100, 100), nn.Linear(100, 100), nn.Tanh()
        )
        self.spn = nn.Sequential(
            *block(size, 100), *block(100, 100), *block(100, 100), *block(100, 100),
            nn.Linear(100, 1), nn.Sigmoid(),
        )  # fmt: skip
        self.bias = nn.Parameter(torch.zeros(100))
        self.rest = nn.Sequential(
            *tail(100), *block(100, 100), *block(100, 10), nn.Linear(10, n_classes)
        )

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        w = self.wpn(self.embeddings).T
        s = self.spn(self.embeddings).squeeze(1)
        weight = w @ torch.diag(s)
        return self.rest(nn.functional.linear(x, weight, self.bias)), s


def copy_weights(fast: nn.Module, literal: nn.Module) -> None:
    """Give the literal network the fast one's parameters, which come in the same order."""
    source, target = ordered_parameters(fast), list(literal.parameters())
    assert [tuple(p.shape) for p in source] == [tuple(p.shape) for p in target]
    with torch.no_grad():
        for a, b in zip(source, target, strict=True):
            b.copy_(a)


def ordered_parameters(fast: nn.Module) -> list[Tensor]:
    """Return the fast network's parameters in the literal network's order."""
    layer = fast.first_layer
    return [
        layer.bias,
        *layer.weight_predictor.parameters(),
        *layer.sparsity_network.parameters(),
        *layer.norm.parameters(),
        *fast.blocks.parameters(),
        *fast.head.parameters(),
    ]
