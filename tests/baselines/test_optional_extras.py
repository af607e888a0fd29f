"""XGBoost, TabPFN, TabICL and pytabkit, which need not be installed."""

import logging
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from baselines._shared.example_tables import make_table
from baselines.tabicl import TabICLClassifier
from baselines.tabm import TabMClassifier
from baselines.tabpfn import TabPFNClassifier
from baselines.xgboost import XGBoostClassifier


class FakeTabPFN:
    """Takes the arguments our wrapper passes; predicts class shares."""

    def __init__(self, **settings):
        self.settings = settings

    def fit(self, X, y):
        self.shares = np.bincount(y) / len(y)

    def predict_proba(self, X):
        return np.tile(self.shares, (len(X), 1))


@pytest.fixture
def fake_tabpfn(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Stand in for the package, which is not installed where tests run."""
    module = ModuleType("tabpfn")
    module.TabPFNClassifier = FakeTabPFN
    monkeypatch.setitem(sys.modules, "tabpfn", module)
    return module


def test_tabpfn_is_told_to_balance_and_to_take_wide_tables(fake_tabpfn: ModuleType):
    table = make_table((10, 10), 6)
    model = TabPFNClassifier(random_state=3).fit(table.X, table.y)
    assert model.model_.settings["balance_probabilities"]
    assert model.model_.settings["ignore_pretraining_limits"]
    assert model.model_.settings["random_state"] == 3
    np.testing.assert_allclose(model.predict_proba(table.X_test).sum(axis=1), 1)


def test_missing_weights_are_explained_in_one_line(fake_tabpfn: ModuleType):
    class GatedError(Exception):
        pass

    class WithoutWeights(FakeTabPFN):
        def fit(self, X, y):
            raise GatedError("cannot reach the server.\nlong traceback")

    fake_tabpfn.TabPFNClassifier = WithoutWeights
    table = make_table((10, 10), 6)
    with pytest.raises(RuntimeError, match=r"\(cannot reach the server\)") as caught:
        TabPFNClassifier().fit(table.X, table.y)
    assert str(caught.value).endswith("--set weights=PATH")
    assert "\n" not in str(caught.value)


def test_weights_are_taken_from_a_file(fake_tabpfn: ModuleType, tmp_path: Path):
    table = make_table((10, 10), 6)
    weights = tmp_path / "weights.ckpt"
    with pytest.raises(ValueError, match=f"TabPFN's weights: there is no file {weights}"):
        TabPFNClassifier(weights=str(weights)).fit(table.X, table.y)
    weights.touch()
    model = TabPFNClassifier(weights=str(weights)).fit(table.X, table.y)
    assert model.model_.settings["model_path"] == weights


def test_features_are_reduced_on_the_training_rows(fake_tabpfn: ModuleType):
    table = make_table((10, 10), 60)
    model = TabPFNClassifier(max_features=8).fit(table.X, table.y)
    assert len(model.given_features_) == 8
    assert set(model.given_features_) <= set(range(10))


def test_tabicl_is_balanced_by_the_class_counts(monkeypatch: pytest.MonkeyPatch):
    module = ModuleType("tabicl")
    module.TabICLClassifier = FakeTabPFN
    monkeypatch.setitem(sys.modules, "tabicl", module)
    table = make_table((30, 10), 6)
    proba = TabICLClassifier().fit(table.X, table.y).predict_proba(table.X_test)
    np.testing.assert_allclose(proba, 0.5)


def test_pytabkit_s_networks_are_silent_seeded_and_balanced(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    class FakeTabM(FakeTabPFN):
        def fit(self, X, y, X_val, y_val):
            logging.getLogger("lightning").warning("GPU available: False")
            np.random.seed(0)  # noqa: NPY002
            super().fit(X, y)

    module = ModuleType("pytabkit")
    module.TabM_D_Classifier = FakeTabM
    monkeypatch.setitem(sys.modules, "pytabkit", module)
    table = make_table((30, 10), 6)
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    model = TabMClassifier(random_state=3).fit(table.X, table.y)
    assert model.model_.settings["random_state"] == 3
    assert not caplog.records
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002
    # Held-out validation rows leave 27 and 9: the classes weigh the same again.
    np.testing.assert_allclose(model.predict_proba(table.X_test), 0.5)


def test_xgboost_keeps_the_round_with_the_lowest_weighted_validation_loss():
    pytest.importorskip("xgboost")
    table = make_table((20, 20, 5), 12, distance=1.0, valid_counts=(8, 8, 2))
    model = XGBoostClassifier(max_rounds=60, patience=10, random_state=0)
    model.fit(table.X, table.y, eval_set=[(table.X_valid, table.y_valid)])
    losses = model.history_["valid_loss"]
    assert model.best_step_ == int(np.argmin(losses)) + 1
    proba = model.predict_proba(table.X_valid)[np.arange(len(table.y_valid)), table.y_valid]
    weighted = np.average(-np.log(proba), weights=model.class_weights_[table.y_valid])
    assert min(losses) == pytest.approx(weighted, rel=1e-4)
