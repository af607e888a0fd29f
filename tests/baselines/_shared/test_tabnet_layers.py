"""The faster layers do what pytorch-tabnet's do."""

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

torch = pytest.importorskip("torch")
pytest.importorskip("pytorch_tabnet")

from pytorch_tabnet.sparsemax import Sparsemax  # noqa: E402
from pytorch_tabnet.tab_network import GBN, TabNet  # noqa: E402

from baselines._shared.tabnet_layers import GhostNorm, RowSparsemax, replace_slow_layers  # noqa: E402


def differentiate(layer, x, upstream):
    x = x.clone().requires_grad_()
    # The package's sparsemax changes its input in place, which a leaf does not allow.
    out = layer(x * 1.0)
    out.backward(upstream)
    return out.detach(), x.grad


@pytest.mark.parametrize("spread", [1e-3, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("shape", [(1, 1), (3, 2), (7, 500), (2, 6000)])
def test_sparsemax_is_the_packages(shape, spread):
    generator = torch.Generator().manual_seed(shape[1])
    z = spread * torch.randn(shape, generator=generator) + 5
    upstream = torch.randn(shape, generator=generator)
    ours, our_gradient = differentiate(RowSparsemax(), z, upstream)
    theirs, _ = differentiate(Sparsemax(dim=-1), z, upstream)
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(ours.sum(dim=1), torch.ones(shape[0]), rtol=0, atol=1e-4)
    support = (ours > 0).float()
    mean = (upstream * support).sum(dim=1, keepdim=True) / support.sum(dim=1, keepdim=True)
    torch.testing.assert_close(our_gradient, (upstream - mean) * support, rtol=1e-4, atol=1e-5)


@given(arrays(np.float32, (2, 5), elements=st.floats(-100, 100, width=32)))
def test_sparsemax_is_the_nearest_point_of_the_simplex(z):
    """No small move of weight from one entry to another brings the result closer."""
    result = RowSparsemax()(torch.from_numpy(z)).numpy().astype(float)
    assert result.min() >= 0
    np.testing.assert_allclose(result.sum(axis=1), 1, atol=1e-4)
    pull = z - result  # moving weight to where the pull is larger pays
    for row, weights in zip(pull, result, strict=True):
        assert row.max() - row[weights > 1e-4].min() < 1e-3


@pytest.mark.parametrize(("rows", "size"), [(20, 5), (23, 5), (123, 5), (6, 5), (4, 10), (2, 5)])
def test_ghost_norm_is_the_packages(rows, size):
    torch.manual_seed(rows)
    theirs = GBN(4, virtual_batch_size=size, momentum=0.3)
    with torch.no_grad():
        theirs.bn.weight.uniform_(0.5, 2)
        theirs.bn.bias.uniform_(-1, 1)
    ours = GhostNorm(copy.deepcopy(theirs.bn), size)
    for _ in range(3):  # the running statistics build on each other
        x, upstream = 3 * torch.randn(rows, 4) + 2, torch.randn(rows, 4)
        expected, expected_gradient = differentiate(theirs, x, upstream)
        found, gradient = differentiate(ours, x, upstream)
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(gradient, expected_gradient, rtol=1e-3, atol=1e-5)
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(ours.bn.running_mean, theirs.bn.running_mean)
    torch.testing.assert_close(ours.bn.running_var, theirs.bn.running_var)
    ours.eval()
    theirs.eval()
    torch.testing.assert_close(ours(x), theirs(x))


def test_a_whole_network_keeps_its_output_and_its_parameters():
    torch.manual_seed(0)
    network = TabNet(
        9, 3, cat_idxs=[], cat_dims=[], virtual_batch_size=5, group_attention_matrix=torch.eye(9)
    )
    fast = copy.deepcopy(network)
    replace_slow_layers(fast)
    kinds = {type(module) for module in fast.modules()}
    assert {GhostNorm, RowSparsemax} <= kinds
    assert not {GBN, Sparsemax} & kinds
    x = torch.randn(23, 9)
    for out, expected in zip(fast(x), network(x), strict=True):
        torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-5)
    assert list(fast.state_dict()) == list(network.state_dict())
