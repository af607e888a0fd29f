"""Class labels: from what stands in a column to codes."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmark.datasets.problems import SourceError


def spell_labels(labels: pd.Series) -> pd.Series:
    """Return labels as text, missing ones still missing; 1 and 1.0 are both spelt ``1``."""
    if pd.api.types.is_bool_dtype(labels):
        return labels.map({True: "true", False: "false"}).astype(object)
    return labels.astype(object).map(_spell)


def _spell(label: object) -> str | None:
    if label is None or label is pd.NA or (isinstance(label, float) and np.isnan(label)):
        return None
    if isinstance(label, float | np.floating) and float(label).is_integer():
        return str(int(label))
    return str(label).strip() or None


def map_labels(
    labels: pd.Series, mapping: tuple[tuple[str, str], ...], drop_unlisted: bool
) -> pd.Series:
    """Turn spelt labels into class names; rows to leave out are absent from what is returned."""
    if not mapping:
        return labels.dropna()
    known = dict(mapping)
    strange = sorted({str(label) for label in labels.dropna()} - known.keys())
    if strange and not drop_unlisted:
        raise SourceError(f"unknown labels {', '.join(strange[:5])} (known: {', '.join(known)})")
    return labels.map(known).dropna()


def encode_classes(
    names: pd.Series, classes: tuple[str, ...]
) -> tuple[NDArray[np.int64], NDArray[np.str_]]:
    """Return codes and class names: in the registry's order, else sorted (numbers as numbers)."""
    order = list(classes) or sorted(set(names), key=_sort_key)
    codes = {name: code for code, name in enumerate(order)}
    return np.asarray(names.map(codes), dtype=np.int64), np.array(order, dtype=np.str_)


def _sort_key(label: str) -> tuple[int, float, str]:
    try:
        return (0, float(label), label)
    except ValueError:
        return (1, 0.0, label)
