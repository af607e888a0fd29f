"""What was asked of a results folder: which runs are expected there, of which versions.

Every ``wpfs-bench run`` leaves one small file in ``.plans``, named by its content, so that
several machines may share a folder. From them ``status`` knows what is missing, and readers
know which records are outdated without loading methods or data.
"""

import hashlib
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmark.errors import UserError
from benchmark.files import write_atomically
from benchmark.plan.key import RunKey

FOLDER = ".plans"


@dataclass(frozen=True)
class Expected:
    """What the plans of a folder ask for.

    Parameters
    ----------
    cells
        Of all plans, the earliest first: the runs of a method with certain hyper-parameters on a
        data set.
    """

    cells: Sequence[Mapping[str, Any]] = ()

    @cached_property
    def _checksums(self) -> Mapping[str, str]:
        return {cell["dataset"]: cell["dataset_checksum"] for cell in self.cells}

    @cached_property
    def _versions(self) -> Mapping[str, int]:
        return {cell["model"]: cell["method_version"] for cell in self.cells}

    def is_outdated(self, record: Mapping[str, Any]) -> bool:
        """Return whether a later plan used another method version or other data than a record."""
        checksum, version = record["dataset_checksum"], record["method_version"]
        return (
            self._checksums.get(record["dataset"], checksum) != checksum
            or self._versions.get(record["model"], version) != version
        )

    def list_runs(self) -> dict[str, tuple[str, str]]:
        """Return every run that was asked for and is not outdated.

        Returns
        -------
        dict
            Path of the record below the folder, without suffix -> data set and model.
        """
        return {
            f"{cell['folder']}/{run}": (cell["dataset"], cell["model"])
            for cell in self.cells
            if not self.is_outdated(cell)
            for run in cell["runs"]
        }


def read_expected(folder: Path | str) -> Expected:
    """Read the plans of a folder."""
    plans = [json.loads(path.read_bytes()) for path in Path(folder, FOLDER).glob("*.json")]
    plans.sort(key=lambda plan: plan["written"])
    return Expected([cell for plan in plans for cell in plan["cells"]])


def write_plan(folder: Path, keys: Iterable[RunKey]) -> None:
    """Add a plan of these runs; asking for the same again changes only the date."""
    cells: dict[tuple[str, ...], dict[str, Any]] = {}
    for key in keys:
        cell = cells.setdefault(
            (key.dataset, key.model, key.variant),
            {
                "dataset": key.dataset,
                "dataset_checksum": key.dataset_checksum,
                "model": key.model,
                "method_version": key.method_version,
                "folder": key.folder,
                "runs": [],
            },
        )
        cell["runs"].append(key.stem)
    listed = [cell for _, cell in sorted(cells.items())]
    name = hashlib.sha256(json.dumps(listed).encode()).hexdigest()[:16]
    plan = {"schema": 1, "written": time.time(), "cells": listed}
    try:
        (folder / FOLDER).mkdir(exist_ok=True)
        write_atomically(folder / FOLDER / f"{name}.json", json.dumps(plan).encode())
    except OSError as error:
        raise UserError(f"cannot write to {folder / FOLDER}: {error.strerror or error}") from error
