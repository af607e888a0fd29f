"""ProtoGate: its sorting, its gates and the rows it shows for a prediction."""

import numpy as np
import pytest
import torch

from baselines._shared.example_tables import Table, make_table
from baselines.protogate import ProtoGateClassifier, sort_softly


@pytest.fixture(scope="module")
def table() -> Table:
    """Three classes, ten informative features of eighty."""
    return make_table((20, 20, 20), 80)


@pytest.fixture(scope="module")
def model(table: Table) -> ProtoGateClassifier:
    """Trained long enough that most gates are shut."""
    model = ProtoGateClassifier(max_steps=500, global_sparsity=5e-3, random_state=0)
    return model.fit(table.X, table.y, eval_set=[(table.X_valid, table.y_valid)])


def sort_plainly(scores: torch.Tensor, temperature: float) -> torch.Tensor:
    """NeuralSort of one vector as its paper writes it: the whole matrix, row by row."""
    m = len(scores)
    differences = (scores[:, None] - scores[None, :]).abs()
    rows = [
        torch.softmax(((m + 1 - 2 * i) * scores - differences @ torch.ones(m)) / temperature, 0)
        for i in range(1, m + 1)
    ]
    return torch.stack(rows)


def test_the_first_rows_are_those_of_the_whole_matrix():
    scores = torch.randn(4, 7, generator=torch.Generator().manual_seed(0), requires_grad=True)
    found = sort_softly(scores, 3, temperature=2.0)
    expected = torch.stack([sort_plainly(row, 2.0)[:3] for row in scores])
    torch.testing.assert_close(found, expected)
    weights = torch.linspace(-1, 1, found.numel()).reshape(found.shape)
    (gradient,) = torch.autograd.grad((found * weights).sum(), scores)
    (plain_gradient,) = torch.autograd.grad((expected * weights).sum(), scores)
    torch.testing.assert_close(gradient, plain_gradient)


def test_a_cold_sort_is_a_sort():
    scores = torch.tensor([[0.3, 2.0, -1.0, 1.1]])
    places = sort_softly(scores, 4, temperature=1e-4)[0].argmax(dim=1)
    assert places.tolist() == [1, 3, 0, 2]


def test_gates_open_for_informative_features(model: ProtoGateClassifier):
    assert set(np.argsort(-model.feature_importances_)[:5]) <= set(range(10))
    assert 0 < len(model.selected_features_) < 60


def test_as_many_features_are_selected_as_a_typical_row_opens(
    model: ProtoGateClassifier, table: Table
):
    gates = model.gating_.open(model.scaler_.transform(table.X))
    np.testing.assert_allclose(model.feature_importances_, gates.mean(axis=0), atol=1e-6)
    assert len(model.selected_features_) == int(np.median((gates > 0).sum(axis=1)))
    others = np.setdiff1d(np.arange(80), model.selected_features_)
    smallest = gates.mean(axis=0)[model.selected_features_].min()
    assert smallest >= gates.mean(axis=0)[others].max()


def test_a_prediction_is_the_vote_of_the_rows_it_shows(model: ProtoGateClassifier, table: Table):
    found = model.predict(table.X_test)
    assert model.neighbours_.shape == (len(table.X_test), 3)
    votes = [np.bincount(table.y[rows], minlength=3) for rows in model.neighbours_]
    np.testing.assert_array_equal(found, np.argmax(votes, axis=1))


def test_a_training_row_is_its_own_nearest(model: ProtoGateClassifier, table: Table):
    model.predict(table.X)
    np.testing.assert_array_equal(model.neighbours_[:, 0], np.arange(len(table.X)))


def test_a_rare_class_outvotes_a_frequent_one():
    table = make_table((20, 5), 10)
    model = ProtoGateClassifier(n_neighbors=25, max_steps=50, random_state=0)
    model.fit(table.X, table.y, eval_set=[(table.X_valid, table.y_valid)])
    # Every row votes: the weights 25 / 40 and 25 / 10 make both classes equal.
    np.testing.assert_allclose(model.predict_proba(table.X_test), 0.5)


def test_training_stops_when_the_total_validation_loss_no_longer_falls(table: Table):
    rng = np.random.default_rng(0)
    model = ProtoGateClassifier(
        global_sparsity=0.0, local_sparsity=0.0, patience=3, validation_interval=10, random_state=0
    )
    model.fit(table.X, rng.permutation(table.y), eval_set=[(table.X_valid, table.y_valid)])
    losses = model.history_["valid_loss"]
    assert model.best_step_ == model.history_["step"][int(np.argmin(losses))]
    assert model.n_steps_ == model.best_step_ + 3 * 10 < model.max_steps


def test_gradients_by_hand_are_those_of_autograd():
    """Gates that are open, shut and in between; rows that count differently."""
    from baselines.protogate import _draw_parameters, _propose_gates

    model = ProtoGateClassifier(temperature=2.0, global_sparsity=1e-2, local_sparsity=0.1)
    torch.manual_seed(0)
    parameters = _draw_parameters(30, 6, "cpu")
    parameters[2] *= 50  # so that tanh and the clamp matter
    x, y, weights = torch.randn(9, 30), torch.arange(9) % 3, torch.rand(9) + 0.5
    state = torch.get_rng_state()
    loss, z = model._differentiate(parameters, x, y, weights)

    leaves = [parameter.detach().clone().requires_grad_() for parameter in parameters]
    W1, b1, W2, b2 = leaves
    plain_z = torch.tanh(torch.tanh(x @ W1 + b1) @ W2 + b2)
    torch.set_rng_state(state)
    gates = (plain_z + model.noise * torch.randn_like(plain_z)).clamp(0, 1)
    distances = torch.cdist(x * gates, x * gates).square()
    plain_loss = model._predict_loss(distances, y, y, weights)
    (plain_loss + model._penalise(W1, plain_z)).backward()
    assert {0.0, 1.0} < set(gates.flatten().tolist())
    torch.testing.assert_close(loss, plain_loss.detach())
    torch.testing.assert_close(z, plain_z.detach())
    torch.testing.assert_close(_propose_gates(parameters, x)[1], z)
    for parameter, leaf in zip(parameters, leaves, strict=True):
        torch.testing.assert_close(parameter.grad, leaf.grad, rtol=1e-4, atol=1e-6)
