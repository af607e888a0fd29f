"""Forward and backward pass of a stack of blocks and its output, over compiled kernels.

Every pass is a sequence of stages: the work on all rows between two BatchNorms, whose statistics
need all of them. Memory lives as long as the training; nothing is allocated in a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from torch import Tensor, nn

from wpfs import kernels
from wpfs.blocks import SLOPE, RectifiedNorm
from wpfs.chunks import Stages, Work, count_chunks
from wpfs.masks import drop_threshold
from wpfs.optimiser import FlatParameters
from wpfs.tower import Tower

Array = npt.NDArray[np.float32]

_SLOPE = np.float32(SLOPE)


class Linear:
    """A linear layer's parameters and their gradients, as the kernels take them.

    Attributes
    ----------
    weight, d_weight
        (outputs, inputs); ``factor`` is the weight as it multiplies from the right.
    bias, d_bias
        (outputs,).
    """

    def __init__(self, layer: nn.Linear, parameters: FlatParameters) -> None:
        self.weight, self.bias = parameters.value(layer.weight), parameters.value(layer.bias)
        self.d_weight = parameters.gradient(layer.weight)
        self.d_bias = parameters.gradient(layer.bias)
        self.factor = self.weight.T

    def into(self, level: Level) -> tuple[Any, ...]:
        """Return what a kernel needs to go forward through this layer to a level above."""
        return self.factor, self.bias, _SLOPE, level.activation, level.sums, level.products


class Level:
    """The activations in front of one BatchNorm, and what it makes of them.

    Attributes
    ----------
    activation
        (rows, units), in front of the BatchNorm.
    gradient
        (rows, units), of the loss by what is behind it.
    sums, products
        (chunks, units), what the kernels gather.
    scale, shift
        (units,): ``activation * scale + shift`` is what the BatchNorm makes of it.
    drop
        The dropout mask, as ``kernels.forward_hidden`` takes it.
    side_gradient
        (rows, units), of the loss by what is behind the dropout, on other ways than the layer
        above; or None.
    """

    def __init__(
        self, norm: RectifiedNorm, parameters: FlatParameters, rows: int, gradient: Array
    ) -> None:
        units = norm.num_features
        self.activation = np.empty((rows, units), dtype=np.float32)
        self.gradient = gradient
        self.sums, self.products = np.empty((2, count_chunks(rows), units), dtype=np.float32)
        self._mean, self._inverse_std, self.scale, self.shift, self._offset, self._pull = np.empty(
            (6, units), dtype=np.float32
        )
        assert norm.running_mean is not None
        assert norm.running_var is not None
        self._running = norm.running_mean.numpy(), norm.running_var.numpy()
        self._settings = np.float32(norm.momentum), np.float32(norm.eps)
        self._parameters = [parameters.value(p) for p in (norm.weight, norm.bias)]
        self._gradients = [parameters.gradient(p) for p in (norm.weight, norm.bias)]
        self._norm = norm
        self.side_gradient: Array | None = None
        self.drop: tuple[np.uint32, np.uint32, np.uint32, np.float32]

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self.activation)

    def draw_mask(self) -> None:
        """Take the next dropout mask of the stream."""
        rate = self._norm.dropout
        if rate > 0.0:
            key, factor = self._norm.masks.next_key()
            threshold = drop_threshold(rate)
        else:
            key = factor = threshold = np.uint32(0)  # no hash is below zero: everything is kept
        self.drop = key, factor, threshold, np.float32(1.0 / (1.0 - rate))

    @property
    def output(self) -> tuple[Any, ...]:
        """What the layer above needs to go forward."""
        return self.activation, self.scale, self.shift, self.drop

    @property
    def input(self) -> tuple[Any, ...]:
        """What the layer above needs to go backward."""
        return self.activation, self.scale, self.shift, self._mean, self.drop

    def settle(self) -> None:
        """Turn the gathered statistics into the BatchNorm's."""
        kernels.settle_norm(
            self.sums,
            self.products,
            self.rows,
            *self._parameters,
            *self._settings,
            *self._running,
            self._mean,
            self._inverse_std,
            self.scale,
            self.shift,
        )

    def settle_gradient(self) -> tuple[Array, ...]:
        """Write BatchNorm's own gradients; return the ``upper`` of ``kernels.backward_hidden``."""
        if self.side_gradient is not None:
            kernels.add_gradient(
                self.side_gradient,
                self.activation,
                self._mean,
                self.drop,
                self.gradient,
                self.sums,
                self.products,
                0,
                self.rows,
            )
        kernels.settle_norm_gradient(
            self.sums,
            self.products,
            self.rows,
            self.scale,
            self._inverse_std,
            *self._gradients,
            self._offset,
            self._pull,
        )
        return self._mean, self.scale, self._offset, self._pull


class Stack:
    """Levels, the linear layers between them, and the linear output.

    Parameters
    ----------
    norms
        One for each level.
    linears
        ``linears[i]`` reads level i; the last one is the output.
    parameters
        Those of the network.
    rows
        Of every pass.
    bounded
        Pass the output through tanh.
    """

    def __init__(
        self,
        norms: Sequence[RectifiedNorm],
        linears: Sequence[nn.Linear],
        parameters: FlatParameters,
        rows: int,
        bounded: bool = False,
    ) -> None:
        # Levels of one width share the memory of their gradients: each is done with it when the
        # one below begins.
        widths = {norm.num_features for norm in norms}
        gradients = {width: np.empty((rows, width), dtype=np.float32) for width in widths}
        self.levels = [
            Level(norm, parameters, rows, gradients[norm.num_features]) for norm in norms
        ]
        self.linears = [Linear(linear, parameters) for linear in linears]
        self.rows, self.bounded = rows, bounded
        self.output = np.empty((rows, linears[-1].out_features), dtype=np.float32)
        self._output_sums = np.empty(
            (count_chunks(rows), linears[-1].out_features), dtype=np.float32
        )
        self._d_weights = {
            linear.weight.shape: np.empty((count_chunks(rows), *linear.weight.shape), np.float32)
            for linear in self.linears
        }

    def by_chunk(self, linear: Linear) -> Array:
        """Return memory for a layer's weight gradient, by chunk."""
        return self._d_weights[linear.weight.shape]

    def forward(self) -> Stages:
        """Go from the first level's activations, in front of its BatchNorm, to the output."""
        *between, output = self.linears
        for below, linear, level in zip(self.levels, between, self.levels[1:], strict=False):
            below.settle()
            work = partial(kernels.forward_hidden, *below.output, *linear.into(level))
            yield Work(work, self.rows)
        last = self.levels[-1]
        last.settle()
        work = partial(
            kernels.forward_output,
            *last.output,
            output.factor,
            output.bias,
            self.bounded,
            self.output,
        )
        yield Work(work, self.rows)

    def backward(self, gradient: Array) -> Stages:
        """Go from the output's gradient (rows, outputs) to that behind the first BatchNorm."""
        *between, output = self.linears
        last = self.levels[-1]
        work = partial(
            kernels.backward_output,
            gradient,
            self.output,
            self.bounded,
            *last.input,
            output.weight,
            self.by_chunk(output),
            self._output_sums,
            last.gradient,
            last.sums,
            last.products,
        )
        yield Work(work, self.rows)
        kernels.join_sums(self._output_sums, output.d_bias)
        kernels.join_products(self.by_chunk(output), output.d_weight)
        for depth in reversed(range(len(between))):
            linear, below, level = between[depth], self.levels[depth], self.levels[depth + 1]
            upper = level.settle_gradient()
            # The norm's sums are read: their memory takes those of the bias.
            work = partial(
                kernels.backward_hidden,
                level.gradient,
                level.activation,
                upper,
                _SLOPE,
                *below.input,
                linear.weight,
                self.by_chunk(linear),
                level.sums,
                below.gradient,
                below.sums,
                below.products,
            )
            yield Work(work, self.rows)
            kernels.join_sums(level.sums, linear.d_bias)
            kernels.join_products(self.by_chunk(linear), linear.d_weight)


class TowerPasses:
    """A tower that reads the same rows at every step.

    Parameters
    ----------
    tower
        With one block at least.
    parameters
        Those of the network that the tower is a part of.
    x
        (rows, inputs).
    """

    def __init__(self, tower: Tower, parameters: FlatParameters, x: Tensor) -> None:
        first, *others = tower.hidden_blocks
        self._stack = Stack(
            [block.norm for block in tower.hidden_blocks],
            [*(block.linear for block in others), tower.output],
            parameters,
            len(x),
            tower.bounded,
        )
        self._first = Linear(first.linear, parameters)
        self._x = np.ascontiguousarray(x.numpy())
        self._d_weights = np.empty(
            (count_chunks(len(x)), *self._first.weight.shape), dtype=np.float32
        )

    @property
    def levels(self) -> list[Level]:
        """First to last."""
        return self._stack.levels

    @property
    def output(self) -> Array:
        """(rows, outputs), as the last forward pass left it."""
        return self._stack.output

    def forward(self) -> Stages:
        """Go from the rows to the output."""
        work = partial(kernels.forward_first, self._x, *self._first.into(self.levels[0]))
        yield Work(work, len(self._x))
        yield from self._stack.forward()

    def backward(self, gradient: Array) -> Stages:
        """Go from the output's gradient (rows, outputs) to those of all parameters."""
        yield from self._stack.backward(gradient)
        level = self.levels[0]
        work = partial(
            kernels.backward_first,
            level.gradient,
            level.activation,
            level.settle_gradient(),
            _SLOPE,
            self._x,
            self._d_weights,
            level.sums,
        )
        yield Work(work, len(self._x))
        kernels.join_sums(level.sums, self._first.d_bias)
        kernels.join_products(self._d_weights, self._first.d_weight)
