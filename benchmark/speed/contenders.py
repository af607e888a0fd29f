"""Four ways to take one training step of WPFS; all see the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
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
    if contender in LIBRARIES:
        return _build_products(embeddings, x, LIBRARIES[contender])
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
    n_classes
        C.
    """

    def __init__(self, embeddings: Tensor, diagonal: bool, n_classes: int = CLASSES) -> None:
        super().__init__()
        self.embeddings = embeddings
        self.diagonal = diagonal
        sizes = (embeddings.shape[1], *AUXILIARY)
        self.wpn = nn.Sequential(*stack_blocks(sizes[:-1]), nn.Linear(sizes[-2], UNITS), nn.Tanh())
        self.spn = nn.Sequential(*stack_blocks(sizes), nn.Linear(sizes[-1], 1), nn.Sigmoid())
        self.bias = nn.Parameter(torch.zeros(UNITS))
        self.rest = nn.Sequential(
            *stack_tail(UNITS), *stack_blocks(HIDDEN), nn.Linear(HIDDEN[-1], n_classes)
        )
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


def stack_tail(n_units: int) -> list[nn.Module]:
    """Return what follows the first layer."""
    return [nn.LeakyReLU(), nn.BatchNorm1d(n_units), nn.Dropout(DROPOUT)]


def stack_blocks(sizes: tuple[int, ...]) -> list[nn.Module]:
    """Return hidden layers that map the first size to the last."""
    layers: list[nn.Module] = []
    for a, b in pairwise(sizes):
        layers += [nn.Linear(a, b), *stack_tail(b)]
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


def _multiply_by_torch(a: Tensor, b: Tensor, out: Tensor) -> None:
    torch.mm(a, b, out=out)


def _multiply_by_numpy(a: Tensor, b: Tensor, out: Tensor) -> None:
    np.matmul(a.numpy(), b.numpy(), out=out.numpy())


Multiply = Callable[[Tensor, Tensor, Tensor], None]

#: Contender -> the products alone, by a library of their own.
LIBRARIES: dict[str, Multiply] = {
    "floor": _multiply_by_torch,
    "floor-openblas": _multiply_by_numpy,
}


def _build_products(embeddings: Tensor, x: Tensor, multiply: Multiply) -> Callable[[], object]:
    """Return the products of one step, each layer with operands of its own.

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
    hidden, d_x = torch.empty(BATCH, UNITS), torch.empty(BATCH, n_features)

    def multiply_all() -> None:
        for value, weight, out, _, _ in layers:
            multiply(value, weight.t(), out)
        multiply(x, weights, hidden)
        multiply(x.t(), hidden, d_weights)
        multiply(hidden, weights.t(), d_x)
        for value, weight, out, d_weight, d_value in layers:
            multiply(out.t(), value, d_weight)
            if d_value is not None:
                multiply(out, weight, d_value)

    return multiply_all
