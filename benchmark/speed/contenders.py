"""Four ways to take one training step of WPFS; all see the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import torch
from torch import Tensor, nn

from wpfs import step
from wpfs.auxiliary import SparsityNetwork, WeightPredictor
from wpfs.layers import LinearFirstLayer
from wpfs.masks import MaskStream
from wpfs.networks import ClassificationNetwork
from wpfs.options import TrainingOptions

BATCH, EMBEDDING, UNITS, CLASSES = 8, 50, 100, 2
HIDDEN = (100, 100, 10)
AUXILIARY = (100, 100, 100, 100)
DROPOUT, SPARSITY = 0.2, 3e-5


def build_step(contender: str, n_features: int) -> Callable[[], object]:
    """Return a function that takes one training step (forward, backward, clip, AdamW)."""
    torch.manual_seed(0)
    embeddings = torch.rand(n_features, EMBEDDING)
    x, y = torch.randn(BATCH, n_features), torch.arange(BATCH) % CLASSES
    if contender == "floor":
        return _build_products(embeddings, x)
    if contender == "ours":
        weights = torch.ones(CLASSES)
        ours = step.build_step(_build_ours(embeddings), weights, TrainingOptions(), BATCH)
        return lambda: ours.take(x, y)
    network = PlainWPFS(embeddings, diagonal=contender == "literal")
    parameters = list(network.parameters())
    optimiser = torch.optim.AdamW(parameters, lr=3e-3, betas=(0.9, 0.98), fused=True)

    def take_step() -> None:
        loss = nn.functional.cross_entropy(network(x), y) + network.penalty()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 2.5)
        optimiser.step()

    return take_step


class PlainWPFS(nn.Module):
    """WPFS as one would write it down.

    Parameters
    ----------
    embeddings
        (D, M).
    diagonal
        Multiply W by ``diag(s)``, as the paper's Algorithm 1 and its authors' code do.
    """

    def __init__(self, embeddings: Tensor, diagonal: bool) -> None:
        super().__init__()
        self.embeddings = embeddings
        self.diagonal = diagonal
        sizes = (EMBEDDING, *AUXILIARY)
        self.wpn = nn.Sequential(*_blocks(sizes[:-1]), nn.Linear(sizes[-2], UNITS), nn.Tanh())
        self.spn = nn.Sequential(*_blocks(sizes), nn.Linear(sizes[-1], 1), nn.Sigmoid())
        self.bias = nn.Parameter(torch.zeros(UNITS))
        self.rest = nn.Sequential(*_tail(UNITS), *_blocks(HIDDEN), nn.Linear(HIDDEN[-1], CLASSES))
        self.scores = torch.zeros(0)

    def forward(self, x: Tensor) -> Tensor:
        """Map samples (n, D) to logits (n, C)."""
        weight = self.wpn(self.embeddings).t()
        self.scores = self.spn(self.embeddings).squeeze(1)
        if self.diagonal:
            hidden = nn.functional.linear(x, weight @ torch.diag(self.scores), self.bias)
        else:
            hidden = nn.functional.linear(x * self.scores, weight, self.bias)
        return self.rest(hidden)

    def penalty(self) -> Tensor:
        """Return the sparsity loss."""
        return SPARSITY * self.scores.sum()


def _tail(n_units: int) -> list[nn.Module]:
    return [nn.LeakyReLU(), nn.BatchNorm1d(n_units), nn.Dropout(DROPOUT)]


def _blocks(sizes: tuple[int, ...]) -> list[nn.Module]:
    layers: list[nn.Module] = []
    for a, b in pairwise(sizes):
        layers += [nn.Linear(a, b), *_tail(b)]
    return layers


def _build_ours(embeddings: Tensor) -> ClassificationNetwork:
    masks = MaskStream(0)
    auxiliary = EMBEDDING, AUXILIARY, DROPOUT, masks
    first = LinearFirstLayer(
        len(embeddings),
        UNITS,
        DROPOUT,
        masks,
        WeightPredictor(*auxiliary),
        SparsityNetwork(*auxiliary),
        embeddings,
    )
    return ClassificationNetwork(first, HIDDEN, CLASSES, DROPOUT, masks, SPARSITY)


def _build_products(embeddings: Tensor, x: Tensor) -> Callable[[], object]:
    """Return the products of one step by ``torch.mm``, each layer with operands of its own.

    Forward, gradient of the weights and, except for the embeddings, gradient of the input, for
    both auxiliary networks; then the first layer's three.
    """
    n_features = len(embeddings)
    layers = []
    for inputs in [EMBEDDING, *AUXILIARY[:3]] * 2:
        value = embeddings if inputs == EMBEDDING else torch.randn(n_features, inputs)
        layers.append(
            (
                value,
                torch.randn(UNITS, inputs),
                torch.empty(n_features, UNITS),
                torch.empty(UNITS, inputs),
                torch.empty(n_features, inputs) if inputs != EMBEDDING else None,
            )
        )
    weights, d_weights = torch.randn(n_features, UNITS), torch.empty(n_features, UNITS)

    def multiply_all() -> None:
        for value, weight, out, _, _ in layers:
            torch.mm(value, weight.t(), out=out)
        hidden = x @ weights
        torch.mm(x.t(), hidden, out=d_weights)
        hidden @ weights.t()
        for value, weight, out, d_weight, d_value in layers:
            torch.mm(out.t(), value, out=d_weight)
            if d_value is not None:
                torch.mm(out, weight, out=d_value)

    return multiply_all
