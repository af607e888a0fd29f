"""LassoNet's proximal operator, compiled: many times faster than the package's on a CPU."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Matrix = NDArray[np.float32]

#: Features worked on together: their first-layer weights stay in the cache.
_BLOCK = 64


def shrink_hierarchically(skip: Matrix, first: Matrix, penalty: float, hierarchy: float) -> None:
    """Shrink a feature's linear weights and bound its network weights by them, in place.

    The minimiser of Lemhadri et al. 2021, equation 6, for all features at once. Their
    algorithm 4 (Hier-Prox) sorts each feature's network weights to find the bound. It is also
    the root of a concave, rising, piecewise linear function, which Newton's method finds in a
    few passes, without sorting.

    Parameters
    ----------
    skip
        (C, D) weights of the linear skip connection.
    first
        (K, D) weights of the network's first layer.
    penalty
        Penalty times step size.
    hierarchy
        The factor M in |first_jk| <= M * ||skip_j||. A feature whose linear weights are zero
        stays out.
    """
    norms = np.sqrt(np.einsum("cd,cd->d", skip, skip))
    _shrink(skip, first, norms, np.float32(penalty), np.float32(hierarchy))


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def _shrink(skip, first, norms, penalty, hierarchy):  # type: ignore[no-untyped-def]
    zero, one = np.float32(0.0), np.float32(1.0)
    n_units, n_features = first.shape
    bound = np.empty(_BLOCK, dtype=np.float32)
    total = np.empty(_BLOCK, dtype=np.float32)
    count = np.empty(_BLOCK, dtype=np.float32)
    before = np.empty(_BLOCK, dtype=np.float32)
    for start in range(0, n_features, _BLOCK):
        width = min(_BLOCK, n_features - start)
        if not norms[start : start + width].any():
            first[:, start : start + width] = zero
            continue
        for j in range(width):
            # The answer where no weight is above it, as in most steps of training.
            bound[j] = hierarchy * max(norms[start + j] - penalty, zero)
            before[j] = zero
        climbing = False
        moving = True
        while moving:
            for j in range(width):
                total[j] = zero
                count[j] = zero
            for k in range(n_units):
                row = first[k, start : start + width]
                for j in range(width):
                    size = abs(row[j])
                    above = size > bound[j]
                    total[j] += size if above else zero
                    count[j] += one if above else zero
            moving = False
            for j in range(width):
                # One step leads below the root; from there the weights above the bound become
                # fewer and fewer. Rounding may not turn this around, or it would never end.
                if count[j] < before[j] if climbing else count[j] > zero:
                    slack = norms[start + j] - penalty + hierarchy * total[j]
                    bound[j] = (
                        hierarchy * max(slack, zero) / (one + count[j] * hierarchy * hierarchy)
                    )
                    moving = True
                settled = climbing or count[j] == zero
                before[j] = count[j] if settled else np.float32(n_units + 1)
            climbing = True
        for j in range(width):
            norm = norms[start + j]
            if norm == zero:
                bound[j] = zero
            scale = bound[j] / (hierarchy * norm) if norm > zero else zero
            for c in range(skip.shape[0]):
                skip[c, start + j] *= scale
        for k in range(n_units):
            row = first[k, start : start + width]
            for j in range(width):
                row[j] = min(max(row[j], -bound[j]), bound[j])


def shrink_layers(
    beta: Any,
    theta: Any,
    lambda_: float,
    lambda_bar: float,
    M: float,
) -> None:
    """Replace ``lassonet.model.inplace_prox``: same arguments, same result.

    Parameters
    ----------
    beta, theta
        The skip connection and the first layer, torch modules; changed in place.
    lambda_
        Penalty times step size.
    lambda_bar
        Additional L1 penalty on the first layer; the package passes 0 always.
    M
        Hierarchy factor.
    """
    if lambda_bar != 0 or beta.weight.device.type != "cpu":
        from lassonet.prox import prox

        shrunken = prox(
            beta.weight.data, theta.weight.data, lambda_=lambda_, lambda_bar=lambda_bar, M=M
        )
        beta.weight.data, theta.weight.data = shrunken
        return
    shrink_hierarchically(beta.weight.data.numpy(), theta.weight.data.numpy(), lambda_, M)
