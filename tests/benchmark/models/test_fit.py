"""A model read from its folder is the one that was fitted, for every method."""

import warnings
from pathlib import Path

import numpy as np
import pytest

from baselines._shared.registry import discover, find_catalogue
from benchmark.errors import UserError
from benchmark.models.fit import (
    FitRequest,
    check_portable,
    fit_model,
    list_other_versions,
    make_portable,
    resolve,
    restore,
)
from benchmark.models.folder import read_model, write_model
from benchmark.models.predict import predict
from benchmark.run.execute import RunError

from .conftest import make_cohort, to_samples

#: Little training: what is written matters, not how good it is.
BRIEF = {
    "max_steps": 30,
    "n_estimators": 5,
    "n_rounds": 20,
    "max_rounds": 20,
    "max_epochs": 4,
    "max_iter": 30,
}

OWN = """
import pickle
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import ExtraTreesClassifier
from baselines._shared.feature_graphs import FeatureGraphs

class Trees(ExtraTreesClassifier):
    def __init__(self, n_estimators=5, random_state=None):
        super().__init__(n_estimators=n_estimators, random_state=random_state)

class Centre:
    def __init__(self, means):
        self.means = means

class Centres(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.centres_ = [Centre(X[y == c].mean(axis=0)) for c in self.classes_]
        return self
    def predict(self, X):
        d = [((X - centre.means) ** 2).sum(axis=1) for centre in self.centres_]
        return self.classes_[np.argmin(d, axis=0)]

class Closure(Centres):
    def fit(self, X, y):
        self.rule_ = lambda rows: rows
        return super().fit(X, y)

class Foreign(Centres):
    def fit(self, X, y):
        self.graphs_ = FeatureGraphs(X, X, X, X, X, X, 1)
        return super().fit(X, y)

class Stopping(Centres):
    def fit(self, X, y, eval_set=None):
        self.n_held_ = len(eval_set[0][1])
        return super().fit(X, y)

class Broken(Centres):
    def fit(self, X, y):
        raise ValueError("first line\\nsecond line")
"""


@pytest.fixture
def own(tmp_path: Path):
    path = tmp_path / "own.py"
    path.write_text(OWN)
    return lambda name: f"{path}:{name}"


def keep(fitted, folder: Path):
    write_model(folder, make_portable(fitted))
    return read_model(folder)


@pytest.mark.parametrize("name", sorted(discover()))
def test_fit_and_predict_equal_one_process(name: str, tmp_path: Path):
    if name in find_catalogue().unavailable:
        pytest.skip(find_catalogue().unavailable[name])
    method = discover()[name]
    brief = {key: value for key, value in BRIEF.items() if key in method.defaults()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = fit_model(FitRequest(name, overrides=brief), make_cohort())
    model = keep(fitted, tmp_path / "model")
    again = restore(model)
    samples = to_samples(make_cohort(seed=1))
    expected, found = predict(fitted, samples), predict(again, samples)
    np.testing.assert_array_equal(found.codes, expected.codes)
    np.testing.assert_array_equal(found.proba, expected.proba)
    if "ranks-features" in method.tags:
        np.testing.assert_array_equal(
            again.classifier.feature_importances_, fitted.classifier.feature_importances_
        )
    assert {key: model.hyperparameters[key] for key in brief} == brief
    assert {path.suffix for path in (tmp_path / "model").iterdir()} <= {
        *(".json", ".skops", ".npz", ".txt")
    }


def test_what_stops_early_gets_a_tenth_and_other_methods_all_rows(own):
    cohort = make_cohort(n=60)
    for method, held in (("shrunken-centroids", 6), ("ridge", 0), (own("Centres"), 0)):
        training = fit_model(FitRequest(method), cohort).model.training
        assert training["held_out_for_validation"] == held


def test_a_patient_is_not_on_both_sides_of_the_validation(own):
    patients = np.array([f"p{i // 3 % 10}-{i % 3}" for i in range(60)])
    cohort = make_cohort(n=60, groups=patients)
    fitted = fit_model(FitRequest(own("Stopping")), cohort)
    held = fitted.model.training["held_out_for_validation"]
    sizes = {patient: int((patients == patient).sum()) for patient in set(patients)}
    assert set(sizes.values()) == {2}
    assert held == fitted.classifier.estimator_.n_held_
    assert held % 2 == 0
    assert held >= 6


def test_gaps_are_filled_with_medians_of_the_rows_learnt_from():
    X = make_cohort().X.copy()
    X[::4, 3] = np.nan
    cohort = make_cohort(X=X, impute="median")
    fitted = fit_model(FitRequest("ridge"), cohort)
    assert fitted.model.fills_gaps
    assert fitted.model.medians[3] == pytest.approx(np.nanmedian(X[:, 3]))
    # New samples with gaps are no surprise to such a model.
    notes = predict(fitted, to_samples(cohort)).notes
    assert any("10 values" in note for note in notes)


def test_a_class_of_a_file_is_kept_and_named_again(own, tmp_path: Path):
    fitted = fit_model(FitRequest(own("Centres")), make_cohort())
    model = keep(fitted, tmp_path / "model")
    samples = to_samples(make_cohort(seed=1))
    with pytest.raises(UserError, match=r"--method path/to/own\.py:Centres; its code will run"):
        restore(model)
    found = predict(restore(model, own("Centres")), samples)
    np.testing.assert_array_equal(found.codes, predict(fitted, samples).codes)
    assert found.proba is None
    with pytest.raises(UserError, match="here is trees"):
        restore(model, own("Trees"))


def test_a_file_that_changed_does_not_predict(own, tmp_path: Path):
    model = keep(fit_model(FitRequest(own("Trees")), make_cohort()), tmp_path / "model")
    other = tmp_path / "other.py"
    other.write_text(OWN + "\n# changed")
    with pytest.raises(UserError, match="the file has changed since"):
        restore(model, f"{other}:Trees")


@pytest.mark.parametrize(
    ("name", "reason"), [("Closure", "lambda"), ("Foreign", "feature_graphs.FeatureGraphs")]
)
def test_what_only_a_pickle_could_hold_is_refused(own, tmp_path: Path, name: str, reason: str):
    fitted = fit_model(FitRequest(own(name)), make_cohort())
    with pytest.raises(UserError, match=rf"cannot be kept as a model.*{reason}") as caught:
        make_portable(fitted)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["tabpfn", "tabicl", "realmlp", "tabm"])
def test_methods_without_a_portable_form_are_refused_before_training(name: str):
    with pytest.raises(UserError, match=f"{name} cannot be kept as a model: "):
        check_portable(discover()[name])


def test_a_failing_method_gives_one_line(own):
    with pytest.raises(RunError) as caught:
        fit_model(FitRequest(own("Broken")), make_cohort())
    assert str(caught.value) == "fitting broken failed: ValueError: first line second line"


def test_hyperparameters_are_those_of_run():
    cohort = make_cohort(hyperparameters_of="prostate")
    assert resolve(FitRequest("wpfs"), cohort)[1]["sparsity"] == 3e-3
    assert resolve(FitRequest("wpfs", preset="default"), cohort)[1] == {}
    with pytest.raises(UserError, match="--hyperparameters tuned: choose one of paper, default"):
        resolve(FitRequest("wpfs", preset="tuned"), cohort)


def test_another_version_of_the_method_or_of_a_library_is_told(folder: Path):
    from dataclasses import replace

    model = read_model(folder)
    assert list_other_versions(model) == []
    older = replace(model, versions={**model.versions, "numpy": "1.0"})
    (told,) = list_other_versions(older)
    assert told.startswith("numpy 1.0 (here ")
    with pytest.raises(UserError, match="it computes something else today, fit the model again"):
        restore(replace(model, method_version=99))
