"""A compiled step is the plain one, in double precision, for every network it knows."""

import copy

import pytest
import torch

from wpfs.auxiliary import SparsityNetwork, WeightPredictor
from wpfs.layers import ConcreteFirstLayer, LinearFirstLayer
from wpfs.masks import MaskStream
from wpfs.networks import ClassificationNetwork, Decoder
from wpfs.options import TrainingOptions
from wpfs.step import CompiledStep, PlainStep, build_step

D, M, K = 600, 20, 30
SIZES = (40, 40, K)
RATE = 0.2
WEIGHTS = torch.tensor([0.5, 1.0, 2.0])

KINDS = ("wpfs", "wpfs-without-wpn", "mlp", "diet-networks", "cae", "fsnet", "no-block")


def build(kind, hidden=(K, 20, 10), n_features=D):
    torch.manual_seed(0)
    masks, embeddings = MaskStream(0), torch.rand(n_features, M)

    def predict(units=K):
        return WeightPredictor(M, (*SIZES[:-1], units), RATE, masks)

    decoder = None
    if kind == "wpfs":
        selector = SparsityNetwork(M, SIZES, RATE, masks)
        first = LinearFirstLayer(n_features, K, RATE, masks, predict(), selector, embeddings)
    elif kind == "wpfs-without-wpn":
        selector = SparsityNetwork(M, SIZES, RATE, masks)
        first = LinearFirstLayer(n_features, K, RATE, masks, None, selector, embeddings)
    elif kind == "mlp":
        first = LinearFirstLayer(n_features, K, RATE, masks)
    elif kind == "diet-networks":
        first = LinearFirstLayer(n_features, K, RATE, masks, predict(), None, embeddings)
        decoder = Decoder(predict(hidden[1]), embeddings)
    elif kind == "cae":
        first = ConcreteFirstLayer(n_features, K, 100)
    elif kind == "fsnet":
        first = ConcreteFirstLayer(n_features, K, 100, predict(), embeddings)
        decoder = Decoder(predict(hidden[1]), embeddings)
    else:
        first, hidden = LinearFirstLayer(n_features, K, RATE, masks), (K,)
    return ClassificationNetwork(
        first, hidden, 3, RATE, masks, sparsity=3e-4, decoder=decoder, reconstruction=0.7
    )


def make_batches(n):
    generator = torch.Generator().manual_seed(1)
    for _ in range(n):
        x = torch.randn(8, D, generator=generator)
        yield x, torch.randint(0, 3, (8,), generator=generator)


@pytest.fixture
def same_noise(monkeypatch):
    """Let the selectors of a network in double precision draw what they draw in single."""
    draw = torch.rand_like
    monkeypatch.setattr(torch, "rand_like", lambda like: draw(like.float()).to(like.dtype))


@pytest.mark.parametrize("kind", KINDS)
def test_each_step_agrees_with_the_plain_one(kind, same_noise):
    network = build(kind)
    twin = copy.deepcopy(network).double()
    options = TrainingOptions()
    step = build_step(network, WEIGHTS, options, rows=8, eps=1e-3)
    assert isinstance(step, CompiledStep)
    plain = PlainStep(twin, WEIGHTS.double(), options, rows=8, eps=1e-3)
    for number, (x, y) in enumerate(make_batches(8), start=1):
        step.learning_rate = plain.learning_rate = 3e-3 / number
        for each in (network, twin):
            each.set_step(number)
        state = torch.get_rng_state()
        losses = step.take(x, y)
        torch.set_rng_state(state)
        torch.testing.assert_close(losses.double(), plain.take(x.double(), y), rtol=1e-5, atol=1e-6)
        expected = twin.state_dict()
        for name, found in network.state_dict().items():
            torch.testing.assert_close(
                found.to(expected[name].dtype), expected[name], rtol=1e-4, atol=2e-6, msg=name
            )
        twin.load_state_dict(network.state_dict())


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_depends_on_the_number_of_threads(kind):
    found = []
    for threads in (1, 3):
        torch.set_num_threads(threads)
        network = build(kind)
        step = build_step(network, WEIGHTS, TrainingOptions(), rows=8)
        torch.manual_seed(0)
        losses = [step.take(x, y) for x, y in make_batches(3)]
        found.append([*losses, *network.state_dict().values()])
    assert all(map(torch.equal, *found))


def test_large_gradients_are_clipped():
    """Gradients a hundred times as large move the parameters no further."""
    found = []
    for scale in (1.0, 100.0):
        network = build("mlp")
        before = network.head.weight.detach().clone()
        options = TrainingOptions(gradient_clip=1e-6, weight_decay=0.0)
        step = build_step(network, WEIGHTS, options, rows=8, eps=1.0)
        ((x, y),) = make_batches(1)
        step.take(x * scale, y)
        found.append((network.head.weight.detach() - before).norm().item())
    assert max(found) <= 3e-3 * 1e-6 * 1.01


def test_what_the_compiled_step_does_not_know_runs_plainly():
    class OtherLayer(LinearFirstLayer):
        pass

    masks = MaskStream(0)
    other = ClassificationNetwork(OtherLayer(D, K, RATE, masks), (K, 10), 3, RATE, masks)
    no_levels = ClassificationNetwork(ConcreteFirstLayer(D, K, 10), (K,), 3, RATE, masks)
    on_a_gpu = build("wpfs").to("meta")
    for network in (other, no_levels, on_a_gpu, build("mlp").double()):
        assert isinstance(build_step(network, WEIGHTS, TrainingOptions(), rows=8), PlainStep)


@pytest.mark.parametrize(("rows", "n_features"), [(1, D), (8, 1)])
def test_one_row_has_no_statistics_and_is_learned_from_plainly(rows, n_features):
    network = build("wpfs", n_features=n_features)
    step = build_step(network, WEIGHTS, TrainingOptions(), rows)
    assert isinstance(step, PlainStep)
    losses = step.take(torch.randn(rows, n_features), torch.zeros(rows, dtype=torch.long))
    assert losses.isfinite().all()
    assert all(value.isfinite().all() for value in network.state_dict().values())
