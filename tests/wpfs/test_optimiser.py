import numpy as np
import pytest
import torch
from torch import nn

from wpfs.optimiser import AdamW, FlatParameters


def build():
    torch.manual_seed(0)
    columns = nn.Parameter(torch.randn(70_000, 3).t())  # more than a chunk, and not contiguous
    return [nn.Parameter(torch.randn(7, 5)), nn.Parameter(torch.randn(11)), columns]


@pytest.mark.parametrize("clip", [1e9, 2.5])
def test_thirty_steps_are_those_of_pytorch(clip):
    ours, theirs = build(), build()
    flat = FlatParameters(ours)
    optimiser = AdamW(flat, weight_decay=0.1, clip=clip)
    plain = torch.optim.AdamW(theirs, lr=1e-2, betas=(0.9, 0.98), weight_decay=0.1)
    for step in range(30):
        for mine, other in zip(ours, theirs, strict=True):
            gradient = torch.randn(other.shape) * 10.0 ** (step % 3 - 1)
            flat.gradient(mine)[...] = gradient.numpy()
            other.grad = gradient
        nn.utils.clip_grad_norm_(theirs, clip)
        plain.param_groups[0]["lr"] = rate = 1e-2 / (step + 1)
        plain.step()
        optimiser.step(rate)
        for mine, other in zip(ours, theirs, strict=True):
            torch.testing.assert_close(mine, other, rtol=1e-5, atol=1e-6)


def test_parameters_keep_their_values_and_are_views():
    parameters, copies = build(), build()
    flat = FlatParameters(parameters)
    for parameter, copy in zip(parameters, copies, strict=True):
        assert torch.equal(parameter, copy)
        assert parameter.stride() == copy.stride()
        flat.value(parameter)[...] = 3.0
    assert all((parameter == 3.0).all() for parameter in parameters)
    assert np.count_nonzero(flat.values) == sum(p.numel() for p in parameters)
