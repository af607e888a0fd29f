"""What was asked of a results folder: which runs are expected there, of which versions.

Every ``wpfs-bench run`` leaves one small file in ``.plans``, named by its content, so that
several machines may share a folder. From them ``status`` knows what is missing, and readers
know which records are outdated without loading methods or data.
"""

import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from benchmark.errors import UserError
from benchmark.files import write_atomically
from benchmark.plan.key import RunKey

FOLDER = ".plans"


@dataclass(frozen=True)
class Current:
    """The versions the latest plan of a folder used.

    Parameters
    ----------
    checksums
        Data set -> checksum.
    versions
        Model -> method version.
    """

    checksums: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, int] = field(default_factory=dict)

    def is_outdated(self, record: Mapping[str, Any]) -> bool:
        """Tell whether a record is of another method version or of other data."""
        checksum, version = record["dataset_checksum"], record["method_version"]
        return (
            self.checksums.get(record["dataset"], checksum) != checksum
            or self.versions.get(record["model"], version) != version
        )


def write_plan(folder: Path, keys: Iterable[RunKey]) -> None:
    """Note down the runs that are wanted; asking for the same again changes only the date."""
    cells: dict[tuple[str, ...], dict[str, Any]] = {}
    for key in keys:
        cell = cells.setdefault(
            (key.dataset, key.model, key.variant),
            {
                "dataset": key.dataset,
                "dataset_checksum": key.dataset_checksum,
                "model": key.model,
                "method_version": key.method_version,
                "folder": str(PurePosixPath(key.path).parent),
                "runs": [],
            },
        )
        cell["runs"].append(key.split_name)
    listed = [cell for _, cell in sorted(cells.items())]
    name = hashlib.sha256(json.dumps(listed).encode()).hexdigest()[:16]
    plan = {"schema": 1, "written": time.time(), "cells": listed}
    try:
        (folder / FOLDER).mkdir(exist_ok=True)
        write_atomically(folder / FOLDER / f"{name}.json", json.dumps(plan).encode())
    except OSError as error:
        raise UserError(f"cannot write to {folder / FOLDER}: {error.strerror or error}") from error


def read_current(folder: Path | str) -> Current:
    """Return the versions the latest plans used."""
    checksums: dict[str, str] = {}
    versions: dict[str, int] = {}
    for plan in _read_plans(folder):
        for cell in plan["cells"]:
            checksums[cell["dataset"]] = cell["dataset_checksum"]
            versions[cell["model"]] = cell["method_version"]
    return Current(checksums, versions)


def read_expected(folder: Path | str) -> dict[str, tuple[str, str]]:
    """Return every run that was asked for and is not outdated.

    Returns
    -------
    dict
        Path of the record below the folder, without suffix -> data set and model.
    """
    current = read_current(folder)
    return {
        f"{cell['folder']}/{run}": (cell["dataset"], cell["model"])
        for plan in _read_plans(folder)
        for cell in plan["cells"]
        if not current.is_outdated(cell)
        for run in cell["runs"]
    }


def _read_plans(folder: Path | str) -> Iterator[dict[str, Any]]:
    """Read the plans of a folder, the earliest first."""
    plans = [json.loads(path.read_bytes()) for path in Path(folder, FOLDER).glob("*.json")]
    yield from sorted(plans, key=lambda plan: plan["written"])
