import math

import pytest
import torch
from torch import nn

from wpfs.auxiliary import SparsityNetwork
from wpfs.layers import LinearFirstLayer
from wpfs.masks import MaskStream
from wpfs.networks import ClassificationNetwork
from wpfs.options import TrainingOptions
from wpfs.subnormals import are_flushed
from wpfs.training import (
    DeviceSamples,
    TrainingDivergedError,
    schedule_factor,
    train,
)


def build(n_features=20, seed=0):
    torch.manual_seed(seed)
    masks = MaskStream(seed)
    first = LinearFirstLayer(n_features, 16, 0.2, masks)
    return ClassificationNetwork(first, (16, 8), 2, 0.2, masks)


def make_samples(n, n_features=20, seed=0):
    generator = torch.Generator().manual_seed(seed)
    X = torch.randn(n, n_features, generator=generator)
    return DeviceSamples(X, (X[:, 0] > 0).long())


def run(n=40, network=None, samples=None, **options):
    network = network or build()
    options = {"max_steps": 60, **options}
    samples = samples or make_samples(n)
    outcome = train(
        network, samples, make_samples(12, seed=9), torch.ones(2), TrainingOptions(**options), 0
    )
    return network, outcome


@pytest.mark.parametrize(
    ("n", "interval", "expected"),
    [
        (144, 5, [5, 10, 15, 23, 28, 33]),  # 18 batches: after 5, 10, 15 of each epoch
        (73, 4, [4, 8, 13, 17]),  # prostate: 9 batches, after 4 and 8
        (16, 5, [2, 4, 6]),  # fewer batches than the interval: at the end of each epoch
    ],
)
def test_validation_checks_start_counting_batches_in_each_epoch(n, interval, expected):
    _, outcome = run(n, validation_interval=interval, max_steps=expected[-1])
    assert [check.step for check in outcome.checks] == expected


def test_incomplete_batches_are_dropped_and_small_sets_make_one_batch():
    _, outcome = run(17, validation_interval=1, max_steps=6)
    assert [check.step for check in outcome.checks] == [1, 2, 3, 4, 5, 6]
    _, outcome = run(5, validation_interval=1, max_steps=3)
    assert outcome.n_steps == 3


def test_the_weights_with_the_lowest_validation_loss_are_restored():
    network, outcome = run(max_steps=200)
    best = min(outcome.checks, key=lambda check: check.valid_loss)
    assert outcome.best_step == best.step
    valid = make_samples(12, seed=9)
    with torch.no_grad():
        loss = nn.functional.cross_entropy(network(valid.X), valid.y).item()
    assert loss == pytest.approx(best.valid_loss, rel=1e-4)
    assert not network.training


def test_stops_after_so_many_checks_without_improvement():
    _, outcome = run(max_steps=5000, patience=7)
    assert outcome.reason == "patience"
    losses = [check.valid_loss for check in outcome.checks]
    assert len(losses) - 1 - losses.index(min(losses)) == 7


def test_fewer_steps_than_a_check_still_trains():
    before = build().head.weight.clone()
    network, outcome = run(max_steps=2)
    assert outcome.best_step == 2
    assert len(outcome.checks) == 1
    assert not torch.equal(before, network.head.weight)


@pytest.mark.parametrize(
    ("schedule", "factors"),
    [
        ("exponential", {0: 1.0, 1: 0.995, 100: 0.995**100, 499: 0.995**499, 500: 0.1, 900: 0.1}),
        ("linear", {0: 1.0, 250: 0.55, 500: 0.1, 900: 0.1}),
        ("constant", {0: 1.0, 700: 1.0}),
    ],
)
def test_schedules(schedule, factors):
    for check, factor in factors.items():
        assert schedule_factor(schedule, check) == pytest.approx(factor)


def test_the_learning_rate_moves_with_the_checks():
    _, outcome = run(max_steps=30, learning_rate=1.0e-3)
    rates = [check.learning_rate for check in outcome.checks]
    assert rates == pytest.approx([1e-3 * 0.995**k for k in range(len(rates))])


def test_divergence_names_the_step_and_the_loss():
    samples = make_samples(40)
    samples.X[3, 0] = math.nan
    with pytest.raises(TrainingDivergedError, match=r"training loss is nan at step [1-5]:"):
        run(samples=samples)


def test_can_be_cancelled_between_steps():
    asked = iter([False] * 13 + [True] * 100)
    network = build()
    outcome = train(
        network,
        make_samples(40),
        make_samples(12, seed=9),
        torch.ones(2),
        TrainingOptions(),
        0,
        should_stop=lambda: next(asked),
    )
    assert outcome.reason == "cancelled"
    assert outcome.n_steps == 13
    assert outcome.best_step in (5, 10)


@pytest.mark.parametrize("batched", [False, True])
def test_in_batched_validation_the_ninth_sample_counts_as_much_as_the_eight_before(batched):
    network, weights = build(), torch.tensor([0.5, 2.0])
    held_out = make_samples(9, seed=9)
    options = TrainingOptions(max_steps=5, batched_validation=batched)
    outcome = train(network, make_samples(40), held_out, weights, options, 0)
    with torch.no_grad():
        logits = network(held_out.X)
        whole, eight, ninth = (
            nn.functional.cross_entropy(logits[part], held_out.y[part], weights).item()
            for part in (slice(0, 9), slice(0, 8), slice(8, 9))
        )
    assert abs(whole - (eight + ninth) / 2) > 0.01
    expected = (eight + ninth) / 2 if batched else whole
    assert outcome.checks[0].valid_loss == pytest.approx(expected, rel=1e-5)


def test_progress_is_reported_at_every_check():
    seen = []
    outcome = train(
        build(),
        make_samples(40),
        make_samples(12, seed=9),
        torch.ones(2),
        TrainingOptions(max_steps=20),
        0,
        on_check=seen.append,
    )
    assert seen == outcome.checks


def test_penalty_is_recorded_apart_from_the_cross_entropy():
    masks = MaskStream(0)
    selector = SparsityNetwork(5, (16, 16), 0.2, masks)
    first = LinearFirstLayer(20, 16, 0.2, masks, None, selector, torch.rand(20, 5))
    network = ClassificationNetwork(first, (16, 8), 2, 0.2, masks, sparsity=0.5)
    # Every score is 1 / 2.
    torch.nn.init.zeros_(selector.output.weight)
    torch.nn.init.zeros_(selector.output.bias)
    _, outcome = run(network=network, max_steps=5, learning_rate=1e-9)
    assert [check.penalty for check in outcome.checks] == pytest.approx([0.5 * 20 / 2], rel=1e-4)
    assert outcome.checks[0].train_loss < 2.0


def test_subnormal_numbers_are_zero_while_training_and_only_then():
    states = []

    def look(check):
        states.append(are_flushed())
        raise KeyError

    samples = make_samples(20)
    with pytest.raises(KeyError):
        train(build(), samples, samples, torch.ones(2), TrainingOptions(), 0, on_check=look)
    assert states == [True]
    assert not are_flushed()
