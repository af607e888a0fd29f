"""Compiled passes over the features, for the networks' training steps on a CPU.

The auxiliary networks see all D features at every step, so their activations are D x 100 arrays.
Written layer by layer and operation by operation, a step spends more time moving them between
memory and processor than computing. So each pass here takes ``CHUNK`` rows at a time through all
there is to do between two BatchNorms, which need sums over all rows: normalise, drop out, multiply,
rectify and measure while the chunk stays in the processor's cache. What the backward pass can
compute again from the activations in less time than reading it takes, outputs of blocks and
dropout masks, is not stored.

Sums are gathered per chunk and joined in row order, so that results depend neither on the number
of threads nor on where the work was split. Inner loops run over the columns, which lets the
compiler use vector instructions without reordering a sum. Dropout masks come from a keyed integer
hash of the element's index: no generator state, the same mask whatever the order of evaluation,
and about a tenth of the cost of ``bernoulli_``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from wpfs.compiled import compiled

#: Rows of a chunk: with all that is done to them at once they fit into a core's cache.
CHUNK = 512


@njit(inline="always")
def _hash(index: np.uint32, key: np.uint32, factor: np.uint32) -> np.uint32:
    h = np.uint32(index * np.uint32(0x9E3779B1) + key)
    h = np.uint32((h ^ (h >> np.uint32(16))) * factor)
    h = np.uint32((h ^ (h >> np.uint32(15))) * np.uint32(0x846CA68B))
    return np.uint32(h ^ (h >> np.uint32(16)))


@compiled
def fill_keep_mask(keep, first_row, key, factor, threshold):  # type: ignore[no-untyped-def]
    """Write the mask (1 = keep) that ``_normalise_and_drop`` uses."""
    rows, columns = keep.shape
    for i in range(rows):
        base = np.uint32((first_row + i) * columns)
        for k in range(columns):
            h = _hash(np.uint32(base + np.uint32(k)), key, factor)
            keep[i, k] = np.uint8(h >= threshold)


@njit
def _rectify_and_measure(z, bias, slope, mean, square):  # type: ignore[no-untyped-def]
    """Add the bias and apply LeakyReLU in place; write column means and squared deviations.

    Two passes over a chunk that is still in cache, so nothing cancels.
    """
    rows, columns = z.shape
    for k in range(columns):
        mean[k] = np.float32(0.0)
        square[k] = np.float32(0.0)
    for i in range(rows):
        for k in range(columns):
            value = z[i, k] + bias[k]
            value = max(value, value * slope)
            z[i, k] = value
            mean[k] += value
    scale = np.float32(1.0 / rows)
    for k in range(columns):
        mean[k] *= scale
    for i in range(rows):
        for k in range(columns):
            deviation = z[i, k] - mean[k]
            square[k] += deviation * deviation


@njit
def _normalise_and_drop(a, first_row, scale, shift, drop, out, keep):  # type: ignore[no-untyped-def]
    """Write ``out = dropout(a * scale + shift)`` and the mask; ``drop``: see ``forward_hidden``."""
    key, factor, threshold, keep_scale = drop
    columns = a.shape[1]
    zero = np.float32(0.0)
    for i in range(a.shape[0]):
        base = np.uint32((first_row + i) * columns)
        for k in range(columns):
            h = _hash(np.uint32(base + np.uint32(k)), key, factor)
            kept = h >= threshold
            keep[i, k] = np.uint8(kept)
            value = (a[i, k] * scale[k] + shift[k]) * keep_scale
            out[i, k] = value if kept else zero


@compiled
def forward_first(x, weight, bias, slope, a, means, squares, start, stop):  # type: ignore[no-untyped-def]
    """Forward pass of the first block up to its BatchNorm, for rows start..stop.

    Writes ``a = LeakyReLU(x @ weight + bias)``; ``means[c]`` and ``squares[c]`` get the column
    means of chunk c and the sums of squared deviations from them.
    """
    for low in range(start, stop, CHUNK):
        high = min(low + CHUNK, stop)
        chunk = low // CHUNK
        np.dot(x[low:high], weight, a[low:high])
        _rectify_and_measure(a[low:high], bias, slope, means[chunk], squares[chunk])


@compiled
def forward_hidden(  # type: ignore[no-untyped-def]
    before, scale, shift, drop, weight, bias, slope, a, means, squares, start, stop
):
    """Forward pass from one block's BatchNorm to the next block's, for rows start..stop.

    ``before`` are the activations in front of the BatchNorm, ``before * scale + shift`` those
    behind it; ``drop`` is (key, factor, threshold, keep_scale). For the rest see
    ``forward_first``.
    """
    hidden = np.empty((CHUNK, before.shape[1]), dtype=np.float32)
    keep = np.empty((CHUNK, before.shape[1]), dtype=np.uint8)
    for low in range(start, stop, CHUNK):
        high = min(low + CHUNK, stop)
        chunk = low // CHUNK
        h = hidden[: high - low]
        _normalise_and_drop(before[low:high], low, scale, shift, drop, h, keep)
        np.dot(h, weight, a[low:high])
        _rectify_and_measure(a[low:high], bias, slope, means[chunk], squares[chunk])


@njit(inline="always")
def _tanh(x: np.float32) -> np.float32:
    """Return tanh to 3e-7, by the ratio of polynomials that vector libraries use."""
    x = min(max(x, np.float32(-7.9053111)), np.float32(7.9053111))
    square = x * x
    p = np.float32(-2.76076847742355e-16)
    p = p * square + np.float32(2.00018790482477e-13)
    p = p * square + np.float32(-8.60467152213735e-11)
    p = p * square + np.float32(5.12229709037114e-08)
    p = p * square + np.float32(1.48572235717979e-05)
    p = p * square + np.float32(6.37261928875436e-04)
    p = p * square + np.float32(4.89352455891786e-03)
    q = np.float32(1.19825839466702e-06)
    q = q * square + np.float32(1.18534705686654e-04)
    q = q * square + np.float32(2.26843463243900e-03)
    q = q * square + np.float32(4.89352518554385e-03)
    return x * p / q


@compiled
def forward_output(before, scale, shift, drop, weight, bias, bounded, out, start, stop):  # type: ignore[no-untyped-def]
    """Forward pass from the last block's BatchNorm to the linear output, for rows start..stop.

    Through tanh, when bounded.
    """
    hidden = np.empty((CHUNK, before.shape[1]), dtype=np.float32)
    keep = np.empty((CHUNK, before.shape[1]), dtype=np.uint8)
    for low in range(start, stop, CHUNK):
        high = min(low + CHUNK, stop)
        h = hidden[: high - low]
        _normalise_and_drop(before[low:high], low, scale, shift, drop, h, keep)
        np.dot(h, weight, out[low:high])
        for i in range(low, high):
            for k in range(out.shape[1]):
                value = out[i, k] + bias[k]
                out[i, k] = _tanh(value) if bounded else value


@compiled
def rectify(a, bias, slope, means, squares, start, stop):  # type: ignore[no-untyped-def]
    """Write ``a = LeakyReLU(a + bias)`` and its statistics, as ``forward_first`` does."""
    for low in range(start, stop, CHUNK):
        high = min(low + CHUNK, stop)
        _rectify_and_measure(a[low:high], bias, slope, means[low // CHUNK], squares[low // CHUNK])


@compiled
def settle_norm(  # type: ignore[no-untyped-def]
    means, squares, rows, gamma, beta, momentum, eps, running_mean, running_var,
    mean, inverse_std, scale, shift,
):  # fmt: skip
    """Turn the chunks' statistics into what BatchNorm does to a column.

    Joins means and squared deviations (Chan's formula), moves the running statistics, and writes
    mean, 1 / std, and the scale and shift that normalise.
    """
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
        running_mean[k] += momentum * (mean[k] - running_mean[k])
        unbiased = np.float32(deviation / (rows - 1))
        running_var[k] += momentum * (unbiased - running_var[k])
        inverse_std[k] = 1.0 / np.sqrt(deviation / rows + eps)
        scale[k] = gamma[k] * inverse_std[k]
        shift[k] = beta[k] - mean[k] * scale[k]


@compiled
def join_sums(per_chunk, out):  # type: ignore[no-untyped-def]
    """Add up the chunks' vectors, in their order."""
    for k in range(len(out)):
        total = 0.0
        for chunk in range(len(per_chunk)):
            total += per_chunk[chunk, k]
        out[k] = total


@compiled
def settle_norm_gradient(  # type: ignore[no-untyped-def]
    sums, products, rows, scale, inverse_std, d_gamma, d_beta, offset, pull
):
    """Turn the chunks' sums into BatchNorm's own gradients, and what ``_backward_norm`` needs."""
    join_sums(sums, d_beta)
    join_sums(products, d_gamma)
    size = np.float32(rows)
    for k in range(len(scale)):
        d_gamma[k] *= inverse_std[k]
        offset[k] = scale[k] * d_beta[k] / size
        pull[k] = scale[k] * inverse_std[k] * d_gamma[k] / size


@compiled
def join_products(per_chunk, out):  # type: ignore[no-untyped-def]
    """Add up the chunks' matrices, in their order."""
    out[:] = per_chunk[0]
    for chunk in range(1, len(per_chunk)):
        out += per_chunk[chunk]


@njit
def _backward_linear(  # type: ignore[no-untyped-def]
    d_z, low, before, scale, shift, mean, drop, weight, d_weight, d_before, total, product, h, keep
):
    """Take a chunk's gradient through a linear layer and the dropout in front of it.

    Writes the layer's weight gradient, the gradient behind the lower block's BatchNorm, its column
    sums and those of its product with the centred activation.
    """
    rows, columns = before.shape
    keep_scale = drop[3]
    zero = np.float32(0.0)
    _normalise_and_drop(before, low, scale, shift, drop, h, keep)
    np.dot(d_z.T, h, d_weight)
    np.dot(d_z, weight, d_before)
    for k in range(columns):
        total[k] = zero
        product[k] = zero
    for i in range(rows):
        for k in range(columns):
            g = d_before[i, k] * keep_scale if keep[i, k] else zero
            d_before[i, k] = g
            total[k] += g
            product[k] += g * (before[i, k] - mean[k])


@njit
def _backward_norm(gradient, a, mean, scale, offset, pull, slope, d_z, total):  # type: ignore[no-untyped-def]
    """Take a chunk's gradient through BatchNorm and LeakyReLU, and sum its columns.

    ``d_z = (scale * g - offset - pull * (a - mean)) * LeakyReLU'``. The sign of the activation is
    the sign of its input.
    """
    rows, columns = a.shape
    zero = np.float32(0.0)
    one = np.float32(1.0)
    for k in range(columns):
        total[k] = zero
    for i in range(rows):
        for k in range(columns):
            value = a[i, k]
            g = scale[k] * gradient[i, k] - offset[k] - pull[k] * (value - mean[k])
            g *= one if value > zero else slope
            d_z[i, k] = g
            total[k] += g


@compiled
def backward_output(  # type: ignore[no-untyped-def]
    gradient, out, bounded, before, scale, shift, mean, drop, weight,
    d_weights, d_biases, d_before, sums, products, start, stop,
):  # fmt: skip
    """Backward pass of ``forward_output``, from the output to the last block's BatchNorm.

    Through tanh first, when bounded. ``d_weights[c]``, ``d_biases[c]``, ``sums[c]`` and
    ``products[c]`` belong to chunk c; the last two are of ``d_before``, as ``_backward_linear``
    says.
    """
    width = out.shape[1]
    one = np.float32(1.0)
    z_gradient = np.empty((CHUNK, width), dtype=np.float32)
    hidden = np.empty((CHUNK, before.shape[1]), dtype=np.float32)
    keep = np.empty((CHUNK, before.shape[1]), dtype=np.uint8)
    for low in range(start, stop, CHUNK):
        high = min(low + CHUNK, stop)
        chunk = low // CHUNK
        d_z = z_gradient[: high - low]
        total = d_biases[chunk]
        for k in range(width):
            total[k] = np.float32(0.0)
        for i in range(high - low):
            for k in range(width):
                g = gradient[low + i, k]
                if bounded:
                    g *= one - out[low + i, k] * out[low + i, k]
                d_z[i, k] = g
                total[k] += g
        _backward_linear(
            d_z, low, before[low:high], scale, shift, mean, drop, weight, d_weights[chunk],
            d_before[low:high], sums[chunk], products[chunk], hidden[: high - low], keep,
        )  # fmt: skip


@compiled
def backward_hidden(  # type: ignore[no-untyped-def]
    gradient, a, upper, slope, before, scale, shift, mean, drop, weight,
    d_weights, d_biases, d_before, sums, products, start, stop,
):  # fmt: skip
    """Backward pass of ``forward_hidden``, from one block's BatchNorm to that of the block below.

    ``gradient`` is that behind the upper BatchNorm and may share its memory with ``d_before``;
    ``upper`` is the upper block's (mean, scale, offset, pull), as ``_backward_norm`` takes them.
    """
    upper_mean, upper_scale, offset, pull = upper
    z_gradient = np.empty((CHUNK, a.shape[1]), dtype=np.float32)
    hidden = np.empty((CHUNK, before.shape[1]), dtype=np.float32)
    keep = np.empty((CHUNK, before.shape[1]), dtype=np.uint8)
    for low in range(start, stop, CHUNK):
        high = min(low + CHUNK, stop)
        chunk = low // CHUNK
        d_z = z_gradient[: high - low]
        _backward_norm(
            gradient[low:high], a[low:high], upper_mean, upper_scale, offset, pull, slope, d_z,
            d_biases[chunk],
        )  # fmt: skip
        _backward_linear(
            d_z, low, before[low:high], scale, shift, mean, drop, weight, d_weights[chunk],
            d_before[low:high], sums[chunk], products[chunk], hidden[: high - low], keep,
        )  # fmt: skip


@compiled
def backward_first(gradient, a, upper, slope, x, d_weights, d_biases, start, stop):  # type: ignore[no-untyped-def]
    """Backward pass of ``forward_first``, from the first block's BatchNorm to its weights."""
    mean, scale, offset, pull = upper
    z_gradient = np.empty((CHUNK, a.shape[1]), dtype=np.float32)
    for low in range(start, stop, CHUNK):
        high = min(low + CHUNK, stop)
        chunk = low // CHUNK
        d_z = z_gradient[: high - low]
        _backward_norm(
            gradient[low:high], a[low:high], mean, scale, offset, pull, slope, d_z, d_biases[chunk]
        )
        np.dot(d_z.T, x[low:high], d_weights[chunk])


@compiled
def backward_rectified(gradient, a, upper, slope, d_biases, start, stop):  # type: ignore[no-untyped-def]
    """Backward pass of ``rectify`` and the BatchNorm behind it, in place."""
    mean, scale, offset, pull = upper
    for low in range(start, stop, CHUNK):
        high = min(low + CHUNK, stop)
        d_z = gradient[low:high]
        _backward_norm(
            d_z, a[low:high], mean, scale, offset, pull, slope, d_z, d_biases[low // CHUNK]
        )


@compiled
def cross_entropy(logits, codes, class_weights, d_logits):  # type: ignore[no-untyped-def]
    """Return the weighted cross-entropy of a batch, and write its gradient."""
    weight = 0.0
    for code in codes:
        weight += class_weights[code]
    loss = 0.0
    for i in range(len(codes)):
        code = codes[i]
        share = class_weights[code] / weight
        largest = logits[i].max()
        total = 0.0
        for k in range(logits.shape[1]):
            total += np.exp(np.float64(logits[i, k] - largest))
        loss += share * (np.log(total) - np.float64(logits[i, code] - largest))
        for k in range(logits.shape[1]):
            d_logits[i, k] = share * np.exp(np.float64(logits[i, k] - largest)) / total
        d_logits[i, code] -= share
    return loss


@compiled
def write_hidden(before, scale, shift, drop, hidden, start, stop):  # type: ignore[no-untyped-def]
    """Write what a block gives, which the other passes compute and forget."""
    keep = np.empty((CHUNK, before.shape[1]), dtype=np.uint8)
    for low in range(start, stop, CHUNK):
        high = min(low + CHUNK, stop)
        _normalise_and_drop(before[low:high], low, scale, shift, drop, hidden[low:high], keep)


@compiled
def add_gradient(more, before, mean, drop, d_before, sums, products, start, stop):  # type: ignore[no-untyped-def]
    """Add a gradient behind a block's dropout to what ``_backward_linear`` wrote."""
    key, factor, threshold, keep_scale = drop
    columns = before.shape[1]
    for low in range(start, stop, CHUNK):
        chunk = low // CHUNK
        for i in range(low, min(low + CHUNK, stop)):
            base = np.uint32(i * columns)
            for k in range(columns):
                if _hash(np.uint32(base + np.uint32(k)), key, factor) >= threshold:
                    g = more[i, k] * keep_scale
                    d_before[i, k] += g
                    sums[chunk, k] += g
                    products[chunk, k] += g * (before[i, k] - mean[k])


@compiled
def evaluate(x, weight, bias, slope, scale, shift, out, start, stop):  # type: ignore[no-untyped-def]
    """Write ``LeakyReLU(x @ weight + bias) * scale + shift`` for rows start..stop."""
    for low in range(start, stop, CHUNK):
        high = min(low + CHUNK, stop)
        np.dot(x[low:high], weight, out[low:high])
        for i in range(low, high):
            for k in range(out.shape[1]):
                value = out[i, k] + bias[k]
                out[i, k] = max(value, value * slope) * scale[k] + shift[k]
