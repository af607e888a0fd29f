"""What is in front of a network's first BatchNorm: forward and backward pass on a CPU.

A front maps a batch (n, D) to pre-activations (n, K) without their bias, and takes their gradient
back to the parameters. ``wpfs.layers`` says the same in plain PyTorch.
"""

from __future__ import annotations

from functools import partial
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from wpfs.chunks import Work, count_chunks, finish
from wpfs.compiled import compiled
from wpfs.kernels import CHUNK
from wpfs.layers import ConcreteFirstLayer, LinearFirstLayer
from wpfs.optimiser import FlatParameters
from wpfs.passes import Level, Linear, TowerPasses

Array = npt.NDArray[np.float32]


class Front(Protocol):
    """See the module's text.

    Attributes
    ----------
    levels
        In the order in which their dropout masks are drawn.
    bias, d_bias
        (K,), to be added to the pre-activations, and its gradient.
    """

    levels: list[Level]
    bias: Array
    d_bias: Array

    def forward(self, x: Array, z: Array) -> None:
        """Write the pre-activations z (n, K) of x (n, D)."""

    def backward(self, d_z: Array) -> None:
        """Write the parameters' gradients, from that of the last pre-activations."""

    def penalty(self) -> float:
        """Return what is added to the last batch's loss."""


class LinearFront:
    """``W (s * x)`` with free or predicted weights, and scores or none (Algorithm 1).

    Parameters
    ----------
    layer
        What to compute.
    parameters
        Those of the network.
    rows
        n.
    sparsity
        Weight of the sum of scores in the loss.
    """

    def __init__(
        self, layer: LinearFirstLayer, parameters: FlatParameters, rows: int, sparsity: float
    ) -> None:
        self._predictor = self._selector = None
        if layer.weight_predictor is None:
            self._weight = parameters.value(layer.weight).T
            self._d_weight = parameters.gradient(layer.weight).T
        else:
            self._predictor = TowerPasses(layer.weight_predictor, parameters, layer.embeddings)
            self._weight = self._predictor.output
            self._d_weight = np.empty_like(self._weight)
        n_features = len(self._weight)
        self._logits = np.empty((n_features, 0), dtype=np.float32)
        if layer.sparsity_network is not None:
            self._selector = TowerPasses(layer.sparsity_network, parameters, layer.embeddings)
            self._logits = self._selector.output
        self._d_logits = np.empty_like(self._logits)
        self._scores = np.ones(n_features, dtype=np.float32)
        self._towers = [tower for tower in (self._predictor, self._selector) if tower is not None]
        self.levels = [level for tower in self._towers for level in tower.levels]
        self._scaled = np.empty(rows * n_features, dtype=np.float32)
        self._sums = np.empty((count_chunks(n_features), rows, layer.n_units), dtype=np.float32)
        self._sparsity = np.float32(sparsity if self._selector is not None else 0.0)
        self.bias, self.d_bias = parameters.value(layer.bias), parameters.gradient(layer.bias)

    def forward(self, x: Array, z: Array) -> None:
        """Predict weights and scores, then multiply."""
        self._x = x
        finish(*(tower.forward() for tower in self._towers))
        work = partial(
            multiply, x, self._weight, self._logits, self._scores, self._scaled, self._sums
        )
        finish(iter([Work(work, len(self._weight))]))
        np.sum(self._sums, axis=0, out=z)

    def backward(self, d_z: Array) -> None:
        """Differentiate the product, then what predicted its factors."""
        work = partial(
            differentiate_product,
            d_z,
            self._x,
            self._weight,
            self._scores,
            self._scaled,
            self._sparsity,
            self._d_weight,
            self._d_logits,
        )
        finish(iter([Work(work, len(self._weight))]))
        stages = []
        if self._predictor is not None:
            stages.append(self._predictor.backward(self._d_weight))
        if self._selector is not None:
            stages.append(self._selector.backward(self._d_logits))
        finish(*stages)

    def penalty(self) -> float:
        """Return the sparsity loss."""
        return float(self._sparsity * self._scores.sum()) if self._sparsity > 0.0 else 0.0


@compiled
def multiply(x, weight, logits, scores, scaled, sums, start, stop):  # type: ignore[no-untyped-def]
    """Multiply samples, scaled by their features' scores, with the weights of features start..stop.

    ``scores = sigmoid(logits)``, where there are logits (D, 1) instead of (D, 0). ``sums[c]`` gets
    chunk c's part of the product, ``scaled`` the scaled samples, chunk by chunk.
    """
    rows = len(x)
    for low in range(start, stop, CHUNK):
        high = min(low + CHUNK, stop)
        score, logit, value = scores[low:high], logits[low:high], x[:, low:high]
        if logits.shape[1] > 0:
            for j in range(len(score)):
                score[j] = np.float32(1.0) / (np.float32(1.0) + np.exp(-logit[j, 0]))
        few = scaled[low * rows : high * rows].reshape(rows, high - low)
        for i in range(rows):
            for j in range(len(score)):
                few[i, j] = value[i, j] * score[j]
        np.dot(few, weight[low:high], sums[low // CHUNK])


@compiled
def differentiate_product(  # type: ignore[no-untyped-def]
    d_z, x, weight, scores, scaled, sparsity, d_weight, d_logits, start, stop
):
    """Backward pass of ``multiply``; the loss grows with each score by ``sparsity`` besides."""
    rows = len(x)
    back = np.empty(rows * CHUNK, dtype=np.float32)
    d_scores = np.empty(CHUNK, dtype=np.float32)
    for low in range(start, stop, CHUNK):
        high = min(low + CHUNK, stop)
        few = scaled[low * rows : high * rows].reshape(rows, high - low)
        np.dot(few.T, d_z, d_weight[low:high])
        if d_logits.shape[1] > 0:
            d_few = back[: rows * (high - low)].reshape(rows, high - low)
            np.dot(d_z, weight[low:high].T, d_few)
            score, value, d_logit = scores[low:high], x[:, low:high], d_logits[low:high]
            d_score = d_scores[: high - low]
            d_score[:] = sparsity
            for i in range(rows):
                for j in range(len(score)):
                    d_score[j] += value[i, j] * d_few[i, j]
            for j in range(len(score)):
                d_logit[j, 0] = d_score[j] * score[j] * (np.float32(1.0) - score[j])


class ConcreteFront:
    """Concrete selectors, and the linear layer that reads what they select.

    Parameters
    ----------
    layer, following
        What to compute.
    parameters
        Those of the network.
    """

    def __init__(
        self, layer: ConcreteFirstLayer, following: nn.Linear, parameters: FlatParameters
    ) -> None:
        self._layer = layer
        self._linear = Linear(following, parameters)
        self._predictor = None
        self.levels: list[Level] = []
        if layer.weight_predictor is None:
            self._logits = torch.from_numpy(parameters.value(layer.logits))
            self._d_logits = torch.from_numpy(parameters.gradient(layer.logits))
        else:
            self._predictor = TowerPasses(layer.weight_predictor, parameters, layer.embeddings)
            self.levels = self._predictor.levels
            self._d_predicted = np.empty_like(self._predictor.output)
            self._logits = torch.from_numpy(self._predictor.output).t()
            self._d_logits = torch.from_numpy(self._d_predicted).t()
        self.bias, self.d_bias = self._linear.bias, self._linear.d_bias

    def forward(self, x: Array, z: Array) -> None:
        """Draw the selectors' weights and mix the features by them."""
        if self._predictor is not None:
            finish(self._predictor.forward())
        self._x = torch.from_numpy(x)
        self._weights = self._layer.draw_weights(self._logits)
        self._selected = (self._x @ self._weights.t()).numpy()
        np.dot(self._selected, self._linear.factor, out=z)

    def backward(self, d_z: Array) -> None:
        """Differentiate the linear layer, the mixture and the softmax."""
        np.dot(d_z.T, self._selected, out=self._linear.d_weight)
        d_selected = torch.from_numpy(d_z @ self._linear.weight)
        d_weights = d_selected.t() @ self._x
        along = (d_weights * self._weights).sum(dim=1, keepdim=True)
        torch.mul(d_weights.sub_(along), self._weights, out=self._d_logits)
        self._d_logits.div_(self._layer.temperature)
        if self._predictor is not None:
            finish(self._predictor.backward(self._d_predicted))

    def penalty(self) -> float:
        """Return zero: nothing but the labels judges the selectors."""
        return 0.0
