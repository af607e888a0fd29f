"""A table in one line, for the user to see what will be learnt from."""

import numpy as np

from benchmark.datasets.record import Dataset
from benchmark.datasets.wording import count_noun

#: More classes than this are counted instead of named.
_NAMED_CLASSES = 6


def describe_table(dataset: Dataset) -> str:
    """Return size, classes, and what is kept or filled.

    For example ``good: 60 samples × 20 features, classes no 35 / yes 25; 1 constant feature
    kept; 3 missing values filled per split``.
    """
    size = (
        f"{count_noun(dataset.n_samples, 'sample')} × {count_noun(dataset.n_features, 'feature')}"
    )
    parts = [f"{dataset.name}: {size}, {_describe_classes(dataset)}"]
    if dataset.groups is not None:
        parts.append(count_noun(len(np.unique(dataset.groups)), "group"))
    constant = count_constant(dataset.X)
    if constant:
        parts.append(f"{count_noun(constant, 'constant feature')} kept")
    missing = int(np.isnan(dataset.X).sum())
    if missing:
        parts.append(f"{count_noun(missing, 'missing value')} filled per split")
    return "; ".join(parts)


def count_constant(values: np.ndarray) -> int:
    """Return how many columns of ``values`` (n × D) have one value only, NaN aside."""
    lowest = np.fmin.reduce(values, axis=0)
    return int((lowest == np.fmax.reduce(values, axis=0)).sum())


def _describe_classes(dataset: Dataset) -> str:
    counts = dataset.class_counts
    if len(counts) > _NAMED_CLASSES:
        return f"{len(counts)} classes of {min(counts)} to {max(counts)} samples"
    pairs = zip(dataset.class_names, counts, strict=True)
    return "classes " + " / ".join(f"{name} {count}" for name, count in pairs)
