"""The sliding-window form of GCondNet's graph network against the plain one."""

import numpy as np
import pytest
import torch

from baselines._shared.feature_graphs import GraphNetwork, build_graphs

N_SAMPLES, N_FEATURES, N_NEIGHBOURS, N_OUTPUTS = 11, 7, 3, 4


@pytest.fixture(name="X")
def make_samples() -> np.ndarray:
    """Eleven samples; one feature is constant and one takes three values only."""
    X = np.random.default_rng(0).normal(size=(N_SAMPLES, N_FEATURES)).astype(np.float32)
    X[:, 2] = 1.0
    X[:, 4] = np.arange(N_SAMPLES) % 3
    return X


def connect_plainly(x: np.ndarray) -> np.ndarray:
    """Return A + I of one feature, [i, j] for i sends to j; equally near: the lower sorted one."""
    order = np.argsort(x, kind="stable")
    adjacency = np.eye(len(x))
    for place, sample in enumerate(order):
        distances = [
            (abs(np.float32(x[other]) - np.float32(x[sample])), at > place, abs(at - place), other)
            for at, other in enumerate(order)
            if other != sample
        ]
        for *_, other in sorted(distances)[:N_NEIGHBOURS]:
            adjacency[sample, other] = 1
    return adjacency


def embed_plainly(X: np.ndarray, network: GraphNetwork, keep: torch.Tensor) -> torch.Tensor:
    """Two graph convolutions over all nodes of each graph, then the mean (double precision)."""
    embeddings = []
    for j, x in enumerate(X.T.astype(float)):
        adjacency = torch.from_numpy(connect_plainly(x))
        norm = adjacency.sum(dim=0) ** -0.5
        propagate = norm[:, None] * adjacency.T * norm[None, :]
        nodes = torch.diag(torch.from_numpy(x))
        hidden = torch.relu(propagate @ nodes @ network.weight1.double() + network.bias1)
        hidden = hidden * keep[j]
        out = propagate @ hidden @ network.weight2.double() + network.bias2
        embeddings.append(out.mean(dim=0))
    return torch.stack(embeddings)


def read_bits(bits: np.ndarray, X: np.ndarray) -> torch.Tensor:
    """Return the dropout factors (D, n, 2 K) in the order of the samples."""
    factors = np.unpackbits(bits, axis=1, bitorder="little")
    ranks = np.argsort(np.argsort(X.T, axis=1, kind="stable"), axis=1)
    return torch.from_numpy(2.0 * np.take_along_axis(factors, ranks[:, :, None], axis=1))


@pytest.mark.parametrize("training", [False, True])
def test_the_shortcut_is_exact_with_its_gradients(
    X: np.ndarray, training: bool, monkeypatch: pytest.MonkeyPatch
):
    torch.manual_seed(0)
    network = GraphNetwork(build_graphs(X, N_NEIGHBOURS), N_OUTPUTS, seed=0).train(training)
    torch.nn.init.normal_(network.bias1, std=0.3)
    bits = network.draw_dropout()
    monkeypatch.setattr(network, "draw_dropout", lambda: bits)
    keep = read_bits(bits, X) if training else torch.ones(N_FEATURES, 1, 1)

    found, expected = network(), embed_plainly(X, network, keep)
    torch.testing.assert_close(found.double(), expected, atol=1e-6, rtol=1e-5)

    weights = torch.linspace(-1, 2, found.numel()).reshape(found.shape)
    parameters = list(network.parameters())
    gradients = torch.autograd.grad((found * weights).sum(), parameters)
    plain = torch.autograd.grad((expected * weights).sum(), parameters)
    for gradient, plain_gradient in zip(gradients, plain, strict=True):
        torch.testing.assert_close(gradient, plain_gradient, atol=1e-5, rtol=1e-4)


def test_few_samples_all_know_each_other():
    graphs = build_graphs(np.array([[0.0], [2.0], [1.0]]), n_neighbors=5)
    assert graphs.n_neighbors == 2
    assert graphs.n_senders.tolist() == [[3, 3, 3]]


def test_half_of_the_hidden_units_are_dropped(X: np.ndarray):
    network = GraphNetwork(build_graphs(np.repeat(X, 100, axis=1), N_NEIGHBOURS), N_OUTPUTS, 0)
    assert np.unpackbits(network.draw_dropout()).mean() == pytest.approx(0.5, abs=0.01)
