"""An archive: runs of a store in a few files, small enough to be committed.

``runs.csv`` has a line per run, ``predictions.npz`` their predictions and, if it was asked for,
``curves.npz`` their loss curves and importance histograms. ``manifest.json`` has the number of
runs and the digests of these files; they are checked whenever a file is read.
"""

import hashlib
import io
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
from benchmark.exact_csv import read_csv
from benchmark.files import write_atomically
from benchmark.results.arrays import (
    IMPORTANCE_BINS,
    RunArrays,
    StoredArrays,
    pack_arrays,
    unpack_arrays,
)
from benchmark.results.record import (
    LATER_COLUMNS,
    RUN_COLUMNS,
    TEXT_COLUMNS,
    find_fault,
    find_other_hash,
)
from benchmark.run.metrics import SCORE_COLUMNS

RUNS = "runs.csv"
PREDICTIONS = "predictions.npz"
CURVES = "curves.npz"
MANIFEST = "manifest.json"

_PREDICTION_ARRAYS = ("offset", "proba_offset", "test_index", "y_true", "y_pred", "proba")
_CURVE_ARRAYS = ("offset", "step", "train_loss", "valid_loss", "importance_counts")

#: Longer reasons are cut: they may quote a line of the file.
_REASON_LENGTH = 120

#: Columns whose values are lists or mappings: written as JSON.
_JSON_COLUMNS = ("dataset_differences", "hyperparameters", "presets", "versions")


def is_archive(folder: Path) -> bool:
    """Return whether a folder holds an archive rather than a store."""
    return (folder / RUNS).is_file() or (folder / MANIFEST).is_file()


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
    frame = frame.sort_values(list(RUN_COLUMNS), kind="stable")
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
    manifest = {
        "schema": 1,
        "runs": len(runs),
        "sha256": {name: _digest(content) for name, content in files.items()},
    }
    files[MANIFEST] = (json.dumps(manifest, indent=1) + "\n").encode()
    try:
        for name, content in files.items():
            write_atomically(folder / name, content)
        if not curves:
            (folder / CURVES).unlink(missing_ok=True)
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
    """Read runs and their arrays, as ``read_results`` gives them.

    Raises
    ------
    UserError
        If the archive is damaged: it is read whole or refused.
    """
    file = folder / RUNS
    manifest = _read_manifest(folder)
    try:
        content = file.read_bytes()
        frame = _parse_runs(content)
        fault = None if manifest else _find_faulty_line(frame)
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}: fetch the archive again") from error
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        frame, fault = None, str(error).partition("\n")[0][:_REASON_LENGTH]
    if manifest and not manifest.fits(RUNS, content):
        n_lines = content.count(b"\n") - 1 if frame is None else len(frame)
        raise UserError(
            f"{file} is damaged: it has {n_lines} lines of runs and is not the file of "
            f"{manifest.n_runs} runs that {MANIFEST} describes: fetch the archive again"
        )
    if frame is None or fault:
        raise UserError(f"{file} is not an archive of runs ({fault}): fetch it again")
    frame["path"] = str(file)
    return frame, ArchivedArrays(folder, len(frame), manifest)


def _parse_runs(content: bytes) -> pd.DataFrame:
    frame = read_csv(
        io.BytesIO(content),
        dtype=dict.fromkeys(TEXT_COLUMNS, str),
        # Only nothing is missing: a cohort may be called NA.
        keep_default_na=False,
        na_values=[""],
    )
    for column in _JSON_COLUMNS:
        frame[column] = [json.loads(text) for text in frame[column]]
    frame["presets"] = [tuple(presets) for presets in frame["presets"]]
    for column in LATER_COLUMNS:
        frame[column] = frame.get(column, "")
    for column in SCORE_COLUMNS:  # of a metric that is younger than the archive
        frame[column] = frame.get(column, math.nan)
    for column in TEXT_COLUMNS:
        frame[column] = frame[column].fillna("")
    return frame


def _find_faulty_line(frame: pd.DataFrame) -> str | None:
    """Return the first line that is not a run, and why; None if all are."""
    if frame["stale"].dtype != bool:
        return "its column stale is not true or false"
    for number, record in enumerate(_list_rows(frame), start=2):
        if fault := find_fault(record) or find_other_hash(record):
            return f"line {number}: {fault}"
    return None


@dataclass(frozen=True)
class _Manifest:
    n_runs: int
    digests: Mapping[str, str]

    def fits(self, name: str, content: bytes) -> bool:
        """Return whether a file of the archive has the content it was written with."""
        return self.digests.get(name) == _digest(content)


def _read_manifest(folder: Path) -> _Manifest | None:
    """Read the manifest; None for early archives, which have none."""
    file = folder / MANIFEST
    if not file.is_file():
        return None
    try:
        content = json.loads(file.read_bytes())
        return _Manifest(int(content["runs"]), dict(content["sha256"]))
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise UserError(f"{file} is damaged: fetch the archive again") from error


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def unpack_records(folder: Path) -> Iterator[tuple[dict[str, Any], Mapping[str, np.ndarray]]]:
    """Give back each record with its predictions, as a store holds them.

    An archive has no importance scores, and loss curves only if it was asked to keep them.
    """
    frame, arrays = read_archive(folder)
    rows = _list_rows(frame.drop(columns=["path", "stale"]))
    for run, record in zip(frame.index, rows, strict=True):
        record["presets"] = list(record["presets"])
        history = arrays.read_history(int(run))
        curves = {f"history_{name}": values for name, values in history.items()}
        yield record, {**arrays.read_predictions(int(run)), **curves}


def _name_runs(frame: pd.DataFrame) -> set[tuple]:
    return set(frame[list(RUN_COLUMNS)].itertuples(index=False, name=None))


def _list_rows(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for row in frame.to_dict("records"):
        yield {name: value for name, value in row.items() if not _is_missing(value)}


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
    manifest
        What the files must be; None for early archives.
    """

    folder: Path
    n_runs: int
    manifest: "_Manifest | None" = None

    @property
    def unreadable(self) -> Sequence[Path]:
        """Nothing: an archive is read whole or refused."""
        return ()

    @cached_property
    def _predictions(self) -> dict[str, np.ndarray]:
        return self._read(PREDICTIONS, _PREDICTION_ARRAYS)

    @cached_property
    def _curves(self) -> dict[str, np.ndarray]:
        known = self.manifest.digests if self.manifest else ()
        if CURVES not in known and not (self.folder / CURVES).exists():
            return {}
        return self._read(CURVES, _CURVE_ARRAYS)

    def _read(self, name: str, wanted: Sequence[str]) -> dict[str, np.ndarray]:
        file = self.folder / name
        if not file.is_file():
            raise UserError(f"{file} is missing: fetch the archive again")
        content = file.read_bytes()
        if self.manifest and not self.manifest.fits(name, content):
            raise UserError(
                f"{file} is damaged: it is not the file that {MANIFEST} describes: fetch the "
                "archive again"
            )
        try:
            arrays = unpack_arrays(content, wanted)
        except ValueError as error:
            raise UserError(f"{file} is damaged ({error}): fetch the archive again") from error
        if missing := [name for name in wanted if name not in arrays]:
            raise UserError(f"{file} is damaged (no {missing[0]}): fetch the archive again")
        if len(arrays["offset"]) != self.n_runs + 1:
            raise UserError(
                f"{file} is not of the same runs as {self.folder / RUNS}: fetch the archive again"
            )
        return arrays

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
