import statistics
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from baselines._shared import registry
from baselines._shared.method import Method
from baselines._shared.third_party import scale_inside


@pytest.fixture(autouse=True)
def fresh_catalogue() -> Iterator[None]:
    registry.find_catalogue.cache_clear()
    yield
    registry.find_catalogue.cache_clear()


def announce(monkeypatch: pytest.MonkeyPatch, **objects: str) -> None:
    points = [EntryPoint(name, value, registry.ENTRY_POINTS) for name, value in objects.items()]
    monkeypatch.setattr(registry.importlib.metadata, "entry_points", lambda group: points)


def test_files_of_this_folder_are_found() -> None:
    found = registry.discover()
    assert {"random-forest", "lightgbm", "linear-svm"} <= found.keys()
    assert all(name == method.name for name, method in found.items())


def test_a_data_set_the_paper_does_not_have_gets_its_most_frequent_lambda() -> None:
    wpfs = registry.discover()["wpfs"]
    chosen = [
        wpfs.paper_hyperparameters(name)["sparsity"] for name in wpfs.paper_values if name != "*"
    ]
    assert wpfs.paper_hyperparameters("my-cohort") == {"sparsity": statistics.mode(chosen)}


@pytest.mark.parametrize("name", ["wpfs", "mlp", "diet-networks", "fsnet", "cae"])
def test_hyperparameters_of_the_networks_are_in_range(name: str) -> None:
    method = registry.discover()[name]
    tried = [{parameter: value} for parameter in method.grid for value in method.grid[parameter]]
    for hyperparameters in [{}, *method.paper_values.values(), *tried]:
        method.estimator(**hyperparameters).check_hyperparameters()


def test_entry_points_may_hold_a_class_or_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    announce(
        monkeypatch,
        ridge="sklearn.linear_model:LogisticRegression",
        more="baselines.random_forest:METHODS",
    )
    monkeypatch.setattr(registry, "_own_files", lambda: [])
    assert registry.discover().keys() == {"ridge", "random-forest"}


def test_what_cannot_be_imported_is_listed_and_breaks_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    announce(monkeypatch, broken="no_such_package:Classifier", strange="sys:maxsize")
    reasons = registry.find_catalogue().unavailable
    assert "No module named 'no_such_package'" in reasons["broken"]
    assert "TypeError" in reasons["strange"]
    assert "random-forest" in registry.discover()


def test_a_missing_library_is_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    method = Method("x", LogisticRegression, "X", "nobody", requires=("no_such_library",))
    monkeypatch.setattr(registry, "_own_files", lambda: [("x", lambda: (method,))])
    assert (
        registry.find_catalogue().unavailable["x"]
        == "needs no_such_library: pip install no_such_library"
    )
    with pytest.raises(registry.MethodError, match="x is unavailable: needs no_such_library"):
        registry.get_method("x")


def test_a_name_is_taken_once(monkeypatch: pytest.MonkeyPatch) -> None:
    announce(monkeypatch, other="baselines.random_forest:METHODS")
    assert (
        registry.find_catalogue().unavailable["other:random-forest"]
        == "the name random-forest is taken"
    )
    assert registry.get_method("random-forest").version == 1


def write(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def test_any_classifier_of_a_file_is_a_method(tmp_path: Path) -> None:
    text = "from sklearn.naive_bayes import GaussianNB\nclass MyNBClassifier(GaussianNB): pass\n"
    path = write(tmp_path / "mine.py", text)
    method = registry.get_method(f"{path}:MyNBClassifier")
    assert method.name == "my-nb"
    assert method.defaults() == {"priors": None, "var_smoothing": 1e-9}


def test_editing_a_file_changes_the_version_unless_it_states_one(tmp_path: Path) -> None:
    text = "from sklearn.naive_bayes import GaussianNB\nclass NB(GaussianNB):\n    {}\n"
    versions = [
        registry.load_file(f"{write(tmp_path / f'{i}.py', text.format(body))}:NB").version
        for i, body in enumerate(["pass", "x = 1", "version = 7"])
    ]
    assert len(set(versions)) == 3
    assert versions[2] == 7


def test_a_record_in_the_file_is_used(tmp_path: Path) -> None:
    text = (
        "from baselines._shared.method import Method\n"
        "class Mine:\n    def __init__(self, depth=1): self.depth = depth\n"
        "METHODS = (Method('mine', Mine, 'Mine', 'me', version=3, grid={'depth': (1, 2)}),)\n"
    )
    method = registry.get_method(f"{write(tmp_path / 'm.py', text)}:Mine")
    assert (method.version, dict(method.grid)) == (3, {"depth": (1, 2)})


CLASSIFIER = "class Mine:\n    def fit(self, X, y): ...\n    def predict(self, X): ...\n"


def test_a_class_of_a_file_does_not_replace_a_method(tmp_path: Path) -> None:
    path = write(tmp_path / "knnx.py", CLASSIFIER.replace("Mine", "Knn"))
    with pytest.raises(registry.MethodError, match="would be called 'knn', a name that is taken"):
        registry.get_method(f"{path}:Knn")


def test_a_class_whose_short_name_is_taken_goes_by_the_long_one(tmp_path: Path) -> None:
    text = "from sklearn.linear_model import RidgeClassifier, SGDClassifier\n"
    path = write(tmp_path / "plain.py", text)
    assert registry.get_method(f"{path}:RidgeClassifier").name == "ridge-classifier"
    assert registry.get_method(f"{path}:SGDClassifier").name == "sgd"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "there is no such file"),
        ("import sys; sys.exit('bye')", "importing it failed: SystemExit: bye"),
        ("import no_such_package", "importing it failed: ModuleNotFoundError"),
        ("class Other: pass", "the file has no class 'Mine'; it has Other"),
        ("from sklearn.svm import SVC", "the file has no class 'Mine'; it has SVC"),
        ("class Mine: pass", "Mine is not a classifier: it has no fit"),
        (f"{CLASSIFIER}    def __init__(self, depth): ...", r"without defaults \(depth\)"),
        (f"{CLASSIFIER}    version = 'two'", "'two'"),
    ],
)
def test_mistakes_in_a_reference_are_told(tmp_path: Path, text: str | None, message: str) -> None:
    path = tmp_path / "m.py"
    if text is not None:
        path.write_text(text)
    with pytest.raises(registry.MethodError, match=message):
        registry.get_method(f"{path}:Mine")


class Spy:
    """Remembers what it was given."""

    def __init__(self, depth: int = 3) -> None:
        self.depth = depth

    def fit(self, X: np.ndarray, y: np.ndarray, eval_set: Any = None) -> "Spy":
        self.X, self.eval_set, self.classes_ = X, eval_set, np.unique(y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        self.X_test = X
        return np.zeros(len(X))


class SpyWithoutValidation(Spy):
    def fit(self, X: np.ndarray, y: np.ndarray) -> "Spy":  # type: ignore[override]
        return super().fit(X, y)


def test_the_wrapper_scales_everything_by_training_rows() -> None:
    rng = np.random.default_rng(0)
    X, X_valid, X_test = (rng.normal(5, 3, size=(n, 4)) for n in (20, 6, 7))
    y = np.arange(20) % 2
    model = scale_inside(Spy)(depth=4).fit(X, y, eval_set=[(X_valid, y[:6])])
    model.predict(X_test)
    spy = model.estimator_
    assert spy.depth == 4
    mean, deviation = X.mean(axis=0), X.std(axis=0)
    np.testing.assert_allclose(spy.X, (X - mean) / deviation)
    np.testing.assert_allclose(spy.eval_set[0][0], (X_valid - mean) / deviation)
    np.testing.assert_allclose(spy.X_test, (X_test - mean) / deviation)


def test_validation_rows_are_passed_only_where_they_are_wanted() -> None:
    X, y = np.eye(6), np.arange(6) % 2
    model = scale_inside(SpyWithoutValidation)().fit(X, y, eval_set=[(X, y)])
    assert model.estimator_.eval_set is None


def test_a_wrapped_classifier_can_be_cloned_and_changed() -> None:
    model = scale_inside(LogisticRegression)(C=0.5)
    copy = clone(model).set_params(C=2.0)
    assert model.get_params()["C"] == 0.5
    assert copy.get_params()["C"] == 2.0
    assert model.get_params().keys() == LogisticRegression().get_params().keys()


def test_a_wrapped_classifier_can_be_pickled() -> None:
    import pickle

    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
    model = scale_inside(LogisticRegression)().fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))


def test_probabilities_are_those_of_the_wrapped_classifier_if_it_has_them() -> None:
    assert not hasattr(scale_inside(RidgeClassifier)(), "predict_proba")
    assert hasattr(scale_inside(LogisticRegression)(), "predict_proba")


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (Ridge, "Ridge is a regressor: a method must be a classifier"),
        (StandardScaler, "StandardScaler is a transformer: a method must be a classifier"),
        (KMeans, "KMeans is a clustering method: a method must be a classifier"),
        (Pipeline, r"Pipeline has arguments without defaults \(steps\): write a class"),
    ],
)
def test_what_else_scikit_learn_has_is_refused_by_its_kind(estimator: type, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        scale_inside(estimator)


def test_an_object_is_refused_where_a_class_is_needed(tmp_path: Path) -> None:
    text = "from sklearn.pipeline import Pipeline\nmine = Pipeline([('pass', 'passthrough')])\n"
    with pytest.raises(registry.MethodError, match="mine is an object of Pipeline: write a class"):
        registry.get_method(f"{write(tmp_path / 'm.py', text)}:mine")


def test_what_is_no_classifier_is_refused() -> None:
    with pytest.raises(TypeError, match="it has no predict"):
        scale_inside(type("Thing", (), {"fit": print}))
    with pytest.raises(TypeError, match=r"without defaults \(depth\)"):
        scale_inside(type("Needy", (Spy,), {"__init__": lambda self, depth: None}))


class Talkative(LogisticRegression):
    """A plain classifier that says more of itself than scikit-learn asks for."""

    def __init__(self, device: str = "cpu") -> None:
        super().__init__()
        self.device = device

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Talkative":
        super().fit(X, y)
        self.n_parameters_, self.n_steps_, self.best_step_ = 7, 9, 3
        self.history_ = {"step": [3]}
        self.selected_features_ = np.array([0])
        return self


def test_a_wrapped_classifier_says_what_the_inner_one_says() -> None:
    method = registry.method_of(Talkative)
    fitted = method.estimator().fit(np.eye(4), [0, 1, 0, 1])
    assert (fitted.n_parameters_, fitted.n_steps_, fitted.best_step_) == (7, 9, 3)
    assert fitted.history_ == {"step": [3]}
    assert fitted.selected_features_.tolist() == [0]


def test_a_classifier_that_takes_a_device_may_have_a_gpu() -> None:
    assert registry.method_of(Talkative).tags == {"gpu"}
    assert registry.method_of(LogisticRegression).tags == frozenset()


def test_a_class_that_scales_inside_gets_raw_values() -> None:
    class Raw(LogisticRegression):
        scales_inside = True

    assert scale_inside(Raw) is Raw
    assert registry.method_of(Raw).estimator is Raw
    assert scale_inside(LogisticRegression) is not LogisticRegression
