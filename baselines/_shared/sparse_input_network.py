"""A tanh network with sparse inputs, fitted by full-batch proximal gradient in plain NumPy."""

import itertools
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wpfs.loss import softmax

Matrix = NDArray[np.float32]

#: Below this step size the objective no longer changes in single precision.
_SMALLEST_STEP = 1e-8

#: Share of active features up to which the first product skips the others.
_SPARSE_SHARE = 0.5


@dataclass
class Layers:
    """Weights and biases, input to output.

    Parameters
    ----------
    weights
        (fan-in, fan-out) matrices; a row of the first belongs to one input feature.
    biases
        (fan-out,) vectors.
    """

    weights: list[Matrix]
    biases: list[Matrix]

    @classmethod
    def draw(cls, sizes: tuple[int, ...], rng: np.random.Generator) -> "Layers":
        """Draw Glorot-uniform weights; biases start at zero."""
        weights, biases = [], []
        for fan_in, fan_out in itertools.pairwise(sizes):
            bound = np.sqrt(6 / (fan_in + fan_out))
            weights.append(rng.uniform(-bound, bound, (fan_in, fan_out)).astype(np.float32))
            biases.append(np.zeros(fan_out, dtype=np.float32))
        return cls(weights, biases)

    @property
    def size(self) -> int:
        """Number of weights and biases."""
        return sum(array.size for array in (*self.weights, *self.biases))

    def copy(self) -> "Layers":
        """Return a copy that shares no array."""
        return Layers([w.copy() for w in self.weights], [b.copy() for b in self.biases])

    def thin(self, dropout: float, rng: np.random.Generator) -> "Layers":
        """Return layers in which each hidden unit is left out with probability ``dropout``.

        Leaving a unit out for all rows is the same as zeroing the weights that lead out of it.
        """
        weights = self.weights[:1]
        for weight in self.weights[1:]:
            kept = (rng.random(len(weight)) >= dropout) / (1 - dropout)
            weights.append(weight * kept[:, None].astype(np.float32))
        return Layers(weights, self.biases)

    def forward(self, X_transposed: Matrix) -> list[Matrix]:
        """Return the activations of every hidden layer and the logits.

        Parameters
        ----------
        X_transposed
            (D, n): features lie together, so that unused ones are skipped cheaply.
        """
        first = self.weights[0]
        active = np.flatnonzero(first.any(axis=1))
        if len(active) <= _SPARSE_SHARE * len(first):
            current = X_transposed[active].T @ first[active] + self.biases[0]
        else:
            current = X_transposed.T @ first + self.biases[0]
        activations = []
        for weight, bias in zip(self.weights[1:], self.biases[1:], strict=True):
            activations.append(np.tanh(current))
            current = activations[-1] @ weight + bias
        return [*activations, current]

    def backward(
        self, X_transposed: Matrix, activations: list[Matrix], logit_gradient: Matrix
    ) -> "Layers":
        """Return the loss's gradient with respect to every weight and bias."""
        delta = logit_gradient
        weights: list[Matrix] = []
        biases: list[Matrix] = []
        for layer in range(len(self.weights) - 1, 0, -1):
            below = activations[layer - 1]
            weights.insert(0, below.T @ delta)
            biases.insert(0, delta.sum(axis=0))
            delta = (delta @ self.weights[layer].T) * (1 - below**2)
        return Layers([X_transposed @ delta, *weights], [delta.sum(axis=0), *biases])

    def back_to_first(self, activations: list[Matrix], logit_gradient: Matrix) -> Matrix:
        """Return the loss's gradient with respect to the first layer's outputs, (n, units)."""
        delta = logit_gradient
        for layer in range(len(self.weights) - 1, 0, -1):
            delta = (delta @ self.weights[layer].T) * (1 - activations[layer - 1] ** 2)
        return delta


def shrink_sparse_group(weights: Matrix, lasso: float, group: float) -> Matrix:
    """Apply the sparse group lasso's proximal operator to the rows of a matrix.

    Soft-threshold every entry by ``lasso``, then scale every row's norm down by ``group``
    (Feng & Simon 2017, section 4); what falls below either becomes exactly zero.
    """
    shrunken = weights - np.clip(weights, -lasso, lasso) if lasso else weights
    norms = np.sqrt(np.einsum("ij,ij->i", shrunken, shrunken))
    factors = np.maximum(norms - group, 0) / np.where(norms > 0, norms, 1)
    return shrunken * factors[:, None].astype(weights.dtype)


@dataclass(frozen=True)
class SparseInputObjective:
    """Weighted cross-entropy, ridge on the later layers, sparse group lasso on the first.

    Parameters
    ----------
    X_transposed
        (D, n) z-scored features.
    codes
        (n,) classes.
    weights
        (n,) weight of each row.
    lasso, group
        Strength of ||W1||_1 and of the sum over features of ||W1_j||_2.
    ridge
        Strength of half the squared norm of the later layers' weights.
    """

    X_transposed: Matrix
    codes: NDArray[np.int64]
    weights: NDArray[np.float64]
    lasso: float
    group: float
    ridge: float

    def loss(self, logits: Matrix) -> float:
        """Return the weighted cross-entropy."""
        shifted = logits - logits.max(axis=1, keepdims=True)
        rows = np.arange(len(self.codes))
        negative_log = np.log(np.exp(shifted).sum(axis=1)) - shifted[rows, self.codes]
        return float(np.average(negative_log, weights=self.weights))

    def penalty(self, layers: Layers) -> float:
        """Return the ridge and the sparse group lasso together."""
        first = layers.weights[0]
        ridge = sum(float(np.square(weight).sum()) for weight in layers.weights[1:])
        lasso = float(np.abs(first).sum()) if self.lasso else 0.0
        group = float(np.sqrt(np.einsum("ij,ij->i", first, first)).sum())
        return 0.5 * self.ridge * ridge + self.lasso * lasso + self.group * group

    def logit_gradient(self, logits: Matrix) -> Matrix:
        """Return the cross-entropy's gradient with respect to the logits, (n, C)."""
        error = softmax(logits)
        error[np.arange(len(self.codes)), self.codes] -= 1
        return (error * (self.weights / self.weights.sum())[:, None]).astype(np.float32)

    def smooth_gradient(self, layers: Layers, activations: list[Matrix]) -> Layers:
        """Return the gradient of cross-entropy and ridge."""
        gradient = layers.backward(
            self.X_transposed, activations, self.logit_gradient(activations[-1])
        )
        for layer in range(1, len(layers.weights)):
            gradient.weights[layer] += self.ridge * layers.weights[layer]
        return gradient

    def step(self, layers: Layers, gradient: Layers, size: float) -> Layers:
        """Return the proximal gradient step from ``layers``."""
        size32 = np.float32(size)
        weights = [w - size32 * g for w, g in zip(layers.weights, gradient.weights, strict=True)]
        biases = [b - size32 * g for b, g in zip(layers.biases, gradient.biases, strict=True)]
        weights[0] = shrink_sparse_group(weights[0], size * self.lasso, size * self.group)
        return Layers(weights, biases)


@dataclass
class Descent:
    """How a minimisation went: objective and loss after each accepted step."""

    layers: Layers
    n_iterations: int
    steps: list[int] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    objectives: list[float] = field(default_factory=list)


def minimise(
    objective: SparseInputObjective,
    layers: Layers,
    *,
    max_iter: int,
    step_size: float,
    step_shrink: float,
) -> Descent:
    """Run proximal gradient descent; a step that raises the objective is taken back.

    Parameters
    ----------
    objective
        To be minimised.
    layers
        Start.
    max_iter
        Steps at most, those taken back included.
    step_size
        First step size.
    step_shrink
        What the step size is multiplied with after a step was taken back.
    """
    activations = layers.forward(objective.X_transposed)
    value = objective.loss(activations[-1]) + objective.penalty(layers)
    gradient = objective.smooth_gradient(layers, activations)
    descent = Descent(layers, 0)
    while descent.n_iterations < max_iter and step_size > _SMALLEST_STEP:
        descent.n_iterations += 1
        trial = objective.step(layers, gradient, step_size)
        activations = trial.forward(objective.X_transposed)
        loss = objective.loss(activations[-1])
        trial_value = loss + objective.penalty(trial)
        if not trial_value <= value:  # also when it is not a number
            step_size *= step_shrink
            continue
        layers, value = trial, trial_value
        descent.steps.append(descent.n_iterations)
        descent.losses.append(loss)
        descent.objectives.append(value)
        if not layers.weights[0].any():
            break
        gradient = objective.smooth_gradient(layers, activations)
    descent.layers = layers
    return descent
