"""The checks every method passes; usable on any classifier under the contract.

``iterate_checks(method)`` runs all of them on small made-up tables and says of each whether it
passed, failed (and why) or was excused: by a tag that the method declares, or because the method
lacks what the check looks at.
"""

import contextlib
import inspect
import io
import pickle
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score, recall_score

from baselines._shared.example_tables import Table, make_table
from baselines._shared.method import Method
from baselines._shared.portable import PortableError, pack, unpack

SEED = 42

# What a method that learns, or weighs classes, exceeds by far and one that does not misses.
_LEARNT = 0.9
_MINORITY_FOUND = 0.5


@dataclass(frozen=True)
class CheckResult:
    """The outcome of one check.

    Parameters
    ----------
    name
        Of the check: lower case, words joined by ``-``.
    status
        ``passed``, ``failed`` or ``excused``.
    detail
        One line: what failed, or what excuses; empty when passed.
    """

    name: str
    status: Literal["passed", "failed", "excused"]
    detail: str = ""


class Candidate:
    """A method under test; fits that several checks need are made once.

    Parameters
    ----------
    method
        To be checked.
    hyperparameters
        Instead of the constructor's defaults, for example to make the checks faster.
    """

    def __init__(self, method: Method, hyperparameters: Mapping[str, Any] | None = None) -> None:
        self.method = method
        self.hyperparameters = dict(hyperparameters or {})

    def make(self, seed: int = SEED) -> Any:
        """Return an unfitted classifier."""
        defaults = self.method.defaults()
        fixed = {"random_state": seed, "n_threads": 1}
        known = {name: value for name, value in fixed.items() if name in defaults}
        return self.method.estimator(**{**known, **self.hyperparameters})

    def fit(self, table: Table, seed: int = SEED) -> Any:
        """Return a classifier fitted to a table, with validation rows where it takes them."""
        return self.refit(self.make(seed), table)

    @staticmethod
    def refit(model: Any, table: Table) -> Any:
        """Fit a given classifier to a table."""
        accepts = inspect.signature(model.fit).parameters
        if "eval_set" in accepts:
            return model.fit(table.X, table.y, eval_set=[(table.X_valid, table.y_valid)])
        return model.fit(table.X, table.y)

    @cached_property
    def has_probabilities(self) -> bool:
        """Whether the classifier gives probabilities besides labels."""
        return hasattr(self.make(), "predict_proba")

    @cached_property
    def table(self) -> Table:
        """30 rows, 60 features, 3 classes."""
        return make_table((10, 10, 10), 60)

    @cached_property
    def model(self) -> Any:
        """A classifier fitted to ``table``."""
        return self.fit(self.table)


class CheckError(AssertionError):
    """A check's way to say what is wrong."""


def _demand(condition: bool, complaint: str) -> None:
    if not condition:
        raise CheckError(complaint)


def _demand_sound_predictions(model: Any, table: Table) -> None:
    """Demand probabilities and labels of the right shape, range and agreement."""
    n, classes = len(table.X_test), np.unique(table.y)
    _demand(np.array_equal(model.classes_, classes), f"classes_ is {model.classes_!r}")
    if hasattr(model, "predict_proba"):
        proba = model.predict_proba(table.X_test)
        _demand(proba.shape == (n, len(classes)), f"predict_proba has shape {proba.shape}")
        _demand(bool(np.isfinite(proba).all()), "predict_proba holds NaN or infinity")
    labels = model.predict(table.X_test)
    _demand(labels.shape == (n,), f"predict has shape {labels.shape}")
    _demand(bool(np.isin(labels, classes).all()), "predict gives labels that are not in y")


def _predict(model: Any, X: np.ndarray) -> np.ndarray:
    """Return probabilities where the classifier has them, (n, C), else class codes, (n,)."""
    if hasattr(model, "predict_proba"):
        return model.predict_proba(X)
    return np.searchsorted(model.classes_, model.predict(X))


def _fit_and_predict(candidate: Candidate, table: Table) -> None:
    _demand_sound_predictions(candidate.fit(table), table)


def check_three_classes(candidate: Candidate) -> None:
    """Fit 30 rows, 60 features, 3 classes."""
    _demand_sound_predictions(candidate.model, candidate.table)


def check_clone(candidate: Candidate) -> None:
    """Support get_params, set_params and clone, before and after fit."""
    fresh = candidate.make()
    _demand(clone(fresh).get_params() == fresh.get_params(), "clone changes the parameters")
    fresh.set_params(**fresh.get_params())
    _demand(
        candidate.model.get_params() == candidate.make().get_params(),
        "fit changes the constructor's parameters",
    )


def check_probabilities(candidate: Candidate) -> None:
    """Give probabilities that sum to one, and predict the largest."""
    proba = candidate.model.predict_proba(candidate.table.X_test)
    _demand(bool(((proba >= 0) & (proba <= 1)).all()), "probabilities outside [0, 1]")
    _demand(bool(np.allclose(proba.sum(axis=1), 1, atol=1e-6)), "rows do not sum to one")
    best = candidate.model.classes_[proba.argmax(axis=1)]
    agreement = float(np.mean(best == candidate.model.predict(candidate.table.X_test)))
    _demand(agreement == 1, f"predict is the most probable class in {agreement:.0%} of rows only")


def check_single_rows(candidate: Candidate) -> None:
    """Predict a row the same, whatever rows are beside it."""
    rows = candidate.table.X_test[:5]
    together = _predict(candidate.model, rows)
    alone = np.concatenate([_predict(candidate.model, row[None]) for row in rows])
    _demand(bool(np.allclose(together, alone, atol=1e-4)), "one row at a time gives other results")


def check_without_validation(candidate: Candidate) -> None:
    """Fit without eval_set."""
    table = candidate.table
    _demand_sound_predictions(candidate.make().fit(table.X, table.y), table)


def check_validation_lacks_a_class(candidate: Candidate) -> None:
    """Fit when a class is missing from the validation rows."""
    _fit_and_predict(candidate, make_table((10, 10, 10), 20, valid_counts=(4, 4, 0)))


def check_odd_row(candidate: Candidate) -> None:
    """Fit when one row is left over after batches of 2, 3, 4, 5, 6, 8, 10 or 12 (n = 121)."""
    _fit_and_predict(candidate, make_table((41, 40, 40), 15))


def check_constant_feature(candidate: Candidate) -> None:
    """Fit when features are constant in the training rows but not in the others."""
    table = make_table((10, 10, 10), 20)
    table.X[:, 3] = 7.0
    table.X[:, 15] = 0.0
    _fit_and_predict(candidate, table)


def check_tiny_class(candidate: Candidate) -> None:
    """Fit when a class has 2 training rows."""
    _fit_and_predict(candidate, make_table((14, 14, 2), 20, valid_counts=(4, 4, 1)))


def check_string_labels(candidate: Candidate) -> None:
    """Take strings as labels and give them back."""
    names = np.array(["tumour", "normal", "unknown"])
    plain = candidate.table
    table = Table(
        plain.X, names[plain.y], plain.X_valid, names[plain.y_valid], plain.X_test, plain.y_test
    )
    _demand_sound_predictions(candidate.fit(table), table)


def check_one_feature(candidate: Candidate) -> None:
    """Fit a single feature."""
    _fit_and_predict(candidate, make_table((15, 15), 1))


def check_more_rows_than_features(candidate: Candidate) -> None:
    """Fit 60 rows of 5 features."""
    _fit_and_predict(candidate, make_table((30, 30), 5))


def check_more_features_than_rows(candidate: Candidate) -> None:
    """Fit 20 rows of 300 features."""
    _fit_and_predict(candidate, make_table((10, 10), 300))


@contextlib.contextmanager
def _disturbed_generators() -> Iterator[None]:
    """Leave the global random generators in an unusual state inside a ``with`` block."""
    state = np.random.get_state()  # noqa: NPY002
    torch = sys.modules.get("torch")
    torch_state = None if torch is None else torch.get_rng_state()
    np.random.seed(20_230_207)  # noqa: NPY002
    if torch is not None:
        torch.manual_seed(20_230_207)
    try:
        yield
    finally:
        np.random.set_state(state)  # noqa: NPY002
        if torch is not None:
            torch.set_rng_state(torch_state)


def _read_generators() -> bytes:
    """Return the state of the global random generators."""
    torch = sys.modules.get("torch")
    torch_state = None if torch is None else torch.get_rng_state().numpy()
    return pickle.dumps((np.random.get_state(), torch_state))  # noqa: NPY002


def check_same_seed(candidate: Candidate) -> None:
    """Give the same result for the same seed, whatever the global random states are."""
    first = _predict(candidate.model, candidate.table.X_test)
    with _disturbed_generators():
        again = _predict(candidate.fit(candidate.table), candidate.table.X_test)
    _demand(bool(np.array_equal(first, again)), "two fits with the same seed differ")


def check_other_seed(candidate: Candidate) -> None:
    """Give another result for another seed, or the same if declared deterministic."""
    # Overlapping classes: where they are far apart, every seed may end at the same solution.
    table = make_table((20, 20, 20), 60, distance=0.7)
    one, other = (candidate.fit(table, seed).predict_proba(table.X_test) for seed in (1, 2))
    same = np.array_equal(one, other)
    if "deterministic" in candidate.method.tags:
        _demand(same, "declared deterministic, yet the seed changes the result")
    else:
        _demand(not same, "the seed changes nothing: declare the tag deterministic")


def check_class_weights(candidate: Candidate) -> None:
    """Find the rare class in a 9:1 problem with overlapping classes, three seeds on average."""
    table = make_table(
        (270, 30),
        4,
        distance=0.8,
        n_informative=4,
        valid_counts=(45, 5),
        test_counts=(450, 50),
    )
    predictions = (candidate.fit(table, seed).predict(table.X_test) for seed in range(3))
    recall = np.mean([recall_score(table.y_test, found, pos_label=1) for found in predictions])
    _demand(recall >= _MINORITY_FOUND, f"finds {recall:.0%} of the rare class's rows only")


def check_inputs_unchanged(candidate: Candidate) -> None:
    """Leave the arrays it is given unchanged."""
    table = make_table((10, 10, 10), 60)
    before = pickle.dumps(table)
    _predict(candidate.fit(table), table.X_test)
    _demand(pickle.dumps(table) == before, "fit or predict changes its inputs")


def check_pickle(candidate: Candidate) -> None:
    """Predict the same after pickling."""
    _demand_same(candidate, pickle.loads(pickle.dumps(candidate.model)), "pickling")


def check_portable(candidate: Candidate) -> None:
    """Be kept in files without a pickle, and predict the same from them."""
    again = candidate.make()
    unpack(pack(candidate.model), again)
    _demand_same(candidate, again, "it was kept in files")


def _demand_same(candidate: Candidate, copy: Any, what: str) -> None:
    rows = candidate.table.X_test
    same = np.array_equal(_predict(copy, rows), _predict(candidate.model, rows))
    _demand(same, f"predictions differ after {what}")


def check_quiet(candidate: Candidate) -> None:
    """Print nothing and warn of nothing."""
    spoken = io.StringIO()
    with (
        warnings.catch_warnings(record=True) as caught,
        contextlib.redirect_stdout(spoken),
        contextlib.redirect_stderr(spoken),
    ):
        warnings.simplefilter("always")
        # Large enough for embeddings of 50 dimensions, which warn when they have to be smaller.
        table = make_table((20, 20, 20), 80)
        _predict(candidate.fit(table), table.X_test)
    _demand(not spoken.getvalue(), f"prints {spoken.getvalue()[:80]!r}")
    _demand(not caught, f"warns: {caught[0].message if caught else ''}")


def check_global_generators(candidate: Candidate) -> None:
    """Leave the global random generators of NumPy and torch as they were."""
    candidate.model.predict(candidate.table.X_test)  # imports what the method imports
    before = _read_generators()
    _predict(candidate.fit(candidate.table), candidate.table.X_test)
    _demand(_read_generators() == before, "changes a global random generator")


def check_importances(candidate: Candidate) -> None:
    """Give one finite, non-negative importance per feature, not all zero, of 3 classes and of 2."""
    for model in (candidate.model, candidate.fit(make_table((15, 15), 60))):
        importances = np.asarray(model.feature_importances_)
        _demand(importances.shape == (60,), f"shape {importances.shape} for 60 features")
        _demand(bool(np.isfinite(importances).all()), "holds NaN or infinity")
        _demand(bool((importances >= 0).all()), "holds negative values")
        _demand(bool(importances.any()), "all zero")


def check_selection(candidate: Candidate) -> None:
    """Name each selected feature once, by its index."""
    selected = np.asarray(candidate.model.selected_features_)
    _demand(bool(np.isin(selected, np.arange(60)).all()), "holds what is not one of 60 features")
    _demand(len(np.unique(selected)) == len(selected), "names a feature twice")


def check_learns(candidate: Candidate) -> None:
    """Learn a separable problem to over 90% balanced accuracy."""
    _demand_learnt(candidate, make_table((40, 40, 40), 20, valid_counts=(10, 10, 10)))


def check_raw_scales(candidate: Candidate) -> None:
    """Learn the same problem when features come in very different units."""
    table = make_table((40, 40, 40), 20, valid_counts=(10, 10, 10))
    units = np.logspace(-3, 5, 20, dtype=np.float32)  # the informative features are the smallest
    for X in (table.X, table.X_valid, table.X_test):
        X *= units
        X += 3 * units
    _demand_learnt(candidate, table)


def _demand_learnt(candidate: Candidate, table: Table) -> None:
    accuracy = balanced_accuracy_score(table.y_test, candidate.fit(table).predict(table.X_test))
    _demand(accuracy > _LEARNT, f"balanced accuracy {accuracy:.0%} on a separable problem")


@dataclass(frozen=True)
class Check:
    """A check and whom it concerns.

    Parameters
    ----------
    run
        Raises when the method fails; its name and docstring are the check's name and title.
    excused_by
        Tags of which one excuses a method.
    only_with
        Tags that a method must declare to be held to this.
    parameter
        Constructor's argument without which the check makes no sense.
    needs_probabilities
        Whether labels alone cannot be checked.
    """

    run: Callable[[Candidate], None]
    excused_by: frozenset[str] = frozenset()
    only_with: frozenset[str] = frozenset()
    parameter: str | None = None
    needs_probabilities: bool = False

    @property
    def name(self) -> str:
        """As in ``CheckResult``."""
        return self.run.__name__.removeprefix("check_").replace("_", "-")

    @property
    def title(self) -> str:
        """One sentence."""
        return (self.run.__doc__ or "").strip()

    def excuse(self, candidate: Candidate) -> str | None:
        """Return why the candidate need not pass, or None."""
        method = candidate.method
        declared = sorted(self.excused_by & method.tags)
        if declared:
            return f"declares the tag {declared[0]}"
        lacking = sorted(self.only_with - method.tags)
        if lacking:
            return f"does not declare the tag {lacking[0]}"
        if self.parameter is not None and self.parameter not in method.defaults():
            return f"takes no {self.parameter}"
        if self.needs_probabilities and not candidate.has_probabilities:
            return "has no predict_proba"
        return None


_NO_LEARNING = frozenset({"no-learning"})


CHECKS: tuple[Check, ...] = (
    Check(check_three_classes),
    Check(check_clone),
    Check(check_probabilities, needs_probabilities=True),
    Check(check_single_rows),
    Check(check_without_validation),
    Check(check_validation_lacks_a_class),
    Check(check_odd_row),
    Check(check_constant_feature),
    Check(check_tiny_class),
    Check(check_string_labels),
    Check(check_one_feature),
    Check(check_more_rows_than_features),
    Check(check_more_features_than_rows),
    Check(check_same_seed),
    Check(check_other_seed, parameter="random_state", needs_probabilities=True),
    Check(check_class_weights, excused_by=_NO_LEARNING, only_with=frozenset({"weighs-classes"})),
    Check(check_inputs_unchanged),
    Check(check_pickle),
    Check(check_portable),
    Check(check_quiet),
    Check(check_global_generators),
    Check(check_importances, only_with=frozenset({"ranks-features"})),
    Check(check_selection, only_with=frozenset({"selects-features"})),
    Check(check_learns, excused_by=_NO_LEARNING),
    Check(check_raw_scales, excused_by=_NO_LEARNING),
)


def run_check(check: Check, candidate: Candidate) -> CheckResult:
    """Run one check; whatever the method raises counts as a failure."""
    try:
        excuse = check.excuse(candidate)
        if excuse is not None:
            return CheckResult(check.name, "excused", excuse)
        check.run(candidate)
    except CheckError as error:
        return CheckResult(check.name, "failed", str(error))
    except PortableError as error:  # a method may do without, and `fit` says so
        return CheckResult(check.name, "excused", f"`fit` cannot keep it: {error}")
    except Exception as error:
        return CheckResult(check.name, "failed", _describe(error))
    return CheckResult(check.name, "passed")


def _describe(error: Exception) -> str:
    """Return an error in one line."""
    first_line = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {first_line}"


def iterate_checks(
    method: Method, hyperparameters: Mapping[str, Any] | None = None
) -> Iterator[CheckResult]:
    """Yield each check's outcome as soon as it is known; one only where ``fit`` does not work."""
    candidate = Candidate(method, hyperparameters)
    try:
        candidate.model  # noqa: B018
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}, line {place.lineno}"
        yield CheckResult("fit", "failed", f"{_describe(error)} ({where}); nothing else is checked")
        return
    for check in CHECKS:
        yield run_check(check, candidate)
