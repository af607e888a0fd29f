"""An archive: runs of a store in three files, small enough to be committed.

``runs.csv`` has a line per run, ``predictions.npz`` their predictions and, if it was asked for,
``curves.npz`` their loss curves and importance histograms.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmark.errors import UserError
from benchmark.files import write_atomically
from benchmark.results.arrays import (
    IMPORTANCE_BINS,
    RunArrays,
    StoredArrays,
    pack_arrays,
    read_npz,
)
from benchmark.results.store import LATER_COLUMNS
from benchmark.run.metrics import SCORE_COLUMNS

RUNS = "runs.csv"
PREDICTIONS = "predictions.npz"
CURVES = "curves.npz"

#: Columns that name a run, whatever the version of its method.
_RUN = ["dataset", "model", "hyperparameters_hash", "seed", "repeat", "fold"]

#: Columns whose values are lists or mappings: written as JSON.
_JSON_COLUMNS = ("dataset_differences", "hyperparameters", "presets", "versions")

#: Columns that must stay text: a hash of digits only would be read as a number.
_TEXT_COLUMNS = (
    "dataset",
    "dataset_checksum",
    "stand_in_for",
    "hyperparameters_of",
    "model",
    "hyperparameters_hash",
    "split_checksum",
    "status",
    "error",
    "device",
    "processor",
    "git_commit",
    "started",
)


def is_archive(folder: Path) -> bool:
    """Return whether a folder holds an archive rather than a store."""
    return (folder / RUNS).is_file()


def write_archive(
    frame: pd.DataFrame, folder: Path, arrays: RunArrays | None = None, curves: bool = False
) -> None:
    """Write runs and their arrays.

    Parameters
    ----------
    frame
        One row per run, as ``read_results`` gives them.
    folder
        Made if missing; an archive in it is replaced.
    arrays
        Where the runs' arrays are; the npz files beside the records when None.
    curves
        Keep loss curves and importance histograms too.
    """
    folder.mkdir(parents=True, exist_ok=True)
    source = StoredArrays(frame) if arrays is None else arrays
    # Sorted, so that adding runs changes few lines of a committed file.
    frame = frame.sort_values(_RUN, kind="stable")
    runs = frame.drop(columns="path")
    for column in _JSON_COLUMNS:
        runs[column] = [json.dumps(value, sort_keys=True) for value in runs[column]]
    index = [int(run) for run in frame.index]
    files = {
        RUNS: runs.to_csv(index=False, lineterminator="\n").encode(),
        PREDICTIONS: pack_arrays(_gather_predictions(index, source)),
    }
    if curves:
        files[CURVES] = pack_arrays(_gather_curves(index, source))
    try:
        for name, content in files.items():
            write_atomically(folder / name, content)
    except OSError as error:
        raise UserError(
            f"cannot write to {folder}: {error.strerror}; choose another folder"
        ) from error


def check_nothing_is_lost(frame: pd.DataFrame, folder: Path) -> None:
    """Raise a ``UserError`` if an archive holds runs that are not among these.

    Parameters
    ----------
    frame
        The runs to be written in its place.
    folder
        An archive, or a folder that may become one.
    """
    if not is_archive(folder):
        return
    before, _ = read_archive(folder)
    lost = len(_name_runs(before) - _name_runs(frame))
    if lost:
        raise UserError(
            f"{folder} holds {lost} runs that would be lost: merge them first "
            f"(`wpfs-bench results merge {folder}`), or choose another folder"
        )


def read_archive(folder: Path) -> tuple[pd.DataFrame, "ArchivedArrays"]:
    """Read runs and their arrays, as ``read_results`` gives them."""
    file = folder / RUNS
    try:
        frame = pd.read_csv(file, dtype=dict.fromkeys(_TEXT_COLUMNS, str), keep_default_na=True)
        for column in _JSON_COLUMNS:
            frame[column] = [json.loads(text) for text in frame[column]]
    except (ValueError, KeyError, TypeError) as error:
        reason = str(error).splitlines()[0]
        raise UserError(f"{file} is not an archive of runs ({reason}): fetch it again") from error
    frame["presets"] = [tuple(presets) for presets in frame["presets"]]
    for column in LATER_COLUMNS:
        frame[column] = frame.get(column, "")
    for column in SCORE_COLUMNS:  # of a metric that is younger than the archive
        frame[column] = frame.get(column, math.nan)
    for column in _TEXT_COLUMNS:
        frame[column] = frame[column].fillna("")
    frame["path"] = str(file)
    return frame, ArchivedArrays(folder, len(frame))


def unpack_records(folder: Path) -> Iterator[tuple[dict[str, Any], Mapping[str, np.ndarray]]]:
    """Give back each record with its predictions, as a store holds them.

    An archive has no importance scores, and loss curves only if it was asked to keep them.
    """
    frame, arrays = read_archive(folder)
    frame = frame.drop(columns=["path", "stale"])
    for run, row in zip(frame.index, frame.to_dict("records"), strict=True):
        record = {name: value for name, value in row.items() if not _is_missing(value)}
        record["presets"] = list(record["presets"])
        history = arrays.read_history(int(run))
        curves = {f"history_{name}": values for name, values in history.items()}
        yield record, {**arrays.read_predictions(int(run)), **curves}


def _name_runs(frame: pd.DataFrame) -> set[tuple]:
    return set(frame[_RUN].itertuples(index=False, name=None))


def _is_missing(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


@dataclass(frozen=True)
class ArchivedArrays:
    """Arrays of an archive; a run's key is its line in ``runs.csv``.

    Parameters
    ----------
    folder
        The archive.
    n_runs
        Lines of ``runs.csv``.
    """

    folder: Path
    n_runs: int

    @property
    def unreadable(self) -> Sequence[Path]:
        """Nothing: an archive is read whole or refused."""
        return ()

    @cached_property
    def _predictions(self) -> dict[str, np.ndarray]:
        file = self.folder / PREDICTIONS
        if not file.is_file():
            raise UserError(f"{file} is missing: fetch the archive again")
        content = read_npz(file)
        if len(content["offset"]) != self.n_runs + 1:
            raise UserError(
                f"{file} is not of the same runs as {self.folder / RUNS}: fetch the archive again"
            )
        return content

    @cached_property
    def _curves(self) -> dict[str, np.ndarray]:
        file = self.folder / CURVES
        return read_npz(file) if file.is_file() else {}

    def read_predictions(self, run: int) -> Mapping[str, np.ndarray]:
        """Return ``test_index``, ``y_true``, ``y_pred`` (n,) and ``proba`` (n, C), or nothing."""
        content = self._predictions
        rows = _piece(content["offset"], run)
        if rows.start == rows.stop:
            return {}
        proba = content["proba"][_piece(content["proba_offset"], run)]
        return {
            **{name: content[name][rows] for name in ("test_index", "y_true", "y_pred")},
            "proba": proba.astype(np.float32).reshape(rows.stop - rows.start, -1),
        }

    def read_history(self, run: int) -> Mapping[str, np.ndarray]:
        """Return ``step``, ``train_loss`` and ``valid_loss``, equally long, or nothing."""
        content = self._curves
        rows = _piece(content["offset"], run) if content else slice(0, 0)
        if rows.start == rows.stop:
            return {}
        return {
            name: content[name][rows].astype(np.float32)
            for name in ("step", "train_loss", "valid_loss")
        }

    def read_importance_counts(self, run: int) -> np.ndarray | None:
        """Return how many features have a score in each bin, or None."""
        if not self._curves:
            return None
        counts = self._curves["importance_counts"][run]
        return counts if counts.any() else None


def _gather_predictions(index: Sequence[int], source: RunArrays) -> dict[str, np.ndarray]:
    runs = [source.read_predictions(run) for run in index]
    return {
        "offset": _offsets(len(run.get("y_true", ())) for run in runs),
        "proba_offset": _offsets(run["proba"].size if run else 0 for run in runs),
        "test_index": _join(runs, "test_index", np.int32),
        "y_true": _join(runs, "y_true", np.int16),
        "y_pred": _join(runs, "y_pred", np.int16),
        "proba": _join(runs, "proba", np.float16),
    }


def _gather_curves(index: Sequence[int], source: RunArrays) -> dict[str, np.ndarray]:
    runs = [source.read_history(run) for run in index]
    counts = np.zeros((len(index), len(IMPORTANCE_BINS) - 1), dtype=np.int32)
    for row, run in enumerate(index):
        found = source.read_importance_counts(run)
        if found is not None:
            counts[row] = found
    return {
        "offset": _offsets(len(run.get("step", ())) for run in runs),
        "step": _join(runs, "step", np.int32),
        "train_loss": _join(runs, "train_loss", np.float16),
        "valid_loss": _join(runs, "valid_loss", np.float16),
        "importance_counts": counts,
    }


def _join(runs: list[Mapping[str, np.ndarray]], name: str, dtype: Any) -> np.ndarray:
    parts = [np.asarray(run[name]).ravel() for run in runs if run]
    return np.concatenate(parts).astype(dtype) if parts else np.empty(0, dtype)


def _offsets(lengths: Iterable[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(list(lengths), dtype=np.int64)]).astype(np.int64)


def _piece(offset: np.ndarray, run: int) -> slice:
    return slice(int(offset[run]), int(offset[run + 1]))
