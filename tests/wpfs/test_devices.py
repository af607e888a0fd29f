"""No GPU here: train on PyTorch's "meta" device, whose tensors have a shape but no numbers.

A meta tensor refuses to meet a CPU tensor and cannot be read, as if it were on a GPU that never
answers: so these tests find tensors made on the wrong device and every hidden synchronisation.
"""

import pytest
import torch

from wpfs import training
from wpfs.auxiliary import SparsityNetwork, WeightPredictor
from wpfs.layers import ConcreteFirstLayer, LinearFirstLayer
from wpfs.masks import MaskStream
from wpfs.networks import ClassificationNetwork, Decoder
from wpfs.options import TrainingOptions

D, M, K = 50, 7, 12
SIZES = (20, 20, 20, K)


def build(kind):
    masks = MaskStream(0)
    embeddings = torch.rand(D, M)

    def predictor():
        return WeightPredictor(M, SIZES, 0.2, masks)

    decoder = None
    if kind == "wpfs":
        spn = SparsityNetwork(M, SIZES, 0.2, masks)
        first = LinearFirstLayer(D, K, 0.2, masks, predictor(), spn, embeddings)
    elif kind == "mlp":
        first = LinearFirstLayer(D, K, 0.2, masks)
    elif kind == "cae":
        first = ConcreteFirstLayer(D, K, 100)
    else:
        first = ConcreteFirstLayer(D, K, 100, predictor(), embeddings)
        decoder = Decoder(WeightPredictor(M, (20, K), 0.2, masks), embeddings)
    return ClassificationNetwork(
        first, (K, K, 5), 2, 0.2, masks, sparsity=0.1, decoder=decoder, reconstruction=1.0
    )


@pytest.mark.parametrize("kind", ["wpfs", "mlp", "cae", "fsnet"])
def test_a_whole_training_stays_on_its_device_and_looks_at_the_host_only_in_checks(
    kind, monkeypatch
):
    checks = []

    def check(network, validation, batch_size, class_weights, step, pending, learning_rate):
        network.eval()
        with torch.no_grad():
            assert network(validation.X).device.type == "meta"
        assert all(loss.device.type == "meta" for loss in pending)
        checks.append(step)
        return training.ValidationCheck(step, 0.0, 0.0, float(step), learning_rate)

    monkeypatch.setattr(training, "_check_validation", check)
    network = build(kind).to("meta")
    samples = training.DeviceSamples(
        torch.empty(24, D, device="meta"), torch.empty(24, dtype=torch.long, device="meta")
    )
    outcome = training.train(
        network,
        samples,
        samples,
        torch.ones(2, device="meta"),
        TrainingOptions(max_steps=7, validation_interval=2),
        seed=0,
    )
    assert outcome.n_steps == 7
    assert checks == [2, 5]
    assert {tensor.device.type for tensor in network.state_dict().values()} == {"meta"}
    assert network.first_layer.importances().device.type == "meta"


def test_the_check_can_fail():
    network = build("wpfs").to("meta")
    with pytest.raises((RuntimeError, NotImplementedError), match=r"[Dd]evice|meta"):
        network(torch.randn(8, D)).tolist()
