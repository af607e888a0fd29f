"""Gradient clipping and AdamW over all parameters of a network at once, on a CPU."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from wpfs.chunks import Work, count_chunks, finish
from wpfs.compiled import compiled

Array = npt.NDArray[np.float32]

BETAS = (0.9, 0.98)

#: Parameters in a chunk of work.
_CHUNK = 2**16

#: Parameters start at multiples of this many numbers, a cache line's.
_ALIGNMENT = 16


class FlatParameters:
    """A network's parameters laid end to end in one array, and their gradients in another.

    From then on the network's own parameters are views of the array: what is written there is what
    the network computes with.

    Attributes
    ----------
    values, gradients
        (size,), with zeros where one parameter ends before the next one's cache line.
    """

    def __init__(self, parameters: Iterable[nn.Parameter]) -> None:
        kept = list(parameters)
        ends = np.cumsum([-(-p.numel() // _ALIGNMENT) * _ALIGNMENT for p in kept])
        self.values, self.gradients = np.zeros((2, int(ends[-1])), dtype=np.float32)
        self._views: dict[Tensor, tuple[Array, Array]] = {}
        for parameter, start in zip(kept, (0, *ends[:-1].tolist()), strict=True):
            part = slice(start, start + parameter.numel())
            value, gradient = (
                _view(flat[part], parameter) for flat in (self.values, self.gradients)
            )
            value[...] = parameter.detach().numpy()
            parameter.data = torch.from_numpy(value)
            self._views[parameter] = value, gradient

    def value(self, parameter: Tensor) -> Array:
        """Return the memory of one parameter."""
        return self._views[parameter][0]

    def gradient(self, parameter: Tensor) -> Array:
        """Return the memory of one parameter's gradient."""
        return self._views[parameter][1]


def _view(flat: Array, parameter: nn.Parameter) -> Array:
    """Return memory in the shape of a parameter, its columns side by side if they are there."""
    if parameter.dim() == 2 and not parameter.is_contiguous():
        return flat.reshape(parameter.shape[::-1]).T
    return flat.reshape(parameter.shape)


class AdamW:
    """Loshchilov & Hutter 2019, behind a limit on the gradient's norm.

    Parameters
    ----------
    parameters
        What to change, from which gradients.
    weight_decay, clip
        The latter is the largest norm.
    eps
        Added to the root of the second moment.
    """

    def __init__(
        self, parameters: FlatParameters, weight_decay: float, clip: float, eps: float = 1e-8
    ) -> None:
        self._parameters = parameters
        self._weight_decay, self._clip, self._eps = weight_decay, clip, eps
        self._moments = np.zeros((2, len(parameters.values)), dtype=np.float32)
        self._squares = np.zeros(count_chunks(len(parameters.values), _CHUNK))
        self._steps = 0

    def step(self, learning_rate: float) -> None:
        """Change the parameters by their gradients, which are clipped on the way."""
        self._steps += 1
        values, gradients = self._parameters.values, self._parameters.gradients
        self._finish(partial(sum_squares, gradients, self._squares))
        norm = math.sqrt(self._squares.sum())
        update = partial(
            update_parameters,
            values,
            gradients,
            *self._moments,
            np.float32(self._clip / max(norm + 1e-6, self._clip)),
            np.float32(1.0 - learning_rate * self._weight_decay),
            np.float32(learning_rate / (1.0 - BETAS[0] ** self._steps)),
            np.float32(math.sqrt(1.0 - BETAS[1] ** self._steps)),
            np.float32(self._eps),
        )
        self._finish(update)

    def _finish(self, function: partial[None]) -> None:
        finish(iter([Work(function, len(self._parameters.values), _CHUNK)]))


@compiled
def sum_squares(gradients, squares, start, stop):  # type: ignore[no-untyped-def]
    """Write the sum of squares of each chunk."""
    for low in range(start, stop, _CHUNK):
        part = gradients[low : min(low + _CHUNK, stop)]
        total = 0.0
        for first in range(0, len(part), 1024):
            few = part[first : first + 1024]
            total += np.dot(few, few)
        squares[low // _CHUNK] = total


@compiled
def update_parameters(  # type: ignore[no-untyped-def]
    values, gradients, first, second, factor, decay, step_size, root, eps, start, stop
):
    """Take a step of AdamW with gradients times ``factor``; the moments move along."""
    keep_second = np.float32(BETAS[1])
    gain_first, gain_second = np.float32(1.0 - BETAS[0]), np.float32(1.0 - BETAS[1])
    values, gradients = values[start:stop], gradients[start:stop]
    first, second = first[start:stop], second[start:stop]
    for i in range(len(values)):
        g = gradients[i] * factor
        first[i] += gain_first * (g - first[i])
        second[i] = second[i] * keep_second + gain_second * g * g
        denominator = np.sqrt(second[i]) / root + eps
        values[i] = values[i] * decay - step_size * first[i] / denominator
