"""The way into a folder of results, be it a store or an archive."""

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from benchmark.errors import UserError
from benchmark.plan.hyperparameters import find_presets, settable
from benchmark.plan.methods import read_method_cards
from benchmark.results.archive import is_archive, read_archive
from benchmark.results.arrays import RunArrays, StoredArrays
from benchmark.results.record import CANDIDATES, COLUMNS, COST_COLUMNS, LATER_COLUMNS
from benchmark.results.store import read_records
from benchmark.run.metrics import SCORE_COLUMNS
from benchmark.text import count_noun, escape_formula


def read_results(
    folder: Path, unreadable: list[Path] | None = None
) -> tuple[pd.DataFrame, RunArrays]:
    """Read all runs of a folder and where their arrays are.

    Parameters
    ----------
    folder
        A store (one JSON file per run) or an archive (``runs.csv`` and what belongs to it).
    unreadable
        Takes the records and plans that are damaged; without it the first of them is an error.

    Returns
    -------
    tuple
        A frame with a row per run and the columns ``COLUMNS``, and the arrays by its index. A row
        is stale when a later run in the same folder used another version of its method or other
        data under the same name, or when the protocol changed.

    Raises
    ------
    UserError
        If there is no run in it.
    """
    if is_archive(folder):
        frame, arrays = read_archive(folder)
        frame["presets"] = _find_presets(frame)
        return frame, arrays
    frame = _read_store(folder, unreadable)
    if frame.empty:
        state = "holds no runs" if folder.is_dir() else "does not exist"
        if unreadable:
            state = f"holds no readable runs ({count_noun(len(unreadable), 'damaged file')})"
        raise UserError(
            f"results folder {folder} {state}: start with `wpfs-bench run`, or name another "
            "with --results"
        )
    frame["presets"] = _find_presets(frame)
    return frame, StoredArrays(frame)


_PRESET_COLUMNS = [
    *("model", "dataset", "stand_in_for", "hyperparameters_of", "hyperparameters_hash")
]


def _find_presets(frame: pd.DataFrame) -> list[tuple[str, ...]]:
    """Return the presets that the values of each run belong to today.

    A record keeps those of its day, which hold for methods that are not known here.
    """
    cards = read_method_cards()
    groups = frame.groupby(_PRESET_COLUMNS, sort=False, dropna=False)
    found: list[tuple[str, ...] | None] = []
    # A run of each group; their values are equal because the hash is.
    for first in groups.head(1)[[*_PRESET_COLUMNS, "hyperparameters"]].itertuples(index=False):
        card, values = cards.get(first.model), first.hyperparameters
        if card is None or not values.keys() <= settable(card).keys():
            found.append(None)
            continue
        # Early records do not say whose published values applied.
        published = first.hyperparameters_of or first.stand_in_for or first.dataset
        found.append(find_presets(card, published, values))
    return [
        tuple(recorded) if (known := found[group]) is None else known
        for group, recorded in zip(groups.ngroup(), frame["presets"], strict=True)
    ]


def _read_store(folder: Path, unreadable: list[Path] | None) -> pd.DataFrame:
    with _garbage_collection_paused():
        rows = list(read_records(folder, unreadable))
        frame = pd.DataFrame(rows, columns=list(COLUMNS))
    numbers = [*SCORE_COLUMNS, *COST_COLUMNS, CANDIDATES]
    frame[numbers] = frame[numbers].astype(float)
    for column in ("method_version", "protocol_version", "repeat", "fold", "folds", "seed"):
        frame[column] = frame[column].astype("int64")
    frame["stale"] = frame["stale"].astype(bool)
    for column in LATER_COLUMNS:
        frame[column] = frame[column].astype(object).fillna("").astype("str")
    return frame


@contextmanager
def _garbage_collection_paused() -> Iterator[None]:
    """Save a quarter of the time: many small objects are made, and none of them is garbage."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


_NESTED = ("hyperparameters", "dataset_differences", "versions")


def flatten(frame: pd.DataFrame) -> pd.DataFrame:
    """Turn lists and dictionaries into text (JSON; presets by spaces)."""
    flat = frame.copy()
    flat["presets"] = frame["presets"].map(" ".join)
    for column in _NESTED:
        flat[column] = frame[column].map(_to_text)
    return flat


def escape_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """Keep spreadsheets from computing texts that begin like a formula; numbers stay."""
    escaped = frame.copy()
    for column in frame.columns[~frame.dtypes.map(pd.api.types.is_numeric_dtype)]:
        escaped[column] = [escape_formula(value) for value in frame[column]]
    return escaped


def _to_text(value: Any) -> str:
    return json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else ""
