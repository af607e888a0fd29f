"""SPINN, the DNP proxy and greedy DNP as classifiers."""

import numpy as np
import pytest

from baselines._shared.example_tables import Table, make_table
from baselines.dnp_greedy import DnpGreedyClassifier
from baselines.spinn import METHODS, DnpProxyClassifier, SpinnClassifier


@pytest.fixture
def table() -> Table:
    """Three classes, ten informative features of eighty."""
    return make_table((20, 20, 20), 80)


def test_unselected_features_have_exactly_zero_weights(table: Table):
    model = SpinnClassifier(penalty=0.1, max_iter=400, random_state=0).fit(table.X, table.y)
    used = np.flatnonzero(model.layers_.weights[0].any(axis=1))
    np.testing.assert_array_equal(model.selected_features_, used)
    assert 0 < len(used) < 40
    strongest = np.argsort(-model.feature_importances_)[:5]
    assert set(strongest) <= set(range(10))


def test_the_proxy_for_dnp_is_spinn_with_the_group_lasso_alone(table: Table):
    spinn = SpinnClassifier(group_share=1.0, max_iter=50, random_state=0).fit(table.X, table.y)
    dnp = DnpProxyClassifier(max_iter=50, random_state=0).fit(table.X, table.y)
    np.testing.assert_array_equal(
        spinn.predict_proba(table.X_test), dnp.predict_proba(table.X_test)
    )


def test_the_papers_settings_are_the_defaults():
    spinn, dnp = METHODS
    assert spinn.defaults()["penalty"] == dnp.defaults()["penalty"] == 0.0032
    assert spinn.defaults()["group_share"] == 0.9
    assert dnp.estimator.group_share == 1.0
    assert spinn.defaults()["max_iter"] == 1000


def test_validation_rows_change_nothing(table: Table):
    alone = SpinnClassifier(max_iter=20, random_state=0).fit(table.X, table.y)
    beside = SpinnClassifier(max_iter=20, random_state=0).fit(
        table.X, table.y, eval_set=[(table.X_valid, table.y_valid)]
    )
    np.testing.assert_array_equal(alone.layers_.weights[0], beside.layers_.weights[0])


def test_greedy_pursuit_finds_informative_features_first(table: Table):
    model = DnpGreedyClassifier(max_features=6, random_state=0)
    model.fit(table.X, table.y, eval_set=[(table.X_valid, table.y_valid)])
    assert set(model.selected_features_[:3].tolist()) <= set(range(10))
    assert len(set(model.selected_features_)) == len(model.selected_features_)
    assert model.best_step_ == len(model.selected_features_) <= model.n_steps_ <= 6


def test_greedy_pursuit_keeps_the_number_of_features_with_the_lowest_validation_loss(table: Table):
    model = DnpGreedyClassifier(max_features=15, patience=4, random_state=0)
    model.fit(table.X, table.y, eval_set=[(table.X_valid, table.y_valid)])
    losses = model.history_["valid_loss"]
    assert int(np.argmin(losses)) + 1 == model.best_step_
    assert model.n_steps_ == 15 or model.n_steps_ == model.best_step_ + 4
