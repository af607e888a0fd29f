"""A tower's compiled passes are its plain PyTorch modules, in double precision, to rounding."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import nn

from wpfs.blocks import HiddenBlock
from wpfs.chunks import CHUNK, finish
from wpfs.masks import MaskStream
from wpfs.optimiser import FlatParameters
from wpfs.passes import TowerPasses
from wpfs.tower import Tower


def build_tower(rate=0.2, inputs=30, units=(100, 100), outputs=100, bounded=True):
    torch.manual_seed(0)
    masks = MaskStream(5)
    blocks = [HiddenBlock(a, b, rate, masks) for a, b in pairwise((inputs, *units))]
    return Tower(blocks, nn.Linear((inputs, *units)[-1], outputs), bounded)


def run_compiled(tower, x, upstream, threads=1):
    """Return output and gradients, by name."""
    torch.set_num_threads(threads)
    parameters = FlatParameters(tower.parameters())
    passes = TowerPasses(tower, parameters, x)
    for level in passes.levels:
        level.draw_mask()
    finish(passes.forward())
    output = torch.from_numpy(passes.output.copy())
    finish(passes.backward(upstream.numpy()))
    gradients = {
        name: torch.from_numpy(parameters.gradient(parameter).copy())
        for name, parameter in tower.named_parameters()
    }
    return output, gradients


@pytest.mark.parametrize("rows", [2, 8, CHUNK - 1, CHUNK, CHUNK + 1, 10 * CHUNK + 7])
@pytest.mark.parametrize("rate", [0.0, 0.2])
@pytest.mark.parametrize(
    "shape",
    [
        {},
        {"outputs": 1, "bounded": False},
        {"units": (40, 100, 60, 40)},
        {"units": (17,), "outputs": 3},
    ],
    ids=["predictor", "scores", "widths", "one-block"],
)
def test_forward_backward_and_evaluation(shape, rows, rate):
    tower, plain = build_tower(rate, **shape), build_tower(rate, **shape).double()
    torch.manual_seed(rows)
    x, upstream = torch.randn(rows, 30), torch.randn(rows, tower.output.out_features)
    output, gradients = run_compiled(tower, x, upstream)
    expected = plain(x.double())
    expected.backward(upstream.double())
    torch.testing.assert_close(output.double(), expected.detach(), rtol=1e-3, atol=1e-4)
    # Among very many units one may be so close to zero that rounding decides on its slope; of two
    # rows BatchNorm keeps little but the signs.
    tolerance = 1e-2 if rows > 2 * CHUNK or rows == 2 else 1e-4
    # A bias in front of the BatchNorm of two rows hardly matters: its gradient is rounding.
    least = 1e-3 * max(parameter.grad.abs().max() for parameter in plain.parameters())
    for name, parameter in plain.named_parameters():
        error = (gradients[name] - parameter.grad).abs().max()
        assert error < tolerance * max(parameter.grad.abs().max(), least), name
    for (name, a), (_, b) in zip(tower.named_buffers(), plain.named_buffers(), strict=True):
        torch.testing.assert_close(a.to(b.dtype), b, rtol=1e-4, atol=1e-5, msg=name)
    tower.eval()
    plain.eval()
    with torch.no_grad():
        torch.testing.assert_close(tower(x).double(), plain(x.double()), rtol=1e-3, atol=1e-4)


def test_nothing_depends_on_the_number_of_threads():
    x, upstream = torch.randn(20 * CHUNK + 3, 30), torch.randn(20 * CHUNK + 3, 100)
    one, three = (run_compiled(build_tower(), x, upstream, threads) for threads in (1, 3))
    assert torch.equal(one[0], three[0])
    for name, gradient in one[1].items():
        assert torch.equal(gradient, three[1][name]), name


def test_statistics_do_not_cancel_for_columns_far_from_zero():
    tower, plain = (build_tower(0.0, inputs=3, units=(100,)) for _ in range(2))
    with torch.no_grad():
        for each in (tower, plain):
            each.blocks[0].linear.bias.fill_(1000.0)
    x = torch.randn(2000, 3, generator=torch.Generator().manual_seed(3))
    run_compiled(tower, x, torch.zeros(2000, 100))
    plain.double()(x.double())
    torch.testing.assert_close(
        tower.blocks[0].norm.running_var.double(),
        plain.blocks[0].norm.running_var,
        rtol=1e-4,
        atol=1e-6,
    )


def test_a_second_pass_forgets_the_first():
    tower = build_tower(0.0)
    parameters = FlatParameters(tower.parameters())
    passes = TowerPasses(tower, parameters, torch.randn(700, 30))
    for level in passes.levels:
        level.draw_mask()
    found = []
    for _ in range(2):
        finish(passes.forward())
        finish(passes.backward(np.ones((700, 100), dtype=np.float32)))
        found.append(parameters.gradients.copy())
    np.testing.assert_array_equal(*found)
