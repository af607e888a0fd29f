"""GCondNet and STG: what they do to a perceptron's first layer."""

import numpy as np
import pytest
import torch

from baselines._shared.example_tables import Table, make_table
from baselines.gcondnet import GCondNetClassifier
from baselines.mlp import MLPClassifier
from baselines.stg import STGClassifier

BRIEF = {"hidden_sizes": (20, 10), "max_steps": 300, "random_state": 0}


@pytest.fixture(scope="module")
def table() -> Table:
    """Three classes, ten informative features of eighty."""
    return make_table((20, 20, 20), 80)


def test_the_graphs_are_gone_after_training(table: Table):
    model = GCondNetClassifier(**BRIEF, learning_rate=3e-3).fit(table.X, table.y)
    plain = MLPClassifier(**BRIEF).fit(table.X, table.y)
    assert model.network_.first_layer.graph_network is None
    assert model.network_.count_parameters() == plain.network_.count_parameters()


def test_weights_from_graphs_are_kept_when_the_best_step_mixed_them(table: Table):
    """With mixing over more steps than there are, the free weights alone predict differently."""
    model = GCondNetClassifier(**BRIEF, mixing_steps=10_000, learning_rate=3e-3)
    model.fit(table.X, table.y, eval_set=[(table.X_valid, table.y_valid)])
    rows = torch.from_numpy(model._scaler.transform(table.X_valid).astype(np.float32))
    with torch.no_grad():
        loss = torch.nn.functional.cross_entropy(
            model.network_(rows), torch.from_numpy(table.y_valid)
        )
    assert loss.item() == pytest.approx(min(model.history_["valid_loss"]), rel=1e-5)


def test_the_share_of_the_graphs_falls_to_none(table: Table):
    from baselines._shared.feature_graphs import GraphConditionedLayer, build_graphs
    from wpfs.masks import MaskStream

    layer = GraphConditionedLayer(build_graphs(table.X, 5), 6, 0.0, MaskStream(0), 200)
    weights = []
    for step in (1, 101, 201, 500):
        layer.set_step(step)
        weights.append(layer.mix_weights().norm().item())
    assert weights[0] == pytest.approx(2 * weights[1], rel=0.1)
    assert weights[2] == weights[3] == 0


def test_the_first_weights_have_the_deviation_of_kaiming_s(table: Table):
    from baselines._shared.feature_graphs import GraphConditionedLayer, build_graphs
    from wpfs.masks import MaskStream

    layer = GraphConditionedLayer(build_graphs(table.X, 5), 100, 0.0, MaskStream(0), 200)
    deviations = layer.mix_weights().std(dim=1)
    torch.testing.assert_close(deviations, torch.full((80,), 0.1414), atol=1e-3, rtol=0)


def test_gates_close_where_there_is_nothing_to_learn(table: Table):
    counts = []
    for sparsity in (1e-4, 1e-1):
        model = STGClassifier(**BRIEF, sparsity=sparsity, learning_rate=1e-2)
        model.fit(table.X, table.y, eval_set=[(table.X_valid, table.y_valid)])
        counts.append(len(model.selected_features_))
        assert set(np.argsort(-model.feature_importances_)[:3]) <= set(range(10))
    assert 0 < counts[1] < counts[0] <= 80


def test_closed_gates_let_nothing_through(table: Table):
    model = STGClassifier(**BRIEF, sparsity=1e-1, learning_rate=1e-2).fit(table.X, table.y)
    closed = np.setdiff1d(np.arange(80), model.selected_features_)
    changed = table.X_test.copy()
    changed[:, closed] += 100
    np.testing.assert_array_equal(model.predict_proba(table.X_test), model.predict_proba(changed))
