"""A store: one JSON record per run and one npz of arrays beside it.

A folder of results looks like this::

    results/prostate/random-forest/default-1f0c9a2b/r0-f0-s42.json
                                                    r0-f0-s42.npz
    results/.plans/      what was asked for, so that ``status`` knows what is missing
    results/.names/      names of the features of tables of the user's

The npz of a run is written first: a record that exists always has its arrays.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmark.errors import UserError
from benchmark.files import write_atomically
from benchmark.plan.key import PROTOCOL_VERSION, RunKey
from benchmark.results.expected import Expected, read_expected
from benchmark.results.record import KEY_COLUMNS, SCHEMA, pack_record, unpack_record
from benchmark.text import count_noun, list_some

if TYPE_CHECKING:
    import numpy as np


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
        path = self.folder / f"{key.path}.json"
        try:
            return read_json(path) if path.exists() else None
        except UnreadableRecordError:
            return None

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes that write to the folder waiting, where its file system can."""
        from filelock import FileLock

        lock = FileLock(self.folder / ".lock")
        with suppress(OSError, NotImplementedError):
            lock.acquire()
        try:
            yield
        finally:
            lock.release()

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
        from benchmark.results.arrays import pack_arrays

        path = self.folder / f"{key.path}.json"
        content = pack_record({**_key_fields(key), **record})
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if arrays is not None:
                write_atomically(path.with_suffix(".npz"), pack_arrays(arrays))
            write_atomically(path, content)
            if arrays is None:
                path.with_suffix(".npz").unlink(missing_ok=True)
        except OSError as error:
            raise UserError(
                f"cannot write {path}: {error.strerror or error}; all finished runs are kept: "
                "make room and give the same command again"
            ) from error
        return path

    def write_names(self, checksum: str, names: "np.ndarray") -> None:
        """Keep the names (D,) of the features of a table, unless they are there."""
        from benchmark.results.arrays import locate_names, pack_arrays

        file, content = locate_names(self.folder, checksum), pack_arrays({"names": names})
        try:
            if file.is_file() and file.read_bytes() == content:
                return
            file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(file, content)
        except OSError as error:
            raise UserError(f"cannot write {file}: {error.strerror or error}") from error


def list_records(folder: Path | str) -> Iterator[str]:
    """Find the JSON files of a results folder: data set / model / variant / run.

    Paths are texts here and in ``read_records``: ten thousand ``Path`` take a tenth of a second.
    """
    for dataset in _folders(folder):
        for model in _folders(dataset):
            for variant in _folders(model):
                with os.scandir(variant) as entries:
                    names = sorted(e.name for e in entries)
                for name in names:
                    if name.endswith(".json") and not name.startswith("."):
                        yield f"{variant}{os.sep}{name}"


class UnreadableRecordError(UserError):
    """A file of a store is damaged or of another kind."""


def read_json(path: Path | str) -> dict[str, Any]:
    """Read one record.

    Raises
    ------
    UserError
        If the file is not a record (``UnreadableRecordError``), or is of a newer wpfs-bench.
    """
    try:
        with FileIO(path) as file:
            record = unpack_record(file.readall())
    except (ValueError, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UnreadableRecordError(
            f"{path} is not a result record ({reason}): delete it and run it again"
        ) from error
    if record["schema"] > SCHEMA:
        raise UserError(
            f"{path} has record format {record['schema']}, this wpfs-bench reads up to "
            f"{SCHEMA}: upgrade it"
        )
    return record


def read_records(
    folder: Path | str,
    unreadable: list[Path] | None = None,
    expected: Expected | None = None,
) -> Iterator[dict[str, Any]]:
    """Read all records of a results folder, with ``path`` and ``stale`` added.

    Parameters
    ----------
    folder
        As given to ``--results``.
    unreadable
        Takes the records and plans that are damaged; without it the first of them is an error.
    expected
        What the folder's plans ask for, if they were read already.
    """
    if expected is None:
        expected = read_expected(folder, unreadable)
    for path in list_records(folder):
        try:
            record = read_json(path)
        except UnreadableRecordError:
            if unreadable is None:
                raise
            unreadable.append(Path(path))
            continue
        record["path"] = path
        record["presets"] = tuple(record.get("presets", ()))
        record["stale"] = record["protocol_version"] != PROTOCOL_VERSION or expected.is_outdated(
            record
        )
        yield record


def describe_unreadable(paths: Sequence[Path]) -> str:
    """Return one line that counts and names damaged records and plans."""
    return (
        f"{count_noun(len(paths), 'damaged file')} left out: {list_some(paths, 5)}: delete "
        f"{'it' if len(paths) == 1 else 'them'} and give the same `wpfs-bench run` again"
    )


def key_of(record: Mapping[str, Any]) -> RunKey:
    """Rebuild the key of a record."""
    from benchmark.plan.hyperparameters import to_text

    return RunKey(
        hyperparameters_text=to_text(record["hyperparameters"]),
        **{column: record[column] for column in KEY_COLUMNS},
    )


def _key_fields(key: RunKey) -> dict[str, Any]:
    return {
        **{column: getattr(key, column) for column in KEY_COLUMNS},
        "hyperparameters": key.hyperparameters,
        "hyperparameters_hash": key.hyperparameters_hash,
    }


def _folders(folder: Path | str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(e.path for e in entries if e.is_dir() and not e.name.startswith("."))
    except FileNotFoundError:
        return []
