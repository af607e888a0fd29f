"""ProtoGate: feature gates for each sample, then its nearest neighbours among gated rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import euclidean_distances

from baselines._shared.method import Method
from baselines._shared.separation import select_best
from baselines._shared.standardised import Samples, StandardisedClassifier
from wpfs.options import keyword_constructor
from wpfs.seeding import seeded_torch

if TYPE_CHECKING:
    from torch import Tensor

#: Standard deviation of the first weights, which are drawn from a truncated normal distribution.
_START = 0.015

_GRADIENT_CLIP = 2.5


@dataclass(frozen=True)
class Gating:
    """The trained gating network: two tanh layers.

    Parameters
    ----------
    weights
        (D, H) and (H, D).
    biases
        (H,) and (D,).
    """

    weights: tuple[NDArray[np.float32], NDArray[np.float32]]
    biases: tuple[NDArray[np.float32], NDArray[np.float32]]

    @classmethod
    def copy(cls, parameters: list[Tensor]) -> Self:
        """Copy weights, biases, weights, biases out of torch."""
        W1, b1, W2, b2 = (parameter.detach().cpu().numpy().copy() for parameter in parameters)
        return cls((W1, W2), (b1, b2))

    def open(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the gates of z-scored rows without noise, (n, D) in [0, 1]."""
        hidden = np.tanh(X @ self.weights[0] + self.biases[0])
        return np.clip(np.tanh(hidden @ self.weights[1] + self.biases[1]), 0, 1)


@keyword_constructor
class ProtoGateClassifier(StandardisedClassifier):
    """Sample-wise feature gates trained through differentiable nearest neighbours.

    A prediction is the vote of the nearest training rows after gating. ``neighbours_`` holds the
    rows that voted in the latest prediction, nearest first, (n, n_neighbors). Beyond the paper,
    rows weigh in the loss and in the vote as much as their class is rare, as with every method
    of this suite. ``feature_importances_`` are the training rows' mean gates;
    ``selected_features_`` are as many of the largest as are open for a typical training row.

    Parameters
    ----------
    n_neighbors
        Training rows that vote.
    hidden_size
        Units of the gating network's hidden layer.
    noise
        Standard deviation of the gates' noise while training.
    temperature
        Of NeuralSort: lower sorts harder.
    global_sparsity
        Strength of the L1 norm of the gating network's first weights.
    local_sparsity
        Strength of the expected number of open gates per sample.
    learning_rate, weight_decay
        Plain stochastic gradient descent.
    batch_size
        Rows per step, each other's neighbours; all rows where there are fewer.
    max_steps
        Steps at most.
    validation_interval
        Steps between two looks at the validation rows.
    patience
        Looks without a lower total loss after which training stops. The authors train for all
        steps.
    random_state
        Seed of weights, batches and noise.
    n_threads
        Threads of the linear algebra.
    device
        Of torch while training, for example ``cpu`` or ``cuda:0``.
    """

    needs_validation = True
    thread_pools = "blas"

    n_neighbors: int = 3
    hidden_size: int = 200
    noise: float = 0.5
    temperature: float = 16.0
    global_sparsity: float = 2e-4
    local_sparsity: float = 1e-3
    learning_rate: float = 0.1
    weight_decay: float = 1e-4
    batch_size: int = 64
    max_steps: int = 8000
    validation_interval: int = 50
    patience: int = 10
    random_state: int | None = None
    n_threads: int = 1
    device: str = "cpu"

    def _learn(self, train: Samples, valid: Samples | None) -> None:
        assert valid is not None
        self.gating_ = self._train(train, valid)
        gates = self.gating_.open(train.X)
        self.prototypes_ = train.X * gates
        self.prototype_codes_ = train.codes
        self.feature_importances_ = gates.mean(axis=0)
        # The union of what rows open says nothing: a few rows may open nearly every gate.
        n_open = int(np.median((gates > 0).sum(axis=1)))
        self.selected_features_ = select_best(self.feature_importances_, n_open)

    def _probabilities(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        distances = euclidean_distances(X * self.gating_.open(X), self.prototypes_)
        self.neighbours_ = np.argsort(distances, axis=1, kind="stable")[:, : self.n_neighbors]
        votes = np.eye(len(self.classes_))[self.prototype_codes_[self.neighbours_]]
        return votes.sum(axis=1) * self.class_weights_

    def _train(self, train: Samples, valid: Samples) -> Gating:
        """Train the gating network; keep its weights at the lowest total validation loss."""
        import torch

        seed = self._draw_seed()
        batches = _draw_batches(len(train.X), self.batch_size, np.random.default_rng(seed))
        with seeded_torch(seed, self.n_threads, self.device):
            parameters = _draw_parameters(train.X.shape[1], self.hidden_size, self.device)
            optimiser = torch.optim.SGD(
                parameters,
                self.learning_rate,
                weight_decay=self.weight_decay,
                fused=True,  # one pass over the weights instead of three
            )
            X, y, weights = (torch.as_tensor(a, device=self.device) for a in _as_arrays(train))
            X_valid, y_valid, weights_valid = (
                torch.as_tensor(a, device=self.device) for a in _as_arrays(valid)
            )
            self.history_: dict[str, list[float]] = {"step": [], "train_loss": [], "valid_loss": []}
            best = Gating.copy(parameters)
            self.best_step_ = 0
            for step in range(1, self.max_steps + 1):
                rows = torch.from_numpy(next(batches)).to(self.device)
                x, y_rows, weights_rows = X[rows], y[rows], weights[rows]
                loss, z = self._differentiate(parameters, x, y_rows, weights_rows)
                is_check = step % self.validation_interval == 0 or step == self.max_steps
                if is_check:
                    loss = loss + self._penalise(parameters[0], z)
                torch.nn.utils.clip_grad_norm_(parameters, _GRADIENT_CLIP)
                optimiser.step()
                self.n_steps_ = step
                if not is_check:
                    continue
                valid_loss = self._validate(parameters, (X, y), (X_valid, y_valid, weights_valid))
                self.history_["step"].append(step)
                self.history_["train_loss"].append(loss.item())
                self.history_["valid_loss"].append(valid_loss.item())
                losses = self.history_["valid_loss"]
                if losses[-1] == min(losses):
                    best, self.best_step_ = Gating.copy(parameters), step
                if len(losses) - 1 - int(np.argmin(losses)) >= self.patience:
                    break
            self.n_parameters_ = sum(p.numel() for p in parameters)
        return best

    def _differentiate(
        self, parameters: list[Tensor], x: Tensor, y: Tensor, weights: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Write the gradients of a batch's total loss into the parameters.

        Autograd sees the batch's n x n products only; what is of the size of the weights or of
        the gates is differentiated here, in place.

        Returns
        -------
        loss, z
            The loss without its penalties, and the gates before noise (n, D).
        """
        import torch

        W1, _, W2, _ = parameters
        d_W1, d_b1, d_W2, d_b2 = (parameter.grad for parameter in parameters)
        hidden, z = _propose_gates(parameters, x)
        noisy = torch.randn_like(z).mul_(self.noise).add_(z)
        gates = noisy.clamp(0, 1)
        gated = x * gates
        products = _multiply(gated, gated.T).requires_grad_()
        squares = products.diagonal()
        loss = self._predict_loss(_square_distances(products, squares, squares), y, y, weights)
        (d_products,) = torch.autograd.grad(loss, products)

        d_z = _multiply(d_products + d_products.T, gated).mul_(x)
        d_z.mul_((noisy == gates).to(d_z.dtype))  # none where a gate is clamped
        square = z**2
        density = torch.exp(square * (-0.5 / self.noise**2))
        scale = self.local_sparsity / (len(x) * self.noise * math.sqrt(2 * math.pi))
        d_z.add_(density, alpha=scale)
        d_z.mul_(1 - square)
        _multiply(hidden.T, d_z, out=d_W2)
        torch.sum(d_z, dim=0, out=d_b2)
        d_hidden = _multiply(d_z, W2.T).mul_(1 - hidden**2)
        _multiply(x.T, d_hidden, out=d_W1).add_(torch.sign(W1), alpha=self.global_sparsity)
        torch.sum(d_hidden, dim=0, out=d_b1)
        return loss.detach(), z

    def _validate(
        self,
        parameters: list[Tensor],
        train: tuple[Tensor, Tensor],
        valid: tuple[Tensor, Tensor, Tensor],
    ) -> Tensor:
        """Return the total loss of validation rows whose neighbours are training rows.

        Parameters
        ----------
        parameters
            Of the gating network.
        train
            Features and classes.
        valid
            Features, classes and weights.
        """
        (X, y), (X_valid, y_valid, weights) = train, valid
        z = _propose_gates(parameters, X_valid)[1]
        gated = X_valid * z.clamp(0, 1)
        prototypes = X * _propose_gates(parameters, X)[1].clamp(0, 1)
        squares, other_squares = ((rows**2).sum(dim=1) for rows in (gated, prototypes))
        distances = _square_distances(_multiply(gated, prototypes.T), squares, other_squares)
        loss = self._predict_loss(distances, y_valid, y, weights)
        return loss + self._penalise(parameters[0], z)

    def _predict_loss(
        self, distances: Tensor, y: Tensor, y_prototypes: Tensor, weights: Tensor
    ) -> Tensor:
        """Return the weighted mean of how many of the nearest prototypes are of another class.

        Parameters
        ----------
        distances
            (n, m), squared, between rows and prototypes.
        y, y_prototypes
            (n,) and (m,) classes.
        weights
            (n,) weights of the rows.
        """
        nearness = sort_softly(-distances, self.n_neighbors, self.temperature)
        same = (y[:, None] == y_prototypes[None, :]).to(nearness.dtype)
        right = (nearness.sum(dim=1) * same).sum(dim=1)
        return self.n_neighbors - (right * weights).sum() / weights.sum()

    def _penalise(self, first_weights: Tensor, z: Tensor) -> Tensor:
        """Return both sparsity terms: of the first weights, and of the gates z (n, D)."""
        import torch

        is_open = torch.special.ndtr(z / self.noise).sum(dim=1).mean()
        return self.global_sparsity * first_weights.abs().sum() + self.local_sparsity * is_open


def sort_softly(scores: Tensor, n_first: int, temperature: float) -> Tensor:
    """Return the first rows of NeuralSort's relaxed permutation matrix (Grover et al. 2019, eq. 5).

    Parameters
    ----------
    scores
        (n, m), sorted from high to low in each row.
    n_first
        Places wanted; the other rows of the matrix are never computed.
    temperature
        Near zero the result is the permutation matrix itself.

    Returns
    -------
    Tensor
        (n, n_first, m): how much each score takes each of the first places.
    """
    import torch

    m = scores.shape[1]
    spread = (scores[:, :, None] - scores[:, None, :]).abs().sum(dim=2)
    places = torch.arange(1, min(n_first, m) + 1, device=scores.device, dtype=scores.dtype)
    slopes = (m + 1 - 2 * places)[None, :, None]
    return torch.softmax((slopes * scores[:, None, :] - spread[:, None, :]) / temperature, dim=2)


def _square_distances(products: Tensor, squares: Tensor, other_squares: Tensor) -> Tensor:
    """Return squared Euclidean distances (n, m) from the rows' inner products and squares."""
    return (squares[:, None] + other_squares[None, :] - 2 * products).clamp(min=0)


def _draw_parameters(n_features: int, hidden_size: int, device: str) -> list[Tensor]:
    """Return weights (D, H), biases (H,), weights (H, D) and biases (D,), with their gradients."""
    import torch

    parameters = []
    for shape in ((n_features, hidden_size), (hidden_size, n_features)):
        weights = torch.nn.init.trunc_normal_(
            torch.empty(shape), std=_START, a=-2 * _START, b=2 * _START
        )
        parameters += [weights, torch.zeros(shape[1])]
    parameters = [parameter.to(device) for parameter in parameters]
    for parameter in parameters:
        parameter.grad = torch.empty_like(parameter)
    return parameters


def _propose_gates(parameters: list[Tensor], X: Tensor) -> tuple[Tensor, Tensor]:
    """Return the hidden units (n, H) and the gates of rows before noise and clamping (n, D)."""
    W1, b1, W2, b2 = parameters
    hidden = _multiply(X, W1).add_(b1).tanh_()
    return hidden, _multiply(hidden, W2).add_(b2).tanh_()


def _multiply(a: Tensor, b: Tensor, out: Tensor | None = None) -> Tensor:
    """Return the product of two matrices without gradient.

    On a CPU it is numpy's: on processors of AMD PyTorch's take up to twice as long.
    """
    import torch

    if a.device.type != "cpu":
        return torch.mm(a, b, out=out)
    found = np.dot(a.numpy(), b.numpy(), out=None if out is None else out.numpy())
    return torch.from_numpy(found) if out is None else out


def _as_arrays(samples: Samples) -> tuple[NDArray, NDArray, NDArray]:
    return samples.X.astype(np.float32), samples.codes, samples.weights.astype(np.float32)


def _draw_batches(n: int, size: int, rng: np.random.Generator) -> Iterator[NDArray]:
    """Yield row indices without end, an incomplete last batch of an epoch left out."""
    size = min(size, n)
    while True:
        order = rng.permutation(n)
        for start in range(0, n - size + 1, size):
            yield order[start : start + size]


METHODS = (
    Method(
        name="protogate",
        estimator=ProtoGateClassifier,
        title="ProtoGate",
        kind="network",
        year=2024,
        reference=(
            "Jiang et al., ProtoGate: prototype-based neural networks with global-to-local "
            "feature selection for tabular biomedical data, ICML, 2024"
        ),
        tags=frozenset(
            {
                "weighs-classes",
                "ranks-features",
                "early-stopping",
                "gpu",
                "selects-features",
                "gates-features",
            }
        ),
        grid={"global_sparsity": (1e-4, 2e-4, 3e-4, 4e-4, 6e-4), "n_neighbors": (1, 3, 5)},
        requires=("torch",),
    ),
)
