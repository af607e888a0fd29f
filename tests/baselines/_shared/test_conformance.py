"""The conformance suite: every method passes it, and it catches what it says it catches."""

import warnings
from typing import ClassVar

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from baselines._shared.conformance import CHECKS, Candidate, CheckResult, iterate_checks, run_check
from baselines._shared.example_tables import make_table
from baselines._shared.method import Method
from baselines._shared.registry import discover, find_catalogue

# Shorter training of smaller networks than by default; the checks do not need more.
BRIEF_NETWORK = {"max_steps": 400, "patience": 60}
BRIEF_PATH = {
    "lambda_start": 10.0,
    "path_multiplier": 4.0,
    "hidden": (16,),
    "learning_rate": 1e-2,
    "batch_size": 32,
    "max_epochs": 30,
    "patience": 5,
}
# A single decision step learns in a third of the epochs that two need.
BRIEF_TABNET = {
    "n_steps": 1,
    "n_independent": 1,
    "n_shared": 1,
    "width": 16,
    "learning_rate": 0.1,
    "max_epochs": 30,
    "patience": 15,
}
BRIEF = {
    "spinn": {"max_iter": 300},
    "dnp": {"max_iter": 300},
    "random-forest": {"n_estimators": 50},
}
BRIEF_SLOW = {
    "mlp": BRIEF_NETWORK,
    "stg": BRIEF_NETWORK,
    "gcondnet": {**BRIEF_NETWORK, "learning_rate": 3e-3},
    "wpfs": BRIEF_NETWORK,
    "diet-networks": BRIEF_NETWORK,
    "fsnet": {**BRIEF_NETWORK, "annealing_steps": 200},
    "cae": {"max_steps": 800, "patience": 100, "annealing_steps": 300, "learning_rate": 3e-3},
    "tabnet": BRIEF_TABNET,
    "lassonet": BRIEF_PATH,
    "lassonet-paper": BRIEF_PATH,
    "xgboost": {"max_rounds": 200},
    "lightgbm": {},
    "protogate": {"max_steps": 400, "patience": 5},
    "realmlp": {},
    "tabm": {},
}


#: Since 1.9 scikit-learn's forests draw their rows by class weight; before, they counted weights in
#: the splits only, and found fewer rows of a rare class (docs/installation.md).
OLD_FORESTS = pytest.mark.xfail(
    tuple(int(part) for part in sklearn.__version__.split(".")[:2]) < (1, 9),
    reason="scikit-learn before 1.9",
    strict=True,
)


def _parametrised_methods() -> list:
    marks = {name: [pytest.mark.slow] for name in BRIEF_SLOW} | {"random-forest": [OLD_FORESTS]}
    return [
        pytest.param(method, id=name, marks=marks.get(name, []))
        for name, method in discover().items()
    ]


@pytest.mark.parametrize("method", _parametrised_methods())
def test_registered_methods_conform(method: Method):
    if method.name in find_catalogue().unavailable:
        pytest.skip(find_catalogue().unavailable[method.name])
    overrides = {**BRIEF, **BRIEF_SLOW}.get(method.name, {})
    known = {key: value for key, value in overrides.items() if key in method.defaults()}
    assert known == overrides
    results = list(iterate_checks(method, known))
    assert [result for result in results if result.status == "failed"] == []


class Honest(ClassifierMixin, BaseEstimator):
    """Passes every check; the classes below break one thing each."""

    weigh = True

    def __init__(self, random_state: int | None = None):
        self.random_state = random_state

    def fit(self, X, y, eval_set=None):
        self.scaler_ = StandardScaler().fit(X)
        self.model_ = LogisticRegression(class_weight="balanced" if self.weigh else None)
        self.model_.fit(self.scaler_.transform(X), y)
        self.classes_ = self.model_.classes_
        self.feature_importances_ = np.abs(self.model_.coef_).sum(axis=0)
        self.selected_features_ = np.flatnonzero(self.feature_importances_)
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(self.scaler_.transform(X))

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class Unweighted(Honest):
    weigh = False


class Boastful(Honest):
    def predict_proba(self, X):
        return super().predict_proba(X) * 1.01


class Contrary(Honest):
    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmin(axis=1)]


class Vandal(Honest):
    def fit(self, X, y, eval_set=None):
        super().fit(X, y)
        X *= 2
        return self


class Careless(Honest):
    def fit(self, X, y, eval_set=None):
        super().fit(X, y)
        np.random.rand()  # noqa: NPY002
        return self


class GlobalRandom(Honest):
    def fit(self, X, y, eval_set=None):
        noise = np.random.normal(size=X.shape)  # noqa: NPY002
        return super().fit(X + noise.astype(X.dtype), y)


class Talkative(Honest):
    def fit(self, X, y, eval_set=None):
        print("fitting")
        return super().fit(X, y)


class Alarmist(Honest):
    def fit(self, X, y, eval_set=None):
        warnings.warn("beware", stacklevel=1)
        return super().fit(X, y)


class Unpicklable(Honest):
    def fit(self, X, y, eval_set=None):
        self.secret_ = lambda: None
        return super().fit(X, y)


class Forgetful(Honest):
    """Keeps what it learnt beside itself."""

    kept: ClassVar[set[int]] = set()

    def fit(self, X, y, eval_set=None):
        self.kept.add(id(self))
        return super().fit(X, y)

    def predict_proba(self, X):
        proba = super().predict_proba(X)
        return proba if id(self) in self.kept else proba[:, ::-1]


class Unscaled(Honest):
    def fit(self, X, y, eval_set=None):
        super().fit(X, y)
        identity = StandardScaler(with_mean=False, with_std=False).fit(X)
        self.scaler_ = identity
        self.model_ = LogisticRegression(max_iter=5, class_weight="balanced")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.model_.fit(X, y)
        return self


class Neighbourly(Honest):
    def predict_proba(self, X):
        return self.model_.predict_proba(StandardScaler().fit_transform(X))


class Meddler(Honest):
    def fit(self, X, y, eval_set=None):
        self.random_state = 7
        return super().fit(X, y)


class NumbersOnly(Honest):
    def fit(self, X, y, eval_set=None):
        return super().fit(X, np.asarray(y, dtype=float).astype(int))


class NeedsValidation(Honest):
    def fit(self, X, y, eval_set=None):
        if eval_set is None:
            raise ValueError("no eval_set")
        return super().fit(X, y)


class Seeded(Honest):
    def fit(self, X, y, eval_set=None):
        noise = np.random.default_rng(self.random_state).normal(size=X.shape)
        return super().fit(X + noise, y)


class Seedless(Honest):
    def __init__(self):
        pass


class Silent(Honest):
    predict_proba = property()

    def predict(self, X):
        return self.model_.predict(self.scaler_.transform(X))


class Stutterer(Honest):
    def fit(self, X, y, eval_set=None):
        super().fit(X, y)
        self.selected_features_ = np.array([1, 1])
        return self


class Signed(Honest):
    def fit(self, X, y, eval_set=None):
        super().fit(X, y)
        self.feature_importances_ = self.model_.coef_[0]
        return self


def _method(estimator: type, *tags: str) -> Method:
    tags = tags or ("deterministic", "weighs-classes", "ranks-features", "selects-features")
    return Method("made-up", estimator, "Made up", "", tags=frozenset(tags))


def _run(name: str, method: Method) -> CheckResult:
    (check,) = (check for check in CHECKS if check.name == name)
    return run_check(check, Candidate(method))


def test_an_honest_classifier_passes_everything():
    results = list(iterate_checks(_method(Honest)))
    assert [result.name for result in results if result.status != "passed"] == []


@pytest.mark.parametrize(
    ("estimator", "check"),
    [
        (Unweighted, "class-weights"),
        (Boastful, "probabilities"),
        (Contrary, "probabilities"),
        (Contrary, "learns"),
        (Vandal, "inputs-unchanged"),
        (Careless, "global-generators"),
        (GlobalRandom, "same-seed"),
        (Talkative, "quiet"),
        (Alarmist, "quiet"),
        (Unpicklable, "pickle"),
        (Forgetful, "portable"),
        (Unscaled, "raw-scales"),
        (Neighbourly, "single-rows"),
        (Meddler, "clone"),
        (NumbersOnly, "string-labels"),
        (NeedsValidation, "without-validation"),
        (Signed, "importances"),
        (Stutterer, "selection"),
    ],
)
def test_each_fault_is_found(estimator: type, check: str):
    assert _run(check, _method(estimator)).status == "failed"
    assert _run(check, _method(Honest)).status == "passed"


def test_where_not_even_fit_works_it_is_said_once():
    class Broken(Honest):
        def fit(self, X, y, eval_set=None):
            raise ZeroDivisionError("no luck\nat all")

    (result,) = iterate_checks(_method(Broken))
    assert (result.name, result.status) == ("fit", "failed")
    assert result.detail.startswith("ZeroDivisionError: no luck (test_conformance.py, line ")


def test_what_cannot_be_kept_in_files_is_excused_and_told_why():
    result = _run("portable", _method(Unpicklable))
    assert result.status == "excused"
    assert result.detail.startswith("`fit` cannot keep it: ")


def test_a_seed_without_effect_needs_the_deterministic_tag():
    result = _run("other-seed", _method(Honest, "weighs-classes"))
    assert result.status == "failed"
    assert result.detail == "the seed changes nothing: declare the tag deterministic"


def test_the_deterministic_tag_is_held_to_its_word():
    result = _run("other-seed", _method(Seeded))
    assert result.status == "failed"
    assert _run("other-seed", _method(Seeded, "weighs-classes")).status == "passed"
    assert _run("other-seed", _method(Seedless)).detail == "takes no random_state"


def test_tags_excuse_and_say_so():
    method = _method(Honest, "deterministic", "no-learning")
    assert _run("learns", method) == CheckResult(
        "learns", "excused", "declares the tag no-learning"
    )
    assert _run("importances", method).detail == "does not declare the tag ranks-features"


def test_without_probabilities_only_what_needs_them_is_excused():
    results = list(iterate_checks(_method(Silent)))
    excused = {result.name: result.detail for result in results if result.status != "passed"}
    assert excused == dict.fromkeys(("probabilities", "other-seed"), "has no predict_proba")


def test_labels_alone_are_compared_too():
    class Fickle(Seeded):
        predict_proba = property()

        def fit(self, X, y, eval_set=None):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.random.permutation(np.resize(self.classes_, len(X)))  # noqa: NPY002

    assert _run("same-seed", _method(Fickle)).status == "failed"


def test_whatever_a_method_raises_is_a_failure_of_one_line():
    class Broken(Honest):
        def fit(self, X, y, eval_set=None):
            raise KeyError("first line\nsecond line")

    results = list(iterate_checks(_method(Broken)))
    assert {result.status for result in results} == {"failed"}
    assert all("\n" not in result.detail for result in results)


def test_checks_have_distinct_names_and_titles():
    assert (
        len({check.name for check in CHECKS})
        == len({check.title for check in CHECKS})
        == len(CHECKS)
    )
    assert all(check.title for check in CHECKS)


def test_tables_have_the_rows_asked_for():
    table = make_table((5, 3), 7, valid_counts=(2, 0), test_counts=(1, 4))
    assert table.X.shape == (8, 7)
    assert np.bincount(table.y).tolist() == [5, 3]
    assert np.bincount(table.y_valid, minlength=2).tolist() == [2, 0]
    assert np.bincount(table.y_test).tolist() == [1, 4]
