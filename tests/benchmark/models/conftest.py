"""A small table, and a model of it in a folder."""

from pathlib import Path

import numpy as np
import pytest

from benchmark.datasets.dataset import Dataset
from benchmark.datasets.own_table.new_samples import NewSamples
from benchmark.models.fit import FitRequest, fit_model, make_portable
from benchmark.models.folder import write_model


def make_cohort(seed: int = 0, n: int = 40, shift: float = 0.0, **fields) -> Dataset:
    """Return three classes told apart by the first six of twenty genes."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = rng.normal(5, 1, (n, 20)) + shift
    X[:, :6] += 3 * np.eye(3)[y].repeat(2, axis=1)
    given = {
        "name": "cohort",
        "X": X,
        "y": y,
        "feature_names": [f"GENE{j}" for j in range(20)],
        "sample_ids": [f"P{i}" for i in range(n)],
        "class_names": ["luminal", "basal", "normal"],
    }
    return Dataset(**{**given, **fields})


def to_samples(dataset: Dataset, genes: slice = slice(None), **fields) -> NewSamples:
    given = {
        "name": "new.csv",
        "X": dataset.X[:, genes].astype(float),
        "feature_names": tuple(dataset.feature_names[genes].tolist()),
        "sample_ids": tuple(dataset.sample_ids.tolist()),
    }
    return NewSamples(**{**given, **fields})


@pytest.fixture
def cohort() -> Dataset:
    return make_cohort()


@pytest.fixture
def folder(cohort: Dataset, tmp_path: Path) -> Path:
    fitted = fit_model(FitRequest("linear-svm"), cohort)
    write_model(tmp_path / "model", make_portable(fitted))
    return tmp_path / "model"
