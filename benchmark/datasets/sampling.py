"""Stratified samples of a data set, for studies of its size."""

from dataclasses import replace

import numpy as np

from benchmark.datasets.naming import SIZE_MARK
from benchmark.datasets.record import Dataset
from benchmark.errors import UserError

_SEED = 42


def take_sample(dataset: Dataset, size: int) -> Dataset:
    """Return a stratified sample of ``size`` rows, in their order, always the same."""
    from sklearn.model_selection import train_test_split

    n_samples, n_classes = len(dataset.y), len(dataset.class_names)
    if not n_classes <= size <= n_samples - n_classes:
        raise UserError(
            f"data set {dataset.name}: a stratified sample has {n_classes} to "
            f"{n_samples - n_classes} of its {n_samples} samples, not {size}"
        )
    rows = np.sort(
        train_test_split(
            np.arange(n_samples), train_size=size, random_state=_SEED, stratify=dataset.y
        )[0]
    )
    return replace(
        dataset,
        name=f"{dataset.name}{SIZE_MARK}{size}",
        X=dataset.X[rows],
        y=dataset.y[rows],
        sample_ids=dataset.sample_ids[rows],
        groups=None if dataset.groups is None else dataset.groups[rows],
        differences=(
            *dataset.differences,
            f"A stratified sample of {size} of {n_samples} samples.",
        ),
        provenance={**dataset.provenance, "sample": size},
    )
