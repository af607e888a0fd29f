"""The fast path is the paper's Algorithm 1, to float32 tolerance."""

from itertools import pairwise

import pytest
import torch
from literal import LiteralWPFS, RecordedMasks, copy_weights, ordered_parameters
from torch import nn

from wpfs.auxiliary import SparsityNetwork, WeightPredictor
from wpfs.blocks import HiddenBlock
from wpfs.kernels import CHUNK
from wpfs.layers import LinearFirstLayer
from wpfs.masks import MaskStream
from wpfs.networks import ClassificationNetwork
from wpfs.tower import Tower

RATE = 0.2
SPARSITY = 3e-4


def build_pair(n_features, n_classes=3, size=20, seed=0):
    torch.manual_seed(seed)
    embeddings = torch.randn(n_features, size).abs()
    masks = RecordedMasks(seed)
    auxiliary = size, (100, 100, 100, 100), RATE, masks
    first = LinearFirstLayer(
        n_features, 100, RATE, masks, WeightPredictor(*auxiliary), SparsityNetwork(*auxiliary),
        embeddings,
    )  # fmt: skip
    fast = ClassificationNetwork(first, (100, 100, 10), n_classes, RATE, masks, SPARSITY)
    literal = LiteralWPFS(embeddings, n_classes, RATE, masks)
    copy_weights(fast, literal)
    return fast, literal, masks


def take_step(network, optimiser, x, y, weights):
    out = network(x)
    if isinstance(out, tuple):
        logits, scores = out
        penalty = SPARSITY * scores.sum()
    else:
        logits, penalty = out, network.penalty()
    loss = nn.functional.cross_entropy(logits, y, weights) + penalty
    optimiser.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(network.parameters(), 2.5)
    optimiser.step()
    return loss.item()


def batches(n_features, n_steps):
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(64, n_features, generator=generator)
    y = torch.randint(0, 3, (64,), generator=generator)
    for _ in range(n_steps):
        rows = torch.randint(0, 64, (8,), generator=generator)
        yield x[rows], y[rows]


def optimise(network, learning_rate, **settings):
    return torch.optim.AdamW(
        network.parameters(), lr=learning_rate, betas=(0.9, 0.98), weight_decay=1e-4, **settings
    )


WEIGHTS = torch.tensor([0.5, 1.0, 2.0])


@pytest.mark.parametrize("n_features", [37, 700])
def test_each_of_200_steps_agrees_with_the_literal_algorithm(n_features):
    """With the paper's optimiser, both taking every step from the same weights.

    Left to themselves any two float32 versions part company after some twenty steps, the literal
    one from itself with its weights shaken by 1e-7 too: BatchNorm over eight samples amplifies
    rounding. So the literal network is put back on the fast one's path after each step.
    """
    fast, literal, _ = build_pair(n_features)
    fast_optimiser = optimise(fast, 3e-3, eps=1e-5, fused=True)
    literal_optimiser = optimise(literal, 3e-3, eps=1e-5)
    for step, (x, y) in enumerate(batches(n_features, 200)):
        fast_loss = take_step(fast, fast_optimiser, x, y, WEIGHTS)
        literal_loss = take_step(literal, literal_optimiser, x, y, WEIGHTS)
        assert fast_loss == pytest.approx(literal_loss, rel=1e-3, abs=1e-4), f"step {step}"
        for a, b in zip(ordered_parameters(fast), literal.parameters(), strict=True):
            torch.testing.assert_close(a, b, rtol=1e-3, atol=5e-4)
        copy_weights(fast, literal)


@pytest.mark.parametrize("n_features", [37, 700])
def test_runs_200_steps_beside_the_literal_algorithm(n_features):
    """Without help, at a learning rate so small that rounding is not amplified."""
    fast, literal, _ = build_pair(n_features)
    start = [p.detach().clone() for p in literal.parameters()]
    fast_optimiser = optimise(fast, 1e-5, eps=1e-3, fused=True)
    literal_optimiser = optimise(literal, 1e-5, eps=1e-3)
    for step, (x, y) in enumerate(batches(n_features, 200)):
        fast_loss = take_step(fast, fast_optimiser, x, y, WEIGHTS)
        literal_loss = take_step(literal, literal_optimiser, x, y, WEIGHTS)
        assert fast_loss == pytest.approx(literal_loss, rel=1e-3, abs=1e-4), f"step {step}"
    for a, b, s in zip(ordered_parameters(fast), literal.parameters(), start, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=5e-5)
        assert not torch.equal(b, s), "the step was too small to tell anything"


def test_gradients_agree_with_autograd_on_the_literal_algorithm():
    fast, literal, _ = build_pair(700)
    x, y = torch.randn(8, 700), torch.tensor([0, 1, 2, 0, 1, 2, 0, 1])
    (nn.functional.cross_entropy(fast(x), y) + fast.penalty()).backward()
    logits, scores = literal(x)
    (nn.functional.cross_entropy(logits, y) + SPARSITY * scores.sum()).backward()
    for a, b in zip(ordered_parameters(fast), literal.parameters(), strict=True):
        scale = b.grad.abs().max().item() + 1e-8
        torch.testing.assert_close(a.grad / scale, b.grad / scale, rtol=1e-3, atol=2e-4)


def build_towers(rate, inputs=30, units=(100, 100), outputs=100, bounded=True):
    """Return the same tower twice."""

    def build():
        masks = MaskStream(5)
        blocks = [HiddenBlock(a, b, rate, masks) for a, b in pairwise((inputs, *units))]
        return Tower(blocks, nn.Linear((inputs, *units)[-1], outputs), bounded)

    fused, plain = build(), build()
    plain.load_state_dict(fused.state_dict())
    return fused, plain


def run_plainly(tower, x):
    out = tower.output(tower.blocks(x))
    return out.tanh() if tower.bounded else out


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("rows", [2, 8, CHUNK - 1, CHUNK, CHUNK + 1, 10 * CHUNK + 7])
@pytest.mark.parametrize("rate", [0.0, 0.2])
@pytest.mark.parametrize(
    "shape",
    [
        {},
        {"outputs": 1, "bounded": False},
        {"units": (40, 100, 60, 40)},
        {"units": (17,), "outputs": 3},
        {"units": ()},
    ],
    ids=["predictor", "scores", "widths", "one-block", "no-block"],
)
def test_fused_tower_equals_the_plain_one_in_double_precision(shape, rows, rate, threads):
    torch.set_num_threads(threads)
    torch.manual_seed(rows)
    fused, plain = build_towers(rate, **shape)
    plain.double()
    x = torch.randn(rows, 30)
    out_fused, out_plain = fused(x), run_plainly(plain, x.double())
    torch.testing.assert_close(out_fused.double(), out_plain, rtol=1e-3, atol=1e-4)
    upstream = torch.randn_like(out_fused)
    out_fused.backward(upstream)
    out_plain.backward(upstream.double())
    # Among very many units one may be so close to zero that rounding decides on its slope; of two
    # rows BatchNorm keeps little but the signs.
    tolerance = 1e-2 if rows > 2 * CHUNK or rows == 2 else 1e-4
    for (name, a), (_, b) in zip(fused.named_parameters(), plain.named_parameters(), strict=True):
        error = (a.grad - b.grad).abs().max() / (b.grad.abs().max() + 1e-8)
        assert error < tolerance, name
    for (name, a), (_, b) in zip(fused.named_buffers(), plain.named_buffers(), strict=True):
        torch.testing.assert_close(a.to(b.dtype), b, rtol=1e-4, atol=1e-5, msg=name)
    fused.eval()
    plain.eval()
    with torch.no_grad():
        expected = run_plainly(plain, x.double())
        torch.testing.assert_close(fused(x).double(), expected, rtol=1e-3, atol=1e-4)


def test_towers_do_not_depend_on_the_number_of_threads():
    fused, twin = build_towers(0.2)
    x = torch.randn(20 * CHUNK + 3, 30)
    upstream = torch.randn(len(x), 100)
    outputs = []
    for threads, tower in ((1, fused), (2, twin)):
        torch.set_num_threads(threads)
        outputs.append(tower(x))
        outputs[-1].backward(upstream)
    assert torch.equal(*outputs)
    for a, b in zip(fused.parameters(), twin.parameters(), strict=True):
        assert torch.equal(a.grad, b.grad)


def test_statistics_do_not_cancel_for_columns_far_from_zero():
    tower, plain = build_towers(0.0, inputs=3, units=(100,))
    with torch.no_grad():
        tower.blocks[0].linear.bias.fill_(1000.0)
    plain.load_state_dict(tower.state_dict())
    x = torch.randn(2000, 3, generator=torch.Generator().manual_seed(3))
    tower(x)
    run_plainly(plain.double(), x.double())
    torch.testing.assert_close(
        tower.blocks[0].norm.running_var.double(),
        plain.blocks[0].norm.running_var,
        rtol=1e-4,
        atol=1e-6,
    )


def test_running_a_tower_twice_before_backward_is_an_error():
    tower, _ = build_towers(0.2)
    first = tower(torch.randn(10, 30))
    tower(torch.randn(10, 30))
    with pytest.raises(RuntimeError, match="forward again"):
        first.sum().backward()


def test_evaluating_between_forward_and_backward_changes_no_gradient():
    tower, twin = build_towers(0.2)
    x = torch.randn(50, 30)
    for each in (tower, twin):
        out = each(x)
        if each is tower:
            with torch.no_grad():
                tower.eval()(torch.randn(50, 30))
        out.sum().backward()
    for a, b in zip(tower.parameters(), twin.parameters(), strict=True):
        assert torch.equal(a.grad, b.grad)


def test_the_output_of_a_frozen_tower_is_not_overwritten():
    tower, _ = build_towers(0.2)
    tower.requires_grad_(False)
    first = tower(torch.randn(10, 30))
    kept = first.clone()
    tower(torch.randn(10, 30))
    assert torch.equal(first, kept)
