"""The small kernels one by one, each beside the PyTorch it stands for."""

import numpy as np
import pytest
import torch
from torch import nn

from wpfs import kernels
from wpfs.blocks import RectifiedNorm
from wpfs.chunks import CHUNK, count_chunks
from wpfs.fronts import differentiate_product, multiply
from wpfs.masks import MaskStream, build_mask, drop_threshold

ROWS, COLUMNS = CHUNK + 88, 20
SLOPE = np.float32(0.01)


def draw(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def empty(*shape):
    return np.full(shape, np.nan, dtype=np.float32)


def by_chunk(*shape):
    return empty(count_chunks(ROWS), *shape)


def close(found, expected, **tolerance):
    torch.testing.assert_close(
        torch.as_tensor(found).double(),
        torch.as_tensor(expected).detach().double(),
        **{"rtol": 1e-5, "atol": 1e-5, **tolerance},
    )


@pytest.mark.parametrize("bounded", [False, True])
def test_the_output_is_linear_or_passes_tanh(bounded):
    """With large numbers too: tanh is a ratio of polynomials that holds up to eight."""
    before, weight, bias = draw(ROWS, COLUMNS), 3 * draw(4, COLUMNS, seed=1), draw(4, seed=2)
    one, zero = np.ones(COLUMNS, dtype=np.float32), np.zeros(COLUMNS, dtype=np.float32)
    keep_all = np.uint32(0), np.uint32(1), np.uint32(0), np.float32(1.0)
    out = empty(ROWS, 4)
    kernels.forward_output(before, one, zero, keep_all, weight.T, bias, bounded, out, 0, ROWS)
    expected = torch.from_numpy(before) @ torch.from_numpy(weight).t() + torch.from_numpy(bias)
    close(out, expected.tanh() if bounded else expected)
    assert not bounded or np.abs(out).max() <= 1.0


def test_statistics_and_gradients_of_rectified_rows():
    norm = RectifiedNorm(COLUMNS, 0.0, MaskStream(0))
    nn.init.normal_(norm.weight)
    nn.init.normal_(norm.bias)
    plain = RectifiedNorm(COLUMNS, 0.0, MaskStream(0)).double()
    plain.load_state_dict(norm.state_dict())
    z, bias, upstream = draw(ROWS, COLUMNS), draw(COLUMNS, seed=1), draw(ROWS, COLUMNS, seed=2)

    a, sums, products = z.copy(), by_chunk(COLUMNS), by_chunk(COLUMNS)
    kernels.rectify(a, bias, SLOPE, sums, products, 0, ROWS)
    mean, inverse_std, scale, shift, offset, pull = empty(6, COLUMNS)
    gamma, beta = norm.weight.detach().numpy(), norm.bias.detach().numpy()
    running = norm.running_mean.numpy(), norm.running_var.numpy()
    kernels.settle_norm(
        *(sums, products, ROWS, gamma, beta, np.float32(norm.momentum), np.float32(norm.eps)),
        *(*running, mean, inverse_std, scale, shift),
    )
    start = torch.from_numpy(z).double().requires_grad_()
    shifted = start + torch.from_numpy(bias).double()
    expected = plain(shifted)
    close(a * scale + shift, expected)
    close(running[0], plain.running_mean)
    close(running[1], plain.running_var)

    for chunk in range(len(sums)):
        rows = slice(chunk * CHUNK, (chunk + 1) * CHUNK)
        sums[chunk] = upstream[rows].sum(axis=0)
        products[chunk] = (upstream[rows] * (a[rows] - mean)).sum(axis=0)
    d_gamma, d_beta, d_bias = empty(3, COLUMNS)
    kernels.settle_norm_gradient(
        sums, products, ROWS, scale, inverse_std, d_gamma, d_beta, offset, pull
    )
    gradient = upstream.copy()
    kernels.backward_rectified(gradient, a, (mean, scale, offset, pull), SLOPE, sums, 0, ROWS)
    kernels.join_sums(sums, d_bias)
    expected.backward(torch.from_numpy(upstream).double())
    close(d_gamma, plain.weight.grad, rtol=1e-4, atol=1e-4)
    close(d_beta, plain.bias.grad, atol=1e-4)
    close(gradient, start.grad)
    close(d_bias, start.grad.sum(dim=0), atol=1e-3)


def test_hidden_units_and_a_gradient_from_the_side_pass_the_mask():
    key = MaskStream(3).next_key()
    drop = *key, drop_threshold(0.2), np.float32(1.25)
    keep = build_mask(key, (ROWS, COLUMNS), 0.2) * np.float32(1.25)
    before, more = draw(ROWS, COLUMNS), draw(ROWS, COLUMNS, seed=1)
    scale, shift, mean = draw(3, COLUMNS, seed=2)
    hidden = empty(ROWS, COLUMNS)
    kernels.write_hidden(before, scale, shift, drop, hidden, 0, ROWS)
    close(hidden, (before * scale + shift) * keep)

    gradient, sums, products = (
        draw(ROWS, COLUMNS, seed=3),
        *np.ones((2, count_chunks(ROWS), COLUMNS), dtype=np.float32),
    )
    expected = gradient + more * keep
    kernels.add_gradient(more, before, mean, drop, gradient, sums, products, 0, ROWS)
    close(gradient, expected)
    for chunk in range(len(sums)):
        rows = slice(chunk * CHUNK, (chunk + 1) * CHUNK)
        added = more[rows] * keep[rows]
        close(sums[chunk], 1.0 + added.sum(axis=0), atol=1e-3)
        close(products[chunk], 1.0 + (added * (before[rows] - mean)).sum(axis=0), atol=1e-3)


def test_cross_entropy_is_weighted_and_finite_for_large_logits():
    weights, codes = torch.tensor([0.5, 1.0, 2.0]), torch.tensor([0, 2, 1, 1])
    logits = torch.from_numpy(50 * draw(4, 3)).requires_grad_()
    expected = nn.functional.cross_entropy(logits, codes, weights)
    expected.backward()
    gradient = empty(4, 3)
    loss = kernels.cross_entropy(logits.detach().numpy(), codes.numpy(), weights.numpy(), gradient)
    assert loss == pytest.approx(expected.item(), rel=1e-6)
    close(gradient, logits.grad)


@pytest.mark.parametrize("scored", [False, True])
def test_the_product_with_scores_and_its_gradients(scored):
    samples, units = 8, COLUMNS
    x, weight, d_z = draw(samples, ROWS), draw(ROWS, units, seed=1), draw(samples, units, seed=2)
    logits = draw(ROWS, int(scored), seed=3)
    scores, scaled = np.ones(ROWS, dtype=np.float32), empty(samples * ROWS)
    sums = by_chunk(samples, units)
    multiply(x, weight, logits, scores, scaled, sums, 0, ROWS)
    d_weight, d_logits = empty(ROWS, units), empty(ROWS, int(scored))
    sparsity = np.float32(0.5)
    differentiate_product(d_z, x, weight, scores, scaled, sparsity, d_weight, d_logits, 0, ROWS)

    free, free_logits = (torch.from_numpy(v).double().requires_grad_() for v in (weight, logits))
    expected_scores = free_logits.sigmoid().squeeze(1) if scored else torch.ones(ROWS).double()
    z = (torch.from_numpy(x).double() * expected_scores) @ free
    (z * torch.from_numpy(d_z)).sum().add(sparsity * expected_scores.sum()).backward()
    close(scores, expected_scores)
    close(sums.sum(axis=0), z, atol=1e-3)
    close(d_weight, free.grad)
    if scored:
        close(d_logits, free_logits.grad, atol=1e-4)
