"""Joins results folders, for example of the shards of a job array."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmark.atomic import write_atomically
from benchmark.plans import FOLDER as PLANS
from benchmark.store import SCORE_COLUMNS, list_records, read_json


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
        Pairs of paths (kept, left out) of successful runs whose scores differ.
    """

    copied: int = 0
    same: int = 0
    conflicts: list[tuple[Path, Path]] = field(default_factory=list)


def merge_stores(sources: Sequence[Path], destination: Path) -> MergeReport:
    """Copy the records of several folders into one; what is there stays on a conflict.

    A successful record replaces a failed one of the same run. Records are the same when key,
    status and scores are; times and machines may differ.
    """
    report = MergeReport()
    for source in sources:
        for path in list_records(source):
            target = destination / path.relative_to(source)
            _merge_record(path, target, report)
        for plan in sorted((source / PLANS).glob("*.json")):
            _copy(plan, destination / PLANS / plan.name)
    return report


def _merge_record(path: Path, target: Path, report: MergeReport) -> None:
    ours = read_json(target) if target.is_file() else None
    theirs = read_json(path)
    if ours is None or (ours["status"] != "ok" and theirs["status"] == "ok"):
        arrays = path.with_suffix(".npz")
        if arrays.is_file():
            _copy(arrays, target.with_suffix(".npz"))
        _copy(path, target)
        report.copied += 1
    elif theirs["status"] != "ok" or _scores(ours) == _scores(theirs):
        report.same += 1
    else:
        report.conflicts.append((target, path))


def _scores(record: dict[str, Any]) -> list[Any]:
    return [record.get(column) for column in ("split_checksum", *SCORE_COLUMNS)]


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(target, source.read_bytes())
    shutil.copystat(source, target)
