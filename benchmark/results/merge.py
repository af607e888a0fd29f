"""Joins results: folders of records, for example of the shards of a job array, and archives."""

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from benchmark.files import write_atomically
from benchmark.results.archive import is_archive, unpack_names, unpack_records
from benchmark.results.archived_arrays import RUNS
from benchmark.results.arrays import BEST_IMPORTANCES, NAMES, locate_names, read_arrays
from benchmark.results.expected import FOLDER as PLANS
from benchmark.results.expected import read_expected
from benchmark.results.record import RUN_COLUMNS
from benchmark.results.store import Store, key_of, list_records, read_json
from benchmark.run.metrics import SCORE_COLUMNS


@dataclass
class MergeReport:
    """What a merge did.

    Parameters
    ----------
    copied
        Records that were not there before, or replaced a failure.
    same
        Records that were there already with the same scores.
    conflicts
        Pairs (path of the record kept, name of the one left out) of successful runs whose
        scores differ.
    """

    copied: int = 0
    same: int = 0
    conflicts: list[tuple[Path, str]] = field(default_factory=list)


@dataclass(frozen=True)
class _Run:
    """A run that can be taken over.

    Parameters
    ----------
    name
        Where it comes from, for people.
    place
        Of its record below a results folder.
    record
        Its content.
    list_arrays
        Names its arrays.
    copy
        Writes it and its arrays into the destination.
    """

    name: str
    place: Path
    record: dict[str, Any]
    list_arrays: Callable[[], Iterable[str]]
    copy: Callable[[], object]


def merge_results(sources: Sequence[Path], destination: Path) -> MergeReport:
    """Copy the runs of several folders into one; what is there stays on a conflict.

    A successful record replaces a failed one of the same run, and one that lacks arrays, as
    those from archives do. Records are the same when key, status and scores are; times and
    machines may differ.

    Parameters
    ----------
    sources
        Folders of records, or archives.
    destination
        A folder of records.

    Raises
    ------
    UserError
        At the first damaged record, plan or archive; what was copied is whole.
    """
    report = MergeReport()
    for source in sources:
        read_expected(source)  # refuses damaged plans
        for run in _list_stored(source, destination):
            _merge(run, destination / run.place, report)
        if is_archive(source):
            for run in _list_archived(source, destination):
                _merge(run, destination / run.place, report)
            for checksum, names in unpack_names(source).items():
                if not locate_names(destination, checksum).exists():
                    Store(destination).write_names(checksum, names)
        for file in sorted((source / NAMES).glob("*.npz")):
            if not (destination / NAMES / file.name).exists():
                _copy_file(file, destination / NAMES / file.name)
        for plan in sorted((source / PLANS).glob("*.json")):
            _copy_file(plan, destination / PLANS / plan.name)
    return report


def _list_stored(source: Path, destination: Path) -> Iterator[_Run]:
    for path in map(Path, list_records(source)):
        place = path.relative_to(source)
        yield _Run(
            str(path),
            place,
            read_json(path),
            partial(read_arrays, path),
            partial(_copy, path, destination / place),
        )


def _list_archived(source: Path, destination: Path) -> Iterator[_Run]:
    store = Store(destination)
    for record, arrays in unpack_records(source):
        key = key_of(record)
        yield _Run(
            f"{key} of {source / RUNS}",
            Path(f"{key.path}.json"),
            record,
            arrays.keys,
            partial(store.write, key, record, arrays or None),  # none if the run failed
        )


def _merge(run: _Run, target: Path, report: MergeReport) -> None:
    ours = read_json(target) if target.exists() else None
    theirs = run.record
    if ours is None or (ours["status"] != "ok" and theirs["status"] == "ok"):
        run.copy()
        report.copied += 1
    elif theirs["status"] != "ok":
        report.same += 1
    elif _name_and_scores(ours) != _name_and_scores(theirs):
        report.conflicts.append((target, run.name))
    elif _is_fuller(set(run.list_arrays()), set(read_arrays(target))):
        run.copy()
        report.copied += 1
    else:
        report.same += 1


def _is_fuller(theirs: set[str], ours: set[str]) -> bool:
    """Return whether arrays are all that we have and more; all importances are more than some."""
    if BEST_IMPORTANCES in ours - theirs:
        ours = ours - {BEST_IMPORTANCES, "selected"}
    return theirs > ours


def _name_and_scores(record: dict[str, Any]) -> list[Any]:
    return [record.get(column) for column in (*RUN_COLUMNS, "split_checksum", *SCORE_COLUMNS)]


def _copy(record: Path, target: Path) -> None:
    arrays = record.with_suffix(".npz")
    if arrays.is_file():
        _copy_file(arrays, target.with_suffix(".npz"))
    _copy_file(record, target)


def _copy_file(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(target, source.read_bytes())
    shutil.copystat(source, target)
