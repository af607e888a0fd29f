"""Lasso, elastic net and k-nearest neighbours."""

import numpy as np
import pytest

from baselines._shared.example_tables import make_table
from baselines.elastic_net import ElasticNetClassifier
from baselines.lasso import METHODS, LassoClassifier
from baselines.nearest_neighbours import NearestNeighboursClassifier


def test_the_lasso_selects_fewer_features_as_the_penalty_grows():
    table = make_table((20, 20, 20), 80, distance=1.0)
    counts = [
        len(LassoClassifier(C=C, random_state=0).fit(table.X, table.y).selected_features_)
        for C in (0.1, 1.0)
    ]
    assert 0 < counts[0] < counts[1] < 80


def test_the_elastic_net_lies_between_ridge_and_lasso():
    table = make_table((20, 20, 20), 80, distance=1.0)
    counts = [
        len(
            ElasticNetClassifier(C=0.1, l1_ratio=ratio, random_state=0)
            .fit(table.X, table.y)
            .selected_features_
        )
        for ratio in (0.9, 0.5, 0.0)
    ]
    assert 0 < counts[0] < counts[1] < counts[2] == 80


def test_an_unfinished_solver_says_so_without_a_warning(recwarn):
    table = make_table((20, 20, 20), 80, distance=1.0)
    model = LassoClassifier(C=100.0, max_iter=2, random_state=0).fit(table.X, table.y)
    assert not model.converged_
    assert model.n_steps_ == 2
    assert not recwarn.list


def test_every_data_set_of_the_paper_has_its_penalty():
    (method,) = METHODS
    assert method.paper_hyperparameters("toxicity") == {"C": 100.0}
    assert len(method.paper_values) == 9


def test_votes_weigh_as_much_as_their_class_is_rare():
    X = np.array([[0.0], [0.1], [0.2], [0.3], [5.0], [0.15]])
    y = np.array([0, 0, 0, 0, 0, 1])
    model = NearestNeighboursClassifier(n_neighbors=3).fit(X, y)
    # Two votes of the frequent class at 6 / 10 each against one of the rare class at 6 / 2.
    np.testing.assert_allclose(model.predict_proba([[0.15]]), [[1.2 / 4.2, 3 / 4.2]])


def test_fewer_rows_than_neighbours_all_vote():
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1])
    model = NearestNeighboursClassifier(n_neighbors=50).fit(X, y)
    assert model.predict_proba([[0.0]])[0] == pytest.approx([0.5, 0.5])
