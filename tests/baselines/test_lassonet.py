"""LassoNet: our proximal operator, the choice of a path point, the end of the path."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines._shared.example_tables import Table, make_table
from baselines._shared.hierarchical_shrinkage import shrink_hierarchically, shrink_layers
from baselines.lassonet import LassoNetClassifier, LassoNetPaperClassifier

QUICK = {
    "lambda_start": 50.0,
    "path_multiplier": 1.5,
    "learning_rate": 1e-3,
    "max_epochs": 30,
    "random_state": 0,
}


@settings(max_examples=100)
@given(st.integers(0, 2**20), st.floats(0, 2), st.floats(0.1, 20))
def test_our_proximal_operator_is_the_packages(seed: int, penalty: float, hierarchy: float):
    torch = pytest.importorskip("torch")
    prox = pytest.importorskip("lassonet.prox").prox
    rng = np.random.default_rng(seed)
    # More features than are worked on together, and network weights within and beyond the bound.
    sizes = rng.choice([0.1, 1.0, 10.0], size=150)
    skip = rng.normal(size=(3, 150)).astype(np.float32)
    first = (sizes * rng.normal(size=(7, 150))).astype(np.float32)
    skip[:, 4] = 0
    skip[:, 64:128] = 0
    theirs = prox(
        torch.from_numpy(skip),
        torch.from_numpy(first),
        lambda_=penalty,
        lambda_bar=0,
        M=hierarchy,
    )
    ours = skip.copy(), first.copy()
    shrink_hierarchically(*ours, penalty, hierarchy)
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, other.numpy(), rtol=1e-3, atol=1e-5)


def test_shrinking_removes_features_exactly():
    skip = np.array([[0.1, 5.0]], dtype=np.float32)
    first = np.array([[0.01, 1.0], [0.0, -2.0]], dtype=np.float32)
    shrink_hierarchically(skip, first, 1.0, 1.0)
    assert skip[0, 0] == 0
    assert not first[:, 0].any()
    np.testing.assert_allclose(skip[0, 1], 4.0)
    np.testing.assert_allclose(first[:, 1], [1.0, -2.0])


def test_without_hierarchy_the_network_is_off():
    torch = pytest.importorskip("torch")
    skip, first = torch.nn.Linear(4, 2, bias=False), torch.nn.Linear(4, 3)
    before = skip.weight.detach().clone()
    shrink_layers(skip, first, 0.0, 0.0, 0.0)
    assert not first.weight.any()
    np.testing.assert_allclose(skip.weight.detach(), before, rtol=1e-5)


def test_weights_at_their_bound_stay_there():
    """Rounding decides whether a weight is above a bound that it equals; it must end anyhow."""
    rng = np.random.default_rng(0)
    skip = rng.normal(size=(2, 100)).astype(np.float32)
    first = rng.normal(size=(20, 100)).astype(np.float32)
    shrink_hierarchically(skip, first, 0.3, 3.0)
    again = skip.copy(), first.copy()
    shrink_hierarchically(*again, 0.0, 3.0)
    np.testing.assert_allclose(again[0], skip, rtol=1e-5)
    np.testing.assert_allclose(again[1], first, rtol=1e-5)
    bounds = 3.0 * np.linalg.norm(again[0], axis=0)
    assert (np.abs(again[1]) <= bounds * (1 + 1e-5)).all()


def _fit(estimator: type, table: Table, **changes: object) -> LassoNetClassifier:
    model = estimator(**{**QUICK, **changes})
    return model.fit(table.X, table.y, eval_set=[(table.X_valid, table.y_valid)])


@pytest.fixture(scope="module")
def table() -> Table:
    """Three classes, ten informative features of thirty."""
    return make_table((10, 10, 10), 30)


@pytest.mark.slow
def test_the_point_with_the_lowest_weighted_validation_loss_predicts(table: Table):
    model = _fit(LassoNetClassifier, table)
    losses = model.history_["valid_loss"]
    assert model.best_step_ == int(np.argmin(losses))
    proba = model.predict_proba(table.X_valid)[np.arange(len(table.y_valid)), table.y_valid]
    weighted = np.average(-np.log(proba), weights=model.class_weights_[table.y_valid])
    assert weighted == pytest.approx(losses[model.best_step_], rel=1e-3)
    assert model.history_["n_selected"][model.best_step_] == len(model.selected_features_)


@pytest.mark.slow
def test_the_end_of_the_path_knows_nothing(table: Table):
    model = _fit(LassoNetPaperClassifier, table)
    assert len(model.selected_features_) == 0
    assert np.ptp(model.predict_proba(table.X_test), axis=0).max() < 1e-6
    informative, rest = model.feature_importances_[:10], model.feature_importances_[10:]
    assert informative.mean() > rest.mean()


@pytest.mark.slow
def test_later_fits_in_a_process_give_the_same():
    """In a process of its own, where nobody has set PyTorch's number of threads yet."""
    program = (
        "from baselines._shared.example_tables import make_table\n"
        "from baselines.lassonet import LassoNetClassifier\n"
        "table = make_table((14, 14, 14), 700, distance=1.0)\n"
        "valid = [(table.X_valid, table.y_valid)]\n"
        "for _ in range(2):\n"
        "    model = LassoNetClassifier(\n"
        "        lambda_start=20.0, learning_rate=3e-3, max_epochs=12, random_state=42\n"
        "    )\n"
        "    print(model.fit(table.X, table.y, eval_set=valid).history_)\n"
    )
    environment = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"}
    run = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    first, second = run.stdout.splitlines()
    assert first == second
