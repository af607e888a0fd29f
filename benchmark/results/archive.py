"""An archive: runs of a store in a few files, small enough to be committed.

``runs.csv`` has a line per run, ``texts.json`` the long texts that it has by name,
``predictions.npz`` their predictions, ``genes.npz`` their best features and, if it was asked for,
``curves.npz`` their loss curves and importance histograms. ``manifest.json`` has the number of
runs and the digests of these files; they are checked whenever a file is read.
"""

import io
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmark.errors import UserError
from benchmark.exact_csv import read_csv
from benchmark.files import write_atomically
from benchmark.results.archived_arrays import (
    CURVES,
    GENES,
    MANIFEST,
    PREDICTIONS,
    RUNS,
    ArchivedArrays,
    Manifest,
    digest,
    gather_curves,
    gather_names,
    gather_predictions,
    gather_scores,
    read_manifest,
    read_member,
)
from benchmark.results.arrays import (
    BEST_IMPORTANCES,
    FeatureScores,
    RunArrays,
    StoredArrays,
    pack_arrays,
)
from benchmark.results.record import (
    CANDIDATES,
    COST_COLUMNS,
    LATER_COLUMNS,
    RUN_COLUMNS,
    TEXT_COLUMNS,
    find_fault,
    find_other_hash,
)
from benchmark.results.repeated_texts import Texts, parse_texts, restore_texts, shorten_texts
from benchmark.run.metrics import SCORE_COLUMNS

TEXTS = "texts.json"

#: Longer reasons are cut: they may quote a line of the file.
_REASON_LENGTH = 120

#: Columns whose values are lists or mappings: written as JSON.
_JSON_COLUMNS = ("dataset_differences", "hyperparameters", "presets", "versions")


def is_archive(folder: Path) -> bool:
    """Return whether a folder holds an archive rather than a store."""
    return (folder / RUNS).is_file() or (folder / MANIFEST).is_file()


def write_archive(
    frame: pd.DataFrame,
    folder: Path,
    arrays: RunArrays | None = None,
    curves: bool = False,
    names: Mapping[str, np.ndarray] | None = None,
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
    names
        Checksum of a table -> names of its features; kept so that lists of genes need no table.
    """
    folder.mkdir(parents=True, exist_ok=True)
    source = StoredArrays(frame) if arrays is None else arrays
    # Sorted, so that adding runs changes few lines of a committed file.
    frame = frame.sort_values(list(RUN_COLUMNS), kind="stable")
    runs = frame.drop(columns="path")
    for column in _JSON_COLUMNS:
        runs[column] = [json.dumps(value, sort_keys=True) for value in runs[column]]
    runs, texts = shorten_texts(runs)
    index = [int(run) for run in frame.index]
    files = {
        TEXTS: (json.dumps(texts, indent=1, ensure_ascii=False) + "\n").encode(),
        RUNS: runs.to_csv(index=False, lineterminator="\n").encode(),
        PREDICTIONS: pack_arrays(gather_predictions(index, source)),
        GENES: pack_arrays(
            {**gather_scores(index, source), **gather_names(frame, source, names or {})}
        ),
    }
    if curves:
        files[CURVES] = pack_arrays(gather_curves(index, source))
    manifest = {
        "schema": 1,
        "runs": len(runs),
        "sha256": {name: digest(content) for name, content in files.items()},
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


def read_archive(folder: Path) -> tuple[pd.DataFrame, ArchivedArrays]:
    """Read runs and their arrays, as ``read_results`` gives them.

    Raises
    ------
    UserError
        If the archive is damaged: it is read whole or refused.
    """
    file = folder / RUNS
    manifest = read_manifest(folder)
    try:
        content = file.read_bytes()
        frame = _parse_runs(content, _read_texts(folder, manifest))
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


def _read_texts(folder: Path, manifest: Manifest | None) -> Texts:
    """Read the texts that ``runs.csv`` has by name; none in early archives."""
    if TEXTS not in (manifest.digests if manifest else ()) and not (folder / TEXTS).exists():
        return {}
    return parse_texts(read_member(folder, TEXTS, manifest))


def _parse_runs(content: bytes, texts: Texts) -> pd.DataFrame:
    frame = read_csv(
        io.BytesIO(content),
        dtype=dict.fromkeys(TEXT_COLUMNS, str),
        # Only nothing is missing: a cohort may be called NA.
        keep_default_na=False,
        na_values=[""],
    )
    frame = restore_texts(frame, texts)
    for column in _JSON_COLUMNS:
        frame[column] = [json.loads(text) for text in frame[column]]
    frame["presets"] = [tuple(presets) for presets in frame["presets"]]
    for column in LATER_COLUMNS:
        frame[column] = frame.get(column, "")
    # Younger than the archive, or unknown.
    for column in (*SCORE_COLUMNS, *COST_COLUMNS, CANDIDATES, "threads"):
        frame[column] = frame.get(column, math.nan)
    for column in TEXT_COLUMNS:
        frame[column] = frame[column].astype("str").where(frame[column].notna(), "")
    return frame


def _find_faulty_line(frame: pd.DataFrame) -> str | None:
    """Return the first line that is not a run, and why; None if all are."""
    if frame["stale"].dtype != bool:
        return "its column stale is not true or false"
    for number, record in enumerate(_list_rows(frame), start=2):
        if fault := find_fault(record) or find_other_hash(record):
            return f"line {number}: {fault}"
    return None


def unpack_records(folder: Path) -> Iterator[tuple[dict[str, Any], Mapping[str, np.ndarray]]]:
    """Yield each record with its predictions, as a store holds them.

    Of importance scores it has the best, and loss curves only if it was asked to keep them.
    """
    frame, arrays = read_archive(folder)
    rows = _list_rows(frame.drop(columns=["path", "stale"]))
    for run, record in zip(frame.index, rows, strict=True):
        record["presets"] = list(record["presets"])
        history = arrays.read_history(int(run))
        curves = {f"history_{name}": values for name, values in history.items()}
        yield (
            record,
            {
                **arrays.read_predictions(int(run)),
                **curves,
                **_name_scores(arrays.read_scores(int(run))),
            },
        )


def unpack_names(folder: Path) -> dict[str, np.ndarray]:
    """Return checksum of a table -> (D,) names of its features, of those that are kept."""
    frame, arrays = read_archive(folder)
    known = {checksum: arrays.read_names(checksum) for checksum in set(frame["dataset_checksum"])}
    return {checksum: names for checksum, names in known.items() if names is not None}


def _name_scores(found: FeatureScores | None) -> dict[str, np.ndarray]:
    """Return the arrays of a store that hold the scores of a run."""
    if found is None:
        return {}
    arrays = {BEST_IMPORTANCES: found.scores}
    if found.selected is not None:
        arrays["selected"] = np.flatnonzero(found.selected).astype(np.int32)
    return arrays


def _name_runs(frame: pd.DataFrame) -> set[tuple]:
    return set(frame[list(RUN_COLUMNS)].itertuples(index=False, name=None))


def _list_rows(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for row in frame.to_dict("records"):
        yield {name: value for name, value in row.items() if not _is_missing(value)}


def _is_missing(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
