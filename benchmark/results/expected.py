"""What was asked of a results folder: which runs are expected there, of which versions.

Every ``wpfs-bench run`` leaves one small file in ``.plans``, named by its content, so that
several machines may share a folder. From them ``status`` knows what is missing, and readers
know which records are outdated without loading methods or data.
"""

import hashlib
import json
import math
import re
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

    def list_runs(self) -> dict[str, tuple[str, str, int]]:
        """Return every run that was asked for and is not outdated.

        Returns
        -------
        dict
            Path of the record below the folder, without suffix -> data set, model and number of
            folds.
        """
        return {
            f"{cell['folder']}/{run}": (cell["dataset"], cell["model"], cell["folds"])
            for cell in self.cells
            if not self.is_outdated(cell)
            for run in cell["runs"]
        }


class UnreadablePlanError(UserError):
    """A plan is damaged."""


def read_expected(folder: Path | str, unreadable: list[Path] | None = None) -> Expected:
    """Read the plans of a folder.

    Parameters
    ----------
    folder
        A folder of results.
    unreadable
        Takes the plans that are damaged; without it the first of them is an error.
    """
    plans = []
    for path in sorted(Path(folder, FOLDER).glob("*.json")):
        try:
            plans.append(_read_plan(path))
        except UnreadablePlanError:
            if unreadable is None:
                raise
            unreadable.append(path)
    plans.sort(key=lambda plan: plan["written"])
    return Expected([cell for plan in plans for cell in plan["cells"]])


def _read_plan(path: Path) -> dict[str, Any]:
    try:
        plan = json.loads(path.read_bytes())
        if not 0 <= plan["written"] < math.inf or _name_plan(plan["cells"]) != path.stem:
            raise ValueError("its content is not that of its name")
        for cell in plan["cells"]:
            # Early plans do not say it: they have runs of every fold, unless they are of a shard.
            cell.setdefault("folds", 1 + max(int(_FOLD.findall(run)[0]) for run in cell["runs"]))
            for name, kind in _KINDS.items():
                if type(cell[name]) is not kind:
                    raise ValueError(f"{name} is of another type")
    except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
        raise UnreadablePlanError(
            f"{path} is not a plan of runs: delete it and give the `wpfs-bench run` of it again"
        ) from error
    return plan


#: Field of a cell -> its JSON type.
_KINDS: Mapping[str, type] = {
    "dataset": str,
    "dataset_checksum": str,
    "model": str,
    "method_version": int,
    "folds": int,
    "folder": str,
    "runs": list,
}

_FOLD = re.compile(r"-f(\d+)-")


def _name_plan(cells: Sequence[Mapping[str, Any]]) -> str:
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()[:16]


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
                "folds": key.folds,
                "folder": key.folder,
                "runs": [],
            },
        )
        cell["runs"].append(key.stem)
    listed = [cell for _, cell in sorted(cells.items())]
    plan = {"schema": 1, "written": time.time(), "cells": listed}
    try:
        (folder / FOLDER).mkdir(exist_ok=True)
        write_atomically(folder / FOLDER / f"{_name_plan(listed)}.json", json.dumps(plan).encode())
    except OSError as error:
        raise UserError(f"cannot write to {folder / FOLDER}: {error.strerror or error}") from error
