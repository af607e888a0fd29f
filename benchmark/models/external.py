"""External validation: trained on one cohort, tried on another that nothing was chosen on."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmark.datasets.dataset import Dataset
from benchmark.datasets.own_table.new_samples import NewSamples
from benchmark.datasets.splits import FOLDS
from benchmark.errors import UserError
from benchmark.models.fit import FitRequest, fit_model, resolve
from benchmark.models.matching import match_shared, take_genes
from benchmark.models.predict import Predictions, predict
from benchmark.plan.hyperparameters import hash_values
from benchmark.results.archive import is_archive
from benchmark.results.reading import read_results
from benchmark.results.store import list_records
from benchmark.run.execute import RunError
from benchmark.run.metrics import METRICS, Metric
from benchmark.text import list_some

#: What is measured on the other cohort.
MEASURES = tuple(METRICS[name] for name in ("balanced-accuracy", "auroc", "brier"))

_DRAWS = 1000
_SEED = 42
_LEVEL = 0.95


@dataclass(frozen=True)
class Estimate:
    """A measure and its bootstrap interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class CrossValidated:
    """A measure over the stored runs of a cross-validation: mean, standard deviation, runs."""

    mean: float
    std: float
    n: int


@dataclass(frozen=True, eq=False)
class External:
    """How a method does on the other cohort.

    Parameters
    ----------
    method, title
        Of the method.
    scores
        Name of a measure -> estimate; without those that need probabilities where there are none.
    inside
        Name of a measure -> cross-validation on the training cohort, all its genes; empty where
        no such runs are stored.
    predictions
        For the other cohort; None if the method failed.
    error
        Why it failed, "" if it did not.
    """

    method: str
    title: str
    scores: Mapping[str, Estimate] = field(default_factory=dict)
    inside: Mapping[str, CrossValidated] = field(default_factory=dict)
    predictions: Predictions | None = None
    error: str = ""


@dataclass(frozen=True, eq=False)
class Pair:
    """Two cohorts with the same genes and classes.

    Parameters
    ----------
    train, test
        Cut to the genes of both, named as in ``train``, with the class codes of ``train``.
    whole
        The training cohort with all its genes.
    notes
        How genes and classes were matched.
    """

    train: Dataset
    test: Dataset
    whole: Dataset
    notes: tuple[str, ...]


def match_cohorts(train: Dataset, test: Dataset) -> Pair:
    """Cut two cohorts to the genes of both and give them the same classes.

    Raises
    ------
    UserError
        If they share fewer than two genes, or their classes are not the same.
    """
    match = match_shared(train, test.feature_names.tolist(), test.name)
    shared = np.flatnonzero(match.found)
    codes, renamed = _match_classes(train, test)
    note = (
        f"{len(shared)} shared genes, of {train.n_features} in {train.name} and "
        f"{test.n_features} in {test.name}"
    )
    if match.n_by_case:
        note += f"; {match.n_by_case} of them differ in case"
    return Pair(
        train=take_genes(train, shared),
        test=replace(
            take_genes(test, match.places[shared]),
            feature_names=train.feature_names[shared],
            y=codes[test.y],
            class_names=train.class_names,
        ),
        whole=train,
        notes=(note, *renamed),
    )


def validate(
    pair: Pair,
    requests: Sequence[FitRequest],
    rescale: str,
    results: Path,
    unreadable: list[Path] | None = None,
) -> Iterator[External]:
    """Train each method on one cohort and try it on the other, as soon as each is done.

    Parameters
    ----------
    pair
        As ``match_cohorts`` gives it.
    requests
        What to fit.
    rescale
        As for ``predict``.
    results
        Folder of results, where runs on the training cohort are looked for.
    unreadable
        Takes its records and plans that are damaged; without it the first of them is an error.

    Raises
    ------
    UserError
        Before anything is trained, if the results are damaged.
    """
    samples = NewSamples.from_dataset(pair.test)
    stored = _read_stored(results, unreadable)
    for request in requests:
        method, values = resolve(request, pair.train)
        inside = _find_inside(stored, pair.whole, method.name, hash_values(values))
        try:
            fitted = fit_model(request, pair.train)
            # Both cohorts have been transformed when they were loaded.
            ready = replace(fitted, model=replace(fitted.model, transform=None))
            predictions = predict(ready, samples, "median", rescale)
        except RunError as error:
            yield External(method.name, method.title, inside=inside, error=str(error))
            continue
        yield External(
            method.name, method.title, _score(pair.test, predictions), inside, predictions
        )


def estimate(
    measure: Callable[[NDArray[np.int64]], float],
    y: NDArray[np.int64],
    groups: NDArray[np.str_] | None = None,
) -> Estimate:
    """Return a measure of all patients and its percentile bootstrap interval.

    Parameters
    ----------
    measure
        Takes row numbers, in which a patient may occur several times.
    y
        (n,) class codes: patients are drawn within their class.
    groups
        (n,) where several rows are of one patient: patients are drawn whole, from all classes.
    """
    rng = np.random.default_rng(_SEED)
    if groups is None:
        units = [np.flatnonzero(y == code) for code in np.unique(y)]

        def draw() -> NDArray[np.int64]:
            return np.concatenate([rng.choice(unit, len(unit)) for unit in units])
    else:
        patients = [np.flatnonzero(groups == name) for name in np.unique(groups)]

        def draw() -> NDArray[np.int64]:
            chosen = rng.integers(len(patients), size=len(patients))
            return np.concatenate([patients[place] for place in chosen])

    values = np.array([measure(draw()) for _ in range(_DRAWS)])
    tail = (1 - _LEVEL) / 2
    low, high = np.nanquantile(values, [tail, 1 - tail])
    return Estimate(measure(np.arange(len(y))), float(low), float(high))


def _score(test: Dataset, predictions: Predictions) -> dict[str, Estimate]:
    arrays: dict[str, NDArray] = {"y_true": test.y, "y_pred": predictions.codes}
    if predictions.proba is not None:
        arrays["proba"] = predictions.proba

    def at(metric: Metric) -> Callable[[NDArray[np.int64]], float]:
        return lambda rows: metric.compute(*(arrays[name][rows] for name in metric.needs))

    return {
        metric.name: estimate(at(metric), test.y, test.groups)
        for metric in MEASURES
        if arrays.keys() >= set(metric.needs)
    }


def _match_classes(train: Dataset, test: Dataset) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return the training cohort's code of each of the other's classes, and what was renamed."""
    ours = [str(name) for name in train.class_names]
    theirs = [str(name) for name in test.class_names]
    folded = {name.casefold(): code for code, name in enumerate(ours)}
    codes = [folded.get(name.casefold(), -1) for name in theirs]
    # Of two classes, one against the rest goes by many names.
    if len(ours) == len(theirs) == 2 and sorted(codes) in ([-1, 0], [-1, 1]):
        codes = [1 - max(codes) if code < 0 else code for code in codes]
    if min(codes) < 0 or len(set(codes)) < len(codes) or len(folded) < len(ours):
        raise UserError(
            f"the classes of {train.name} ({list_some(ours, 6)}) and of {test.name} "
            f"({list_some(theirs, 6)}) are not the same: choose them with --train-positive and "
            "--test-positive, or --train-classes and --test-classes"
        )
    renamed = [
        f"{name!r} of {test.name} is {ours[code]!r} of {train.name}"
        for name, code in zip(theirs, codes, strict=True)
        if name != ours[code]
    ]
    return np.array(codes), tuple(renamed)


def _read_stored(results: Path, unreadable: list[Path] | None) -> pd.DataFrame:
    if not is_archive(results) and next(list_records(results), None) is None:
        return pd.DataFrame()
    frame, _ = read_results(results, unreadable)
    return frame[frame["status"].eq("ok") & ~frame["stale"]]


def _find_inside(
    stored: pd.DataFrame, train: Dataset, method: str, hyperparameters_hash: str
) -> dict[str, CrossValidated]:
    if stored.empty:
        return {}
    runs = stored[
        stored["dataset_checksum"].eq(train.checksum)
        & stored["folds"].eq(FOLDS)
        & stored["model"].eq(method)
        & stored["hyperparameters_hash"].eq(hyperparameters_hash)
    ]
    found = {}
    for metric in MEASURES:
        values = runs[metric.column].dropna()
        if len(values):
            found[metric.name] = CrossValidated(values.mean(), values.std(), len(values))
    return found
