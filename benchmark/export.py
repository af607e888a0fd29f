"""The tidy table of all runs, with plain values only."""

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_NESTED = ("hyperparameters", "dataset_differences", "versions")


def flatten(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Turn lists and dictionaries of ``store.read_frame`` into text (JSON; presets by spaces)."""
    flat = frame.copy()
    flat["presets"] = frame["presets"].map(" ".join)
    for column in _NESTED:
        flat[column] = frame[column].map(_to_text)
    return flat


def _to_text(value: Any) -> str:
    return json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else ""
