"""One atomic JSON record per run, one npz of arrays beside it, and reading them back.

A folder of results looks like this::

    results/prostate/random-forest/default-1f0c9a2b/r0-f0-s42.json
                                                    r0-f0-s42.npz
    results/.plans/      what was asked for, so that ``status`` knows what is missing

The npz is written first: a record that exists always has its arrays.
"""

import io
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmark.errors import UserError
from benchmark.files import write_atomically
from benchmark.plan.key import PROTOCOL_VERSION, RunKey
from benchmark.results.expected import read_current
from benchmark.run.metrics import SCORE_COLUMNS

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

#: Raised when the fields of a record change their meaning.
SCHEMA = 1


COST_COLUMNS = ("n_parameters", "best_step", "steps", "seconds", "peak_memory_mb", "n_selected")


COLUMNS = (
    "dataset",
    "dataset_checksum",
    "stand_in_for",
    "hyperparameters_of",
    "dataset_differences",
    "model",
    "method_version",
    "hyperparameters",
    "hyperparameters_hash",
    "presets",
    "protocol_version",
    "repeat",
    "fold",
    "folds",
    "seed",
    "split_checksum",
    "status",
    "error",
    *SCORE_COLUMNS,
    *COST_COLUMNS,
    "device",
    "threads",
    "processor",
    "versions",
    "git_commit",
    "started",
    "stale",
    "path",
)

#: Texts that early records do not have; empty there.
LATER_COLUMNS = ("hyperparameters_of", "processor")

_KEY_COLUMNS = ("dataset", "dataset_checksum", "model", "method_version", "repeat", "fold",
                "folds", "seed", "protocol_version")  # fmt: skip


class Store:
    """A folder of result records.

    Parameters
    ----------
    folder
        Where the records are; made by ``prepare`` if it does not exist.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)

    def prepare(self) -> None:
        """Make the folder and see whether it can be written to.

        Raises
        ------
        UserError
            If it cannot.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_atomically(self.folder / ".writable", b"")
            (self.folder / ".writable").unlink(missing_ok=True)
        except OSError as error:
            raise UserError(
                f"cannot write results to {self.folder}: {error.strerror or error}; "
                "free it or choose another folder with --results"
            ) from error

    def read_status(self, key: RunKey) -> str | None:
        """Return the status of a run, None if it has no (readable) record."""
        record = self.read_record(key)
        return None if record is None else record["status"]

    def read_record(self, key: RunKey) -> dict[str, Any] | None:
        """Return the record of a run, None if it has no (readable) one."""
        try:
            record = json.loads((self.folder / f"{key.path}.json").read_bytes())
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return None
        return record if isinstance(record, dict) and "status" in record else None

    def write(
        self, key: RunKey, record: Mapping[str, Any], arrays: Mapping[str, "np.ndarray"] | None
    ) -> Path:
        """Write a record and its arrays; both are on disk, whole, when this returns.

        Parameters
        ----------
        key
            The run.
        record
            Fields of the record besides the key's.
        arrays
            For the npz; None for a run that failed.

        Returns
        -------
        Path
            Of the JSON file.

        Raises
        ------
        UserError
            If the folder cannot be written to or is full. Records written before are safe.
        """
        path = self.folder / f"{key.path}.json"
        content = json.dumps({"schema": SCHEMA, **_key_fields(key), **record}, allow_nan=False)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if arrays is not None:
                write_atomically(path.with_suffix(".npz"), _pack(arrays))
            write_atomically(path, content.encode())
            if arrays is None:
                path.with_suffix(".npz").unlink(missing_ok=True)
        except OSError as error:
            raise UserError(
                f"cannot write {path}: {error.strerror or error}; all finished runs are kept: "
                "make room and give the same command again"
            ) from error
        return path


def list_records(folder: Path | str) -> Iterator[Path]:
    """Find the JSON files of a results folder: data set / model / variant / run."""
    for dataset in _folders(folder):
        for model in _folders(dataset):
            for variant in _folders(model):
                with os.scandir(variant) as entries:
                    names = sorted(e.name for e in entries)
                for name in names:
                    if name.endswith(".json") and not name.startswith("."):
                        yield Path(variant, name)


class UnreadableRecordError(UserError):
    """A file among the records that is none."""


def read_json(path: Path) -> dict[str, Any]:
    """Read one record.

    Raises
    ------
    UserError
        If the file is no record (``UnreadableRecordError``), or one of a newer wpfs-bench.
    """
    try:
        record = json.loads(path.read_bytes())
        schema = record["schema"]
        whole = schema > SCHEMA or all(name in record for name in (*_KEY_COLUMNS, "status"))
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableRecordError(
            f"{path} is not a result record: delete it and run it again"
        ) from error
    if not whole:
        raise UnreadableRecordError(f"{path} is not a whole record: delete it and run it again")
    if schema > SCHEMA:
        raise UserError(
            f"{path} has record format {schema}, this wpfs-bench reads up to {SCHEMA}: upgrade it"
        )
    return record


def read_records(
    folder: Path | str, unreadable: list[Path] | None = None
) -> Iterator[dict[str, Any]]:
    """Read all records of a results folder, with ``path`` and ``stale`` added.

    Parameters
    ----------
    folder
        As given to ``--results``.
    unreadable
        Takes the files that are no records; without it the first of them is an error.
    """
    current = read_current(folder)
    for path in list_records(folder):
        try:
            record = read_json(path)
        except UnreadableRecordError:
            if unreadable is None:
                raise
            unreadable.append(path)
            continue
        record["path"] = str(path)
        record["presets"] = tuple(record.get("presets", ()))
        record["stale"] = record["protocol_version"] != PROTOCOL_VERSION or current.is_outdated(
            record
        )
        yield record


def read_frame(folder: Path | str, unreadable: list[Path] | None = None) -> "pd.DataFrame":
    """Read all records of a results folder, one row per run.

    Parameters
    ----------
    folder
        As given to ``--results``; a folder that does not exist gives an empty frame.
    unreadable
        As for ``read_records``.

    Returns
    -------
    DataFrame
        Columns ``COLUMNS``. A row is stale when a later run in the same folder used another
        version of its method or other data under the same name, or when the protocol changed.
    """
    import pandas as pd

    rows = list(read_records(folder, unreadable))
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    numbers = [*SCORE_COLUMNS, *COST_COLUMNS]
    frame[numbers] = frame[numbers].astype(float)
    for column in ("method_version", "protocol_version", "repeat", "fold", "folds", "seed"):
        frame[column] = frame[column].astype("int64")
    frame["stale"] = frame["stale"].astype(bool)
    for column in LATER_COLUMNS:
        frame[column] = frame[column].astype("str").fillna("")
    return frame


def read_arrays(path: Path | str) -> dict[str, "np.ndarray"]:
    """Read the arrays beside a record.

    Parameters
    ----------
    path
        Of the JSON file (the frame's column ``path``).

    Returns
    -------
    dict
        ``test_index``, ``y_true``, ``y_pred``, ``proba`` and, where the method has them,
        ``importances`` and ``history_*``; empty for a run that failed.
    """
    import numpy as np

    arrays = Path(path).with_suffix(".npz")
    if not arrays.is_file():
        return {}
    with np.load(arrays, allow_pickle=False) as content:
        return dict(content)


def key_of(record: Mapping[str, Any]) -> RunKey:
    """Rebuild the key of a record."""
    from benchmark.plan.hyperparameters import to_text

    return RunKey(
        settings=to_text(record["hyperparameters"]),
        **{column: record[column] for column in _KEY_COLUMNS},
    )


def _key_fields(key: RunKey) -> dict[str, Any]:
    fields = {name: value for name, value in key.to_dict().items() if name != "settings"}
    return {
        **fields,
        "hyperparameters": key.hyperparameters,
        "hyperparameters_hash": key.hyperparameters_hash,
    }


def _pack(arrays: Mapping[str, "np.ndarray"]) -> bytes:
    import numpy as np

    buffer = io.BytesIO()
    np.savez_compressed(buffer, **dict(arrays))  # type: ignore[arg-type]
    return buffer.getvalue()


def _folders(folder: Path | str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(e.path for e in entries if e.is_dir() and not e.name.startswith("."))
    except FileNotFoundError:
        return []


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
