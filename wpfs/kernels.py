"""Compiled loops for one hidden block of an auxiliary network: LeakyReLU, BatchNorm, dropout.

The auxiliary networks see all D features at every step, so their activations are D x 100 arrays
and, beside the matrix products, time goes to memory traffic. Each kernel walks the rows once and
does everything that can be done while a row is in cache. Inner loops run over the columns, which
lets the compiler use vector instructions without reordering a sum.

Statistics are gathered in chunks of ``CHUNK`` rows and joined in double precision, in row order, so
that results depend neither on the number of threads nor on where the work was split.

Dropout masks come from a keyed integer hash of the element's index: no generator state, the same
mask whatever the order of evaluation, and about a tenth of the cost of ``bernoulli_``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

CHUNK = 256

_JIT = {"nogil": True, "cache": True, "error_model": "numpy", "boundscheck": False}


@njit(inline="always")
def _hash(index: np.uint32, key: np.uint32, factor: np.uint32) -> np.uint32:
    h = np.uint32(index * np.uint32(0x9E3779B1) + key)
    h = np.uint32((h ^ (h >> np.uint32(16))) * factor)
    h = np.uint32((h ^ (h >> np.uint32(15))) * np.uint32(0x846CA68B))
    return np.uint32(h ^ (h >> np.uint32(16)))


@njit(**_JIT)
def fill_keep_mask(keep, first_row, key, factor, threshold):  # type: ignore[no-untyped-def]
    """Write the mask the forward kernel would use (1 = keep), for tests and other devices."""
    rows, columns = keep.shape
    for i in range(rows):
        base = np.uint32((first_row + i) * columns)
        for k in range(columns):
            h = _hash(np.uint32(base + np.uint32(k)), key, factor)
            keep[i, k] = np.uint8(h >= threshold)


@njit(**_JIT)
def rectify_and_measure(z, bias, slope, means, squares, start, stop):  # type: ignore[no-untyped-def]
    """Add the bias and apply LeakyReLU in place to rows start..stop, and measure each chunk.

    ``means[c]`` gets the column means of chunk c, ``squares[c]`` the sums of squared deviations
    from them (two passes over a chunk that is still in cache, so nothing cancels).
    """
    columns = z.shape[1]
    for low in range(start, stop, CHUNK):
        chunk = low // CHUNK
        high = min(low + CHUNK, stop)
        mean = means[chunk]
        square = squares[chunk]
        for k in range(columns):
            mean[k] = np.float32(0.0)
            square[k] = np.float32(0.0)
        for i in range(low, high):
            for k in range(columns):
                value = z[i, k] + bias[k]
                value = max(value, value * slope)
                z[i, k] = value
                mean[k] += value
        scale = np.float32(1.0 / (high - low))
        for k in range(columns):
            mean[k] *= scale
        for i in range(low, high):
            for k in range(columns):
                deviation = z[i, k] - mean[k]
                square[k] += deviation * deviation


@njit(**_JIT)
def join_statistics(means, squares, rows, mean, variance):  # type: ignore[no-untyped-def]
    """Join the chunks' means and squared deviations (Chan's formula) into mean and variance."""
    columns = means.shape[1]
    for k in range(columns):
        total = 0.0
        deviation = 0.0
        count = 0.0
        for chunk in range(means.shape[0]):
            size = min(CHUNK, rows - chunk * CHUNK)
            delta = means[chunk, k] - total
            joined = count + size
            total += delta * size / joined
            deviation += squares[chunk, k] + delta * delta * count * size / joined
            count = joined
        mean[k] = total
        variance[k] = deviation / rows


@njit(**_JIT)
def normalise_and_drop(  # type: ignore[no-untyped-def]
    a, scale, shift, keep_scale, key, factor, threshold, keep, out, start, stop
):
    """Write ``out = dropout(a * scale + shift)`` and the mask for rows start..stop."""
    columns = a.shape[1]
    zero = np.float32(0.0)
    for i in range(start, stop):
        base = np.uint32(i * columns)
        for k in range(columns):
            h = _hash(np.uint32(base + np.uint32(k)), key, factor)
            kept = h >= threshold
            keep[i, k] = np.uint8(kept)
            value = (a[i, k] * scale[k] + shift[k]) * keep_scale
            out[i, k] = value if kept else zero


@njit(**_JIT)
def rectify_and_normalise(z, bias, slope, scale, shift, start, stop):  # type: ignore[no-untyped-def]
    """Apply ``LeakyReLU(z + bias) * scale + shift`` in place to rows start..stop (evaluation)."""
    for i in range(start, stop):
        for k in range(z.shape[1]):
            value = z[i, k] + bias[k]
            z[i, k] = max(value, value * slope) * scale[k] + shift[k]


@njit(**_JIT)
def gather_gradients(  # type: ignore[no-untyped-def]
    gradient, keep, keep_scale, a, mean, sums, products, start, stop
):
    """Sum the gradient behind dropout, and its product with the centred activation, per chunk."""
    columns = a.shape[1]
    zero = np.float32(0.0)
    for low in range(start, stop, CHUNK):
        chunk = low // CHUNK
        total = sums[chunk]
        product = products[chunk]
        for k in range(columns):
            total[k] = zero
            product[k] = zero
        for i in range(low, min(low + CHUNK, stop)):
            for k in range(columns):
                g = gradient[i, k] * keep_scale if keep[i, k] else zero
                total[k] += g
                product[k] += g * (a[i, k] - mean[k])


@njit(**_JIT)
def propagate_gradients(  # type: ignore[no-untyped-def]
    gradient, keep, keep_scale, a, mean, weight, offset, pull, slope, out, sums, start, stop
):
    """Write the gradient in front of BatchNorm and LeakyReLU, and its column sums per chunk.

    ``out = (weight * g - offset - pull * (a - mean)) * LeakyReLU'``, where g is the gradient
    behind dropout. The sign of the activation is the sign of its input.
    """
    columns = a.shape[1]
    zero = np.float32(0.0)
    one = np.float32(1.0)
    for low in range(start, stop, CHUNK):
        total = sums[low // CHUNK]
        for k in range(columns):
            total[k] = zero
        for i in range(low, min(low + CHUNK, stop)):
            for k in range(columns):
                value = a[i, k]
                g = gradient[i, k] * keep_scale if keep[i, k] else zero
                g = weight[k] * g - offset[k] - pull[k] * (value - mean[k])
                g *= one if value > zero else slope
                out[i, k] = g
                total[k] += g


@njit(**_JIT)
def propagate_through_tanh(gradient, weights, out, sums, start, stop):  # type: ignore[no-untyped-def]
    """Write ``out = gradient * (1 - weights ** 2)`` and its column sums per chunk."""
    columns = weights.shape[1]
    one = np.float32(1.0)
    for low in range(start, stop, CHUNK):
        total = sums[low // CHUNK]
        for k in range(columns):
            total[k] = np.float32(0.0)
        for i in range(low, min(low + CHUNK, stop)):
            for k in range(columns):
                g = gradient[i, k] * (one - weights[i, k] * weights[i, k])
                out[i, k] = g
                total[k] += g
