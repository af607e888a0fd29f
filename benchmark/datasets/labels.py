"""Labels as text: one spelling for a class, whatever type its column has."""

import re
from collections.abc import Iterable

import numpy as np
import pandas as pd

#: A number; ``01`` is a name.
_NUMBER = re.compile(r"[-+]?(0|[1-9]\d*)(\.\d*)?([eE][-+]?\d+)?")


def spell_labels(labels: pd.Series) -> pd.Series:
    """Return labels as text, missing ones still missing; 1 and 1.0 are both spelt ``1``."""
    if pd.api.types.is_bool_dtype(labels):
        return labels.map({True: "true", False: "false"}).astype(object)
    texts = labels.astype(object).map(_spell)
    different = set(texts.dropna())
    if different <= {"True", "False"}:
        return texts.map({"True": "true", "False": "false"})
    if all(_NUMBER.fullmatch(text) for text in different):
        return texts.map({text: _spell_number(text) for text in different})
    return texts


def _spell(label: object) -> str | None:
    if label is None or label is pd.NA or (isinstance(label, float) and np.isnan(label)):
        return None
    return str(label).strip() or None


def _spell_number(text: str) -> str:
    value = float(text)
    return str(int(value)) if value.is_integer() else repr(value)


def sort_labels(labels: Iterable[str]) -> list[str]:
    """Return the different labels in order, numbers as numbers and before words."""
    return sorted(set(labels), key=_sort_key)


def _sort_key(label: str) -> tuple[int, float, str]:
    try:
        return (0, float(label), label)
    except ValueError:
        return (1, 0.0, label)
