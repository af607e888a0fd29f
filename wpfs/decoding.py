"""Forward and backward pass of the decoder on a CPU."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from wpfs import kernels
from wpfs.chunks import finish
from wpfs.networks import Decoder
from wpfs.optimiser import FlatParameters
from wpfs.passes import Level, TowerPasses

Array = npt.NDArray[np.float32]


class DecoderPasses:
    """A decoder that reads a level of the classification network.

    Parameters
    ----------
    decoder
        What to compute.
    parameters
        Those of the network.
    level
        What is behind it is decoded; its gradient gets a part from here.
    weight
        Of the mean squared reconstruction error in the loss.
    """

    def __init__(
        self, decoder: Decoder, parameters: FlatParameters, level: Level, weight: float
    ) -> None:
        self._predictor = TowerPasses(decoder.weight_predictor, parameters, decoder.embeddings)
        self._d_predicted = np.empty_like(self._predictor.output)
        self.levels = self._predictor.levels
        self._bias, self._d_bias = parameters.value(decoder.bias), parameters.gradient(decoder.bias)
        self._level, self._weight = level, weight
        self._hidden = np.empty_like(level.activation)
        self._gradient = level.side_gradient = np.empty_like(level.activation)

    def forward(self, x: Array) -> float:
        """Return what reconstructing x (n, D) adds to the loss."""
        finish(self._predictor.forward())
        kernels.write_hidden(*self._level.output, self._hidden, 0, self._level.rows)
        self._error = self._hidden @ self._predictor.output.T + self._bias - x
        return self._weight * float(np.mean(np.square(self._error)))

    def backward(self) -> None:
        """Write the parameters' gradients, and the one by what was decoded."""
        error: Array = self._error * np.float32(2.0 * self._weight / self._error.size)
        np.sum(error, axis=0, out=self._d_bias)
        np.dot(error, self._predictor.output, out=self._gradient)
        np.dot(error.T, self._hidden, out=self._d_predicted)
        finish(self._predictor.backward(self._d_predicted))
