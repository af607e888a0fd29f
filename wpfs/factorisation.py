"""Non-negative matrix factorisation by multiplicative updates (Lee & Seung 2001)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_TINY = np.finfo(np.float32).eps
_CHECK_EVERY = 10


@dataclass(frozen=True)
class Factorisation:
    """``X ~ W H`` with all factors non-negative."""

    W: npt.NDArray[np.float32]
    H: npt.NDArray[np.float32]
    error: float
    n_iterations: int


def factorise(
    X: npt.NDArray[np.floating],
    W: npt.NDArray[np.floating],
    H: npt.NDArray[np.floating],
    max_iterations: int = 1000,
    tolerance: float = 1e-4,
) -> Factorisation:
    """Minimise the Frobenius norm of ``X - W H`` from a given start.

    Stops when ten updates lower the error by less than ``tolerance`` of the first error, the rule
    of scikit-learn and of the package the paper used.

    Parameters
    ----------
    X
        (n, D), non-negative.
    W, H
        (n, rank) and (rank, D), non-negative starting points; not changed.
    max_iterations, tolerance
        When to stop.
    """
    if X.min() < 0:
        raise ValueError(
            "NMF needs non-negative values, but the smallest is "
            f"{X.min():.4g}: use min-max preprocessing"
        )
    X = np.ascontiguousarray(X, dtype=np.float32)
    W = np.array(W, dtype=np.float32)
    H = np.array(H, dtype=np.float32)
    squared_norm = float(np.vdot(X, X))
    first_error = previous = _error(X, W, H, squared_norm)
    iteration = 0
    for iteration in range(1, max_iterations + 1):
        W *= (X @ H.T) / np.maximum(W @ (H @ H.T), _TINY)
        H *= (W.T @ X) / np.maximum((W.T @ W) @ H, _TINY)
        if iteration % _CHECK_EVERY == 0:
            error = _error(X, W, H, squared_norm)
            if (previous - error) <= tolerance * first_error:
                break
            previous = error
    return Factorisation(W, H, _error(X, W, H, squared_norm), iteration)


def random_start(
    shape: tuple[int, int], rank: int, seed: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Return W (n, rank) and H (rank, D) of absolute normal values.

    They are not scaled to the data: the first update of W does that, and H keeps the unit scale
    that the auxiliary networks get to see.
    """
    generator = np.random.default_rng(seed)
    n_samples, n_features = shape
    W = np.abs(generator.standard_normal((n_samples, rank), dtype=np.float32))
    H = np.abs(generator.standard_normal((rank, n_features), dtype=np.float32))
    return W, H


def _error(
    X: npt.NDArray[np.float32],
    W: npt.NDArray[np.float32],
    H: npt.NDArray[np.float32],
    squared_norm: float,
) -> float:
    """Return the Frobenius norm of the residual without forming it."""
    cross = float(np.vdot(W.T @ X, H))
    product = float(np.vdot(W.T @ W, H @ H.T))
    return float(np.sqrt(max(squared_norm - 2.0 * cross + product, 0.0)))
