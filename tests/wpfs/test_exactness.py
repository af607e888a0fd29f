"""The fast path is the paper's Algorithm 1, to float32 tolerance."""

import pytest
import torch
from literal import LiteralWPFS, RecordedMasks, copy_weights, ordered_parameters
from torch import nn

from wpfs.auxiliary import SparsityNetwork, WeightPredictor
from wpfs.layers import LinearFirstLayer
from wpfs.networks import ClassificationNetwork
from wpfs.options import TrainingOptions
from wpfs.step import CompiledStep

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


def take_literal_step(network, optimiser, x, y):
    logits, scores = network(x)
    loss = nn.functional.cross_entropy(logits, y, WEIGHTS) + SPARSITY * scores.sum()
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


def build_steps(fast, literal, learning_rate, eps):
    """Return a function for a step of each, on the same batch, that gives the loss."""
    options = TrainingOptions(learning_rate=learning_rate)
    step = CompiledStep(fast, WEIGHTS, options, rows=8, eps=eps)
    optimiser = torch.optim.AdamW(
        literal.parameters(), lr=learning_rate, betas=(0.9, 0.98), weight_decay=1e-4, eps=eps
    )
    return (
        lambda x, y: step.take(x, y)[1].item(),
        lambda x, y: take_literal_step(literal, optimiser, x, y),
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
    take_fast, take_literal = build_steps(fast, literal, 3e-3, eps=1e-5)
    for step, (x, y) in enumerate(batches(n_features, 200)):
        assert take_fast(x, y) == pytest.approx(take_literal(x, y), rel=1e-3, abs=1e-4), step
        for a, b in zip(ordered_parameters(fast), literal.parameters(), strict=True):
            torch.testing.assert_close(a, b, rtol=1e-3, atol=5e-4)
        copy_weights(fast, literal)


@pytest.mark.parametrize("n_features", [37, 700])
def test_runs_200_steps_beside_the_literal_algorithm(n_features):
    """Without help, at a learning rate so small that rounding is not amplified."""
    fast, literal, _ = build_pair(n_features)
    start = [p.detach().clone() for p in literal.parameters()]
    take_fast, take_literal = build_steps(fast, literal, 1e-5, eps=1e-3)
    for step, (x, y) in enumerate(batches(n_features, 200)):
        assert take_fast(x, y) == pytest.approx(take_literal(x, y), rel=1e-3, abs=1e-4), step
    for a, b, s in zip(ordered_parameters(fast), literal.parameters(), start, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=5e-5)
        assert not torch.equal(b, s), "the step was too small to tell anything"


def test_the_plain_modules_agree_with_the_literal_algorithm():
    """On what GPUs run, which is also what the compiled step is compared with elsewhere."""
    fast, literal, _ = build_pair(700)
    x, y = torch.randn(8, 700), torch.tensor([0, 1, 2, 0, 1, 2, 0, 1])
    (nn.functional.cross_entropy(fast(x), y) + fast.penalty()).backward()
    logits, scores = literal(x)
    (nn.functional.cross_entropy(logits, y) + SPARSITY * scores.sum()).backward()
    for a, b in zip(ordered_parameters(fast), literal.parameters(), strict=True):
        scale = b.grad.abs().max().item() + 1e-8
        torch.testing.assert_close(a.grad / scale, b.grad / scale, rtol=1e-3, atol=2e-4)
