"""Transforms of values that need no fitting, so they may be applied on loading."""

from dataclasses import replace

import numpy as np

from benchmark.datasets.naming import TRANSFORMS
from benchmark.datasets.record import Dataset
from benchmark.errors import UserError

IMPUTATIONS = ("median",)


def apply_transform(dataset: Dataset, transform: str | None) -> Dataset:
    """Return the transformed data set; its name says so, for its results are others.

    ``log2p1`` is log2(x + 1), for raw counts and unlogged RSEM values.
    """
    if transform is None:
        return dataset
    if transform not in TRANSFORMS:
        raise UserError(f"unknown transform {transform!r}, use {' or '.join(TRANSFORMS)}")
    if np.nanmin(dataset.X) < 0:
        raise UserError(
            f"data set {dataset.name}: log2p1 needs values of at least 0, the smallest is "
            f"{np.nanmin(dataset.X):g} (are they logged already?)"
        )
    return replace(
        dataset,
        name=f"{dataset.name}+{transform}",
        X=np.log2(dataset.X + np.float32(1)),
        differences=(*dataset.differences, f"Values are transformed ({transform})."),
        provenance={**dataset.provenance, "transform": transform},
    )


def check_imputation(impute: str | None) -> None:
    """Refuse what the runner does not know."""
    if impute is not None and impute not in IMPUTATIONS:
        raise UserError(f"unknown imputation {impute!r}, use {' or '.join(IMPUTATIONS)}")
