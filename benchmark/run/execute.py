"""One run: split, fit, score, record."""

import inspect
import random
import sys
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from baselines._shared.method import Method
from baselines._shared.registry import get_method
from benchmark.datasets.dataset import Dataset, fill_gaps, take_medians
from benchmark.datasets.loading import load_dataset
from benchmark.datasets.splits import Split, make_split
from benchmark.plan.hyperparameters import to_arguments
from benchmark.plan.jobs import Job
from benchmark.plan.key import RunKey
from benchmark.run import metrics
from benchmark.run.outcome import Outcome
from benchmark.run.provenance import (
    describe_environment,
    read_peak_memory,
    reset_peak_memory,
)
from wpfs.loss import balance_classes


class RunError(Exception):
    """A run cannot go on; the message is the record's one line."""


@dataclass(frozen=True, eq=False)
class Part:
    """Rows of a split: X (n, D) and class codes y (n,)."""

    X: np.ndarray
    y: np.ndarray


def execute_job(job: Job, device: str = "cpu", threads: int = 1) -> Outcome:
    """Do a run in this process; whatever the method raises becomes a ``failed`` record."""
    started = datetime.now(UTC).isoformat(timespec="seconds")
    begin = time.perf_counter()
    reset_peak_memory()
    context: dict[str, Any] = {
        **job.description,
        **describe_environment(job.requires, device, threads, started),
    }
    try:
        dataset = load_dataset(job.source)
        method = get_method(job.method)
        if dataset.checksum != job.key.dataset_checksum:
            raise RunError(f"data set {dataset.name} changed while the runs were going on")
        begin = time.perf_counter()
        fields, arrays = _run(job.key, method, dataset, context, device, threads)
    except (Exception, SystemExit) as error:
        return Outcome(
            {
                **context,
                "status": "failed",
                "error": describe_error(error),
                "seconds": time.perf_counter() - begin,
                "peak_memory_mb": read_peak_memory(),
            },
            spoils_process=is_cuda_error(error),
        )
    costs = {"seconds": time.perf_counter() - begin, "peak_memory_mb": read_peak_memory()}
    known = {name: value for name, value in fields.items() if np.isfinite(value)}
    return Outcome({**context, "status": "ok", "error": "", **known, **costs}, arrays)


def build_estimator(
    method: Method, hyperparameters: Mapping[str, Any], seed: int, device: str, threads: int
) -> Any:
    """Make the classifier, with what the suite sets: seed, threads and device."""
    accepted = method.defaults()
    given = {"random_state": seed, "n_threads": threads, "n_jobs": threads, "device": device}
    arguments = {name: value for name, value in given.items() if name in accepted}
    return method.estimator(**{**arguments, **to_arguments(method, hyperparameters)})


def take_parts(dataset: Dataset, split: Split) -> tuple[Part, Part, Part]:
    """Cut out training, validation and test rows; fill gaps with medians of the training rows."""
    medians = take_medians(dataset.X[split.train]) if dataset.impute == "median" else None

    def cut(rows: np.ndarray) -> Part:
        X = dataset.X[rows]
        return Part(X if medians is None else fill_gaps(X, medians), dataset.y[rows])

    return cut(split.train), cut(split.valid), cut(split.test)


def describe_error(error: BaseException) -> str:
    """Return one line for the record."""
    text = " ".join(str(error).split())
    if isinstance(error, RunError):
        return text
    if is_cuda_error(error) and "out of memory" in text:
        return f"GPU out of memory: use --jobs-per-gpu 1 or a smaller batch ({text[:160]})"
    if isinstance(error, MemoryError):
        return f"out of memory: {text or 'an array could not be allocated'}"
    if isinstance(error, SystemExit):
        return f"the method called sys.exit({text})"
    return f"{type(error).__name__}: {text}"[:500]


def is_cuda_error(error: BaseException) -> bool:
    """Return whether the GPU may be unusable for this process from now on."""
    return "CUDA" in str(error) or type(error).__name__ == "OutOfMemoryError"


def _run(
    key: RunKey,
    method: Method,
    dataset: Dataset,
    context: dict[str, Any],
    device: str,
    threads: int,
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    split = make_split(dataset.y, key.repeat, key.fold, key.folds, dataset.groups)
    context["split_checksum"] = split.checksum
    if "gpu" not in method.tags:
        context["device"] = device = "cpu"
    train, valid, test = take_parts(dataset, split)
    estimator = build_estimator(method, key.hyperparameters, key.seed, device, threads)
    seed_everything(key.seed, method)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        if method_takes_eval_set(method):
            estimator.fit(train.X, train.y, eval_set=[(valid.X, valid.y)])
        else:
            estimator.fit(train.X, train.y)
        fields, arrays = _score(estimator, train, valid, test, len(dataset.class_names))
    return {**fields, **_read_costs(estimator)}, {
        "test_index": split.test,
        **arrays,
        **_read_arrays(estimator, dataset.X.shape[1]),
    }


def method_takes_eval_set(method: Method) -> bool:
    """Return whether ``fit`` has an argument ``eval_set``."""
    fit = getattr(method.estimator, "fit")  # noqa: B009 - a plain class for the type checker
    return "eval_set" in inspect.signature(fit).parameters


def _score(
    estimator: Any, train: Part, valid: Part, test: Part, n_classes: int
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    weights = balance_classes(train.y, n_classes)
    fields: dict[str, Any] = {}
    for name, part in (("train", train), ("valid", valid), ("test", test)):
        y_pred, proba = predict_rows(estimator, part.X, n_classes, name)
        arrays = {"y_true": part.y, "y_pred": y_pred}
        if proba is not None:
            arrays["proba"] = proba
        fields |= metrics.measure(name, {**arrays, "weights": weights})
    return fields, arrays


def predict_rows(
    estimator: Any, X: np.ndarray, n_classes: int, part: str
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return class codes (n,) and, if the method has them, probabilities (n, C)."""
    y_pred = np.asarray(estimator.predict(X))
    if y_pred.shape != (len(X),):
        raise RunError(f"predict returned shape {y_pred.shape} for {len(X)} {part} rows")
    if not np.isin(y_pred, np.arange(n_classes)).all():
        raise RunError(f"predict returned something else than class codes on {part} rows")
    if not hasattr(estimator, "predict_proba"):
        return y_pred.astype(np.int64), None
    found = np.asarray(estimator.predict_proba(X), dtype=np.float64)
    classes = np.asarray(estimator.classes_)
    if found.shape != (len(X), len(classes)):
        raise RunError(f"predict_proba returned shape {found.shape}, not {(len(X), len(classes))}")
    bad = ~np.isfinite(found).all(axis=1)
    if bad.any():
        raise RunError(f"predict_proba returned NaN or infinity on {bad.sum()} {part} rows")
    if (found < 0).any() or not np.allclose(found.sum(axis=1), 1, atol=1e-3):
        raise RunError(f"predict_proba returned rows that are no probabilities on {part} rows")
    proba = np.zeros((len(X), n_classes))
    proba[:, classes] = found
    return y_pred.astype(np.int64), proba


def _read_costs(estimator: Any) -> dict[str, Any]:
    sources = {"n_parameters": "n_parameters_", "best_step": "best_step_", "steps": "n_steps_"}
    costs = {
        name: int(value)
        for name, attribute in sources.items()
        if (value := getattr(estimator, attribute, None)) is not None
    }
    selected = getattr(estimator, "selected_features_", None)
    if selected is not None:
        costs["n_selected"] = len(selected)
    return costs


def _read_arrays(estimator: Any, n_features: int) -> dict[str, np.ndarray]:
    arrays = {}
    importances = getattr(estimator, "feature_importances_", None)
    if importances is not None and np.shape(importances) == (n_features,):
        arrays["importances"] = np.asarray(importances, dtype=np.float32)
    selected = np.asarray(getattr(estimator, "selected_features_", ()))  # may be names
    if np.issubdtype(selected.dtype, np.integer) and np.isin(selected, range(n_features)).all():
        arrays["selected"] = np.sort(selected).astype(np.int32)
    for name, column in (getattr(estimator, "history_", None) or {}).items():
        arrays[f"history_{name}"] = np.asarray(column, dtype=np.float64)
    return arrays


def seed_everything(seed: int, method: Method) -> None:
    """Seed the global generators, for classifiers that take no ``random_state``."""
    random.seed(seed)
    np.random.seed(seed % 2**32)  # noqa: NPY002 - that is the generator they use
    if "torch" in sys.modules or "torch" in method.requires:
        import torch

        torch.manual_seed(seed)
