import pytest
import torch

from wpfs.auxiliary import SparsityNetwork, WeightPredictor
from wpfs.layers import ConcreteFirstLayer, LinearFirstLayer
from wpfs.masks import MaskStream
from wpfs.networks import ClassificationNetwork, Decoder

SIZES = (100, 100, 100, 100)


def build_wpfs(n_features, n_classes=2, wpn=True, spn=True, size=50):
    masks = MaskStream(0)
    embeddings = torch.rand(n_features, size)
    first = LinearFirstLayer(
        n_features,
        100,
        0.2,
        masks,
        WeightPredictor(size, SIZES, 0.2, masks) if wpn else None,
        SparsityNetwork(size, SIZES, 0.2, masks) if spn else None,
        embeddings,
    )
    return ClassificationNetwork(first, (100, 100, 10), n_classes, 0.2, masks, sparsity=0.1)


def test_parameter_counts_of_the_paper():
    wpfs = build_wpfs(20_000).count_parameters()
    mlp = build_wpfs(20_000, wpn=False, spn=False).count_parameters()
    assert wpfs == 83_953
    assert mlp == 2_011_652
    assert 1 - wpfs / mlp == pytest.approx(0.958, abs=5e-4)
    at_6000 = build_wpfs(6_000, wpn=False, spn=False).count_parameters()
    assert 1 - build_wpfs(6_000).count_parameters() / at_6000 == pytest.approx(0.86, abs=5e-3)


def test_initial_values():
    torch.manual_seed(0)
    network = build_wpfs(6_000)
    predictor = network.first_layer.weight_predictor
    assert predictor.output.weight.abs().max() <= 0.01
    hidden = predictor.blocks[1].linear.weight
    assert hidden.std().item() == pytest.approx((2 / 1.0001 / 100) ** 0.5, rel=0.02)
    free = build_wpfs(6_000, wpn=False, spn=False).first_layer
    assert free.weight.std().item() == pytest.approx(0.141, rel=0.01)
    assert torch.all(free.bias == 0)


def test_scores_scale_the_input_and_make_the_sparsity_loss():
    network = build_wpfs(300)
    network(torch.randn(8, 300))
    scores = network.first_layer.scores
    assert scores.shape == (300,)
    assert 0 < scores.min() <= scores.max() < 1
    assert network.penalty().item() == pytest.approx(0.1 * scores.sum().item(), rel=1e-5)


def test_one_feature_is_enough():
    network = build_wpfs(1)
    network(torch.randn(8, 1)).sum().backward()
    network.eval()
    assert torch.isfinite(network(torch.randn(3, 1))).all()


def test_concrete_layer_cools_exponentially_and_ends_with_single_features():
    layer = ConcreteFirstLayer(30, 5, annealing_steps=100)
    temperatures = []
    for step in (1, 50, 100, 500):
        layer.set_step(step)
        temperatures.append(layer.temperature)
    assert temperatures == pytest.approx([10 * 0.001**0.01, 10 * 0.001**0.5, 0.01, 0.01])
    x = torch.randn(4, 30)
    layer.eval()
    chosen = layer.logits.argmax(dim=1)
    torch.testing.assert_close(layer(x), x[:, chosen])
    importances = layer.importances()
    assert importances.sum() == 5
    assert set(torch.nonzero(importances).flatten().tolist()) == set(chosen.tolist())


def test_concrete_layer_mixes_features_while_training():
    torch.manual_seed(0)
    layer = ConcreteFirstLayer(30, 5, annealing_steps=100)
    x = torch.ones(4, 30)
    torch.testing.assert_close(layer(x), torch.ones(4, 5))  # weights of a selector sum to one
    layer(torch.randn(4, 30)).sum().backward()
    assert layer.logits.grad.abs().sum() > 0


def test_cold_selectors_draw_features_with_the_probabilities_of_their_logits():
    torch.manual_seed(0)
    n = 5000
    layer = ConcreteFirstLayer(3, n, annealing_steps=100)
    layer.set_step(100)
    with torch.no_grad():
        layer.logits.copy_(torch.tensor([0.0, 1.0, 2.0]).expand(n, 3))
        chosen = layer(torch.eye(3)).argmax(dim=0)
    wanted = torch.softmax(torch.tensor([0.0, 1.0, 2.0]), dim=0)
    found = torch.bincount(chosen, minlength=3) / n
    assert (found - wanted).abs().max().item() < 4 * (0.25 / n) ** 0.5


def test_the_smallest_uniform_draw_gives_a_weight_of_zero(monkeypatch):
    def draw(like):
        return torch.full_like(like, 0.5).index_fill_(1, torch.tensor([0]), 0.0)

    monkeypatch.setattr(torch, "rand_like", draw)
    layer = ConcreteFirstLayer(30, 5, annealing_steps=100)
    out = layer(torch.eye(30))
    assert out[0].tolist() == [0.0] * 5
    out.square().sum().backward()
    assert torch.isfinite(layer.logits.grad).all()


def test_decoder_adds_its_error_to_the_loss_only_while_training():
    masks = MaskStream(0)
    embeddings = torch.rand(40, 10)
    decoder = Decoder(WeightPredictor(10, SIZES, 0.2, masks), embeddings)
    first = LinearFirstLayer(40, 100, 0.2, masks)
    network = ClassificationNetwork(
        first, (100, 100, 10), 2, 0.2, masks, decoder=decoder, reconstruction=2.0
    )
    network(torch.randn(8, 40))
    assert network.penalty().item() > 0
    network.forget_last_batch()
    network.eval()
    network(torch.randn(8, 40))
    assert network.penalty() is None
