"""From a whole table to a fitted method."""

import json
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines._shared.method import Method
from baselines._shared.portable import PortableError, pack, unpack
from baselines._shared.registry import is_path
from benchmark.datasets.dataset import Dataset, fill_gaps, take_medians
from benchmark.datasets.names import parse_transform
from benchmark.datasets.splits import hold_out
from benchmark.errors import UserError
from benchmark.models.folder import Model
from benchmark.plan.hyperparameters import (
    PRESETS,
    list_hyperparameters,
    normalise,
    settable,
)
from benchmark.plan.jobs import check_hyperparameters, find_method
from benchmark.plan.key import SEED
from benchmark.run.execute import (
    RunError,
    build_estimator,
    describe_error,
    method_takes_eval_set,
    seed_everything,
)
from benchmark.run.provenance import list_versions


@dataclass(frozen=True)
class FitRequest:
    """What to fit.

    Parameters
    ----------
    method
        Name, or ``path/to/file.py:Class``.
    preset
        ``paper`` or ``default``.
    overrides
        Hyper-parameters in place of the preset's.
    seed, threads, device
        Of the training.
    """

    method: str
    preset: str = "paper"
    overrides: Mapping[str, Any] = field(default_factory=dict)
    seed: int = SEED
    threads: int = 1
    device: str = "cpu"


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted classifier and the model that stands for it.

    Parameters
    ----------
    classifier
        Knows class codes, not names.
    model
        Without files until ``make_portable`` gives it some.
    """

    classifier: Any
    model: Model


def resolve(request: FitRequest, dataset: Dataset) -> tuple[Method, dict[str, Any]]:
    """Return method and hyper-parameters, those equal to the defaults left out."""
    if request.preset not in ("paper", "default"):
        known = ", ".join(name for name in PRESETS if name != "tuned")
        raise UserError(f"--hyperparameters {request.preset}: choose one of {known}")
    method = find_method(request.method)
    (base,) = list_hyperparameters(method, dataset.hyperparameters_of, request.preset)
    values = normalise(method, {**base, **request.overrides})
    check_hyperparameters(method, values)
    return method, values


def check_portable(method: Method) -> None:
    """Refuse before hours of training a method that can never be written to a folder."""
    refusal = getattr(method.estimator, "not_portable", None)
    if refusal is not None:
        raise UserError(f"{method.name} cannot be kept as a model: {refusal}")


def fit_model(request: FitRequest, dataset: Dataset) -> Fitted:
    """Fit a method to all samples of a table.

    A method that stops or chooses on validation data gets a stratified tenth of the samples for
    it (whole groups where there are groups); any other learns from all of them.

    Raises
    ------
    RunError
        If the method fails.
    """
    method, values = resolve(request, dataset)
    rows, held = _choose_rows(method, dataset, request.seed)
    device = request.device if "gpu" in method.tags else "cpu"
    classifier = build_estimator(method, values, request.seed, device, request.threads)
    medians = take_medians(dataset.X[rows])
    X, X_held = (fill_gaps(dataset.X[part], medians) for part in (rows, held))
    evaluation = {"eval_set": [(X_held, dataset.y[held])]} if len(held) else {}
    seed_everything(request.seed, method)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            classifier.fit(X, dataset.y[rows], **evaluation)
    except (Exception, SystemExit) as error:  # a method may raise anything
        raise RunError(f"fitting {method.name} failed: {describe_error(error)}") from error
    model = Model(
        method=method.name,
        method_version=method.version,
        own_class=_name_own_class(request.method),
        hyperparameters={**_list_defaults(method), **values},
        seed=request.seed,
        classes=tuple(map(str, dataset.class_names)),
        genes=tuple(map(str, dataset.feature_names)),
        means=X.mean(axis=0, dtype=np.float64),
        deviations=X.std(axis=0, dtype=np.float64),
        medians=medians,
        transform=parse_transform(dataset.name)[1],
        fills_gaps=dataset.impute is not None,
        training={
            "dataset": dataset.name,
            "checksum": dataset.checksum,
            "samples": dataset.n_samples,
            "class_counts": list(dataset.class_counts),
            "held_out_for_validation": len(held),
            "fitted": datetime.now(UTC).isoformat(timespec="seconds"),
        },
        versions=list_versions(
            tuple(name.replace("_", "-") for name in (*method.requires, "skops"))
        ),
    )
    return Fitted(classifier, model)


def make_portable(fitted: Fitted) -> Model:
    """Return the model with the files that a folder needs."""
    try:
        return replace(fitted.model, files=pack(fitted.classifier))
    except PortableError as error:
        raise UserError(
            f"{fitted.model.method} cannot be kept as a model, {error}: only numbers, texts, "
            "arrays, scikit-learn's estimators and classes of the method's own file can be "
            "written without a pickle"
        ) from error


def restore(model: Model, own_class: str = "") -> Fitted:
    """Return the classifier of a model.

    Parameters
    ----------
    model
        As read from its folder.
    own_class
        ``path/to/file.py:Class`` where the method is not one of the suite. The model says which
        it was; it is for the user to let that file run.
    """
    if is_path(model.method):
        raise UserError(f"the model names a file of code, {model.method}, as its method: refused")
    if model.own_class and not own_class:
        raise UserError(
            f"the model's method {model.method} is a class of a file: name the file with --method "
            f"path/to/{model.own_class}; its code will run"
        )
    if own_class and not model.own_class:
        raise UserError(f"--method {own_class}: the model's method is the suite's {model.method}")
    method = find_method(own_class or model.method)
    check_portable(method)
    if (method.name, method.version) != (model.method, model.method_version):
        changed = "the file has changed since" if own_class else "it computes something else today"
        raise UserError(
            f"the model was made by {model.method}, version {model.method_version}; here is "
            f"{method.name}, version {method.version}: {changed}, fit the model again"
        )
    try:
        values = normalise(method, model.hyperparameters)
        classifier = build_estimator(method, values, model.seed, "cpu", 1)
        unpack(model.files, classifier)
    except PortableError as error:
        raise UserError(f"the model's files cannot be used: {error}") from error
    return Fitted(classifier, model)


def list_other_versions(model: Model) -> list[str]:
    """Return the libraries that are not those a model was made with: ``torch 2.13 (here 2.14)``."""
    here = list_versions(tuple(model.versions))
    return [
        f"{name} {version} (here {here.get(name, 'none')})"
        for name, version in model.versions.items()
        if name not in ("python", "wpfs-bench") and here.get(name) != version
    ]


def _choose_rows(
    method: Method, dataset: Dataset, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows to learn from and those held out for validation, if any."""
    if "early-stopping" in method.tags and method_takes_eval_set(method):
        return hold_out(dataset.y, seed, dataset.groups)
    return np.arange(dataset.n_samples), np.empty(0, dtype=np.int64)


def _list_defaults(method: Method) -> dict[str, Any]:
    """Return the default hyper-parameters that can be written down."""
    plain = {}
    for name, value in settable(method).items():
        with suppress(TypeError, ValueError):
            plain[name] = json.loads(json.dumps(value, allow_nan=False))
    return plain


def _name_own_class(method: str) -> str:
    """Return ``file.py:Class`` of a user's method, "" for one of the suite."""
    return Path(method).name if is_path(method) else ""
