"""What a training step does: Algorithm 1 of the paper, line by line, on a CPU or in PyTorch."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn

from wpfs import kernels
from wpfs.blocks import SLOPE
from wpfs.chunks import finish
from wpfs.decoding import DecoderPasses
from wpfs.fronts import ConcreteFront, Front, LinearFront
from wpfs.layers import ConcreteFirstLayer, LinearFirstLayer
from wpfs.networks import ClassificationNetwork
from wpfs.optimiser import BETAS, AdamW, FlatParameters
from wpfs.options import TrainingOptions
from wpfs.passes import Stack

_SLOPE = np.float32(SLOPE)
_EPS = 1e-8


class Step(Protocol):
    """One step of training: forward, loss, backward, clip, AdamW.

    Attributes
    ----------
    learning_rate
        Of the next steps.
    """

    learning_rate: float

    def take(self, x: Tensor, y: Tensor) -> Tensor:
        """Learn from a batch x (n, D), y (n,); return its cross-entropy and its whole loss."""


def build_step(
    network: ClassificationNetwork,
    class_weights: Tensor,
    options: TrainingOptions,
    rows: int,
    eps: float = _EPS,
) -> Step:
    """Return the fastest way to take a network's training steps.

    Parameters
    ----------
    network
        To be trained in place.
    class_weights
        (C,), of the cross-entropy.
    options
        Learning rate at the start, weight decay, limit of the gradient's norm.
    rows
        Of every batch.
    eps
        AdamW's.
    """
    step = CompiledStep if can_compile(network, rows) else PlainStep
    return step(network, class_weights, options, rows, eps)


def can_compile(network: ClassificationNetwork, rows: int) -> bool:
    """Return whether ``CompiledStep`` knows all parts of a network, for batches of some rows."""
    first = network.first_layer
    towers = [first.weight_predictor, getattr(first, "sparsity_network", None)]
    if network.decoder is not None:
        towers.append(network.decoder.weight_predictor)
    return (
        # Not their subclasses, which do something else.
        type(first) in (LinearFirstLayer, ConcreteFirstLayer)
        # One row, of a batch or of the embeddings, has no variance for BatchNorm to learn.
        and min(rows, first.n_features) > 1
        and all(tower is None or tower.hidden_blocks for tower in towers)
        and (type(first) is LinearFirstLayer or len(network.blocks) > 0)
        and all(tensor.device.type == "cpu" for tensor in network.parameters())
        and all(tensor.dtype == torch.float32 for tensor in network.parameters())
    )


class PlainStep:
    """A step by autograd and PyTorch's optimiser, for GPUs and any network.

    Parameters
    ----------
    network, class_weights, options, rows, eps
        As for ``build_step``.
    """

    def __init__(
        self,
        network: ClassificationNetwork,
        class_weights: Tensor,
        options: TrainingOptions,
        rows: int,
        eps: float = _EPS,
    ) -> None:
        self._network, self._class_weights = network, class_weights
        self._clip = options.gradient_clip
        self._parameters = list(network.parameters())
        self._optimiser = torch.optim.AdamW(
            self._parameters,
            lr=options.learning_rate,
            betas=BETAS,
            eps=eps,
            weight_decay=options.weight_decay,
            fused=class_weights.device.type in ("cpu", "cuda"),
        )

    @property
    def learning_rate(self) -> float:
        """Of the next steps."""
        return self._optimiser.param_groups[0]["lr"]

    @learning_rate.setter
    def learning_rate(self, value: float) -> None:
        self._optimiser.param_groups[0]["lr"] = value

    def take(self, x: Tensor, y: Tensor) -> Tensor:
        """Learn from a batch; nothing waits for the device."""
        logits = self._network(x)
        cross_entropy = nn.functional.cross_entropy(logits, y, self._class_weights)
        penalty = self._network.penalty()
        loss = cross_entropy if penalty is None else cross_entropy + penalty
        self._optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self._parameters, self._clip)
        self._optimiser.step()
        return torch.stack((cross_entropy.detach(), loss.detach()))


class CompiledStep:
    """A step by compiled passes, on a CPU: same mathematics, no graph, no memory but its own.

    Parameters
    ----------
    network, class_weights, options, rows, eps
        As for ``build_step``; the network is one that ``can_compile`` accepts.
    """

    def __init__(
        self,
        network: ClassificationNetwork,
        class_weights: Tensor,
        options: TrainingOptions,
        rows: int,
        eps: float = _EPS,
    ) -> None:
        self.learning_rate = options.learning_rate
        self._class_weights = class_weights.numpy()
        parameters = FlatParameters(network.parameters())
        norms = [block.norm for block in network.hidden_blocks]
        linears = [*(block.linear for block in network.hidden_blocks), network.head]
        first = network.first_layer
        if isinstance(first, ConcreteFirstLayer):
            self._front: Front = ConcreteFront(first, linears.pop(0), parameters)
        else:
            self._front = LinearFront(first, parameters, rows, network.sparsity)
            norms.insert(0, first.norm)
        self._classifier = Stack(norms, linears, parameters, rows)
        self._d_logits = np.empty_like(self._classifier.output)
        self._levels = [*self._front.levels, *self._classifier.levels]
        self._decoder = None
        if network.decoder is not None:
            second = len(norms) - len(network.blocks)  # the level behind the second hidden layer
            level = self._classifier.levels[second]
            self._decoder = DecoderPasses(
                network.decoder, parameters, level, network.reconstruction
            )
            place = self._levels.index(level) + 1
            self._levels[place:place] = self._decoder.levels
        self._optimiser = AdamW(parameters, options.weight_decay, options.gradient_clip, eps)

    def take(self, x: Tensor, y: Tensor) -> Tensor:
        """Learn from a batch."""
        batch, codes = x.numpy(), y.numpy()
        for level in self._levels:
            level.draw_mask()
        first = self._classifier.levels[0]
        d_logits = self._d_logits

        # Predict W and s from the embeddings, and f(x) from the samples.
        self._front.forward(batch, first.activation)
        kernels.rectify(
            first.activation, self._front.bias, _SLOPE, first.sums, first.products, 0, first.rows
        )
        finish(self._classifier.forward())

        # The loss.
        logits = self._classifier.output
        cross_entropy = kernels.cross_entropy(logits, codes, self._class_weights, d_logits)
        loss = cross_entropy + self._front.penalty()
        if self._decoder is not None:
            loss += self._decoder.forward(batch)

        # Its gradient.
        if self._decoder is not None:
            self._decoder.backward()
        finish(self._classifier.backward(d_logits))
        upper = first.settle_gradient()
        kernels.backward_rectified(
            first.gradient, first.activation, upper, _SLOPE, first.sums, 0, first.rows
        )
        kernels.join_sums(first.sums, self._front.d_bias)
        self._front.backward(first.gradient)

        # The update of all three networks.
        self._optimiser.step(self.learning_rate)
        return torch.tensor((cross_entropy, loss))
