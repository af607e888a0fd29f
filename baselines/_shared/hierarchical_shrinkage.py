"""LassoNet's proximal operator, compiled: many times faster than the package's on a CPU."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wpfs.compiled import compiled

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
        The factor M > 0 in |first_jk| <= M * ||skip_j||. A feature whose linear weights are
        zero stays out.
    """
    norms = np.sqrt(np.einsum("cd,cd->d", skip, skip))
    _shrink(skip, first, norms, np.float32(penalty), np.float32(hierarchy))


@compiled
def _shrink(skip, first, norms, penalty, hierarchy):  # type: ignore[no-untyped-def]
    zero = np.float32(0.0)
    n_units, n_features = first.shape
    for start in range(0, n_features, _BLOCK):
        stop = min(start + _BLOCK, n_features)
        norm = norms[start:stop]
        bound = _find_bounds(first, start, norm, penalty, hierarchy)
        for j in range(stop - start):
            scale = bound[j] / (hierarchy * norm[j]) if norm[j] > zero else zero
            for c in range(skip.shape[0]):
                skip[c, start + j] *= scale
        for k in range(n_units):
            row = first[k, start:stop]
            for j in range(stop - start):
                row[j] = min(max(row[j], -bound[j]), bound[j])


@compiled
def _find_bounds(first, start, norm, penalty, hierarchy):  # type: ignore[no-untyped-def]
    """Return the bounds of the features from ``start`` on, zero for one that is out."""
    zero, one = np.float32(0.0), np.float32(1.0)
    n_units, width = len(first), len(norm)
    bound = np.zeros(width, dtype=np.float32)
    if not norm.any():
        return bound
    total = np.empty(width, dtype=np.float32)
    count = np.empty(width, dtype=np.float32)
    limit = np.full(width, n_units + 1, dtype=np.float32)
    for j in range(width):
        # The answer if no weight is above it, as in most steps of training.
        bound[j] = hierarchy * max(norm[j] - penalty, zero)
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
            if zero < count[j] < limit[j]:
                slack = max(norm[j] - penalty + hierarchy * total[j], zero)
                bound[j] = hierarchy * slack / (one + count[j] * hierarchy * hierarchy)
                moving = True
            # The start is not above the root, so ever fewer weights are above the bound;
            # rounding may not turn this around, or it would never end.
            limit[j] = count[j]
    for j in range(width):
        if norm[j] == zero:
            bound[j] = zero
    return bound


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
    if lambda_bar != 0 or M == 0 or beta.weight.device.type != "cpu":
        from lassonet.prox import prox

        shrunken = prox(
            beta.weight.data, theta.weight.data, lambda_=lambda_, lambda_bar=lambda_bar, M=M
        )
        beta.weight.data, theta.weight.data = shrunken
        return
    shrink_hierarchically(beta.weight.data.numpy(), theta.weight.data.numpy(), lambda_, M)
