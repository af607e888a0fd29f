"""The key that names one run: path of its record, key to resume by, log prefix."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from benchmark.datasets.splits import FOLDS, PROTOCOL_VERSION
from benchmark.plan.hyperparameters import hash_values, label

#: Training seed of every run unless --seeds says otherwise, as in the paper.
SEED = 42


@dataclass(frozen=True)
class RunKey:
    """Names one run: it is the path of its record, the key to resume by and the log prefix.

    Parameters
    ----------
    dataset, dataset_checksum
        What is learnt from.
    model, method_version
        What learns.
    hyperparameters_text
        Canonical JSON text of the hyper-parameters that differ from the defaults.
    repeat, fold, folds
        Which split.
    seed
        Of initialisation and training.
    protocol_version
        How it is split and scored.
    """

    dataset: str
    dataset_checksum: str
    model: str
    method_version: int
    hyperparameters_text: str
    repeat: int
    fold: int
    folds: int = FOLDS
    seed: int = SEED
    protocol_version: int = PROTOCOL_VERSION

    @cached_property
    def hyperparameters(self) -> Mapping[str, Any]:
        """The hyper-parameters that differ from the defaults."""
        return json.loads(self.hyperparameters_text)

    @cached_property
    def hyperparameters_hash(self) -> str:
        """Eight digits that name the hyper-parameters."""
        return hash_values(self.hyperparameters)

    @cached_property
    def variant(self) -> str:
        """Folder name of the runs that differ only in split and seed.

        The digest covers everything that would make records incomparable, so that records of
        another method version or of other data lie beside these and are never overwritten.
        """
        identity = [
            self.dataset_checksum,
            self.method_version,
            self.protocol_version,
            self.folds,
            self.hyperparameters_text,
        ]
        digest = hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:8]
        return f"{label(self.hyperparameters)}-{digest}"

    @property
    def folder(self) -> str:
        """Path of the variant's records below the results folder."""
        return f"{_safe(self.dataset)}/{_safe(self.model)}/{self.variant}"

    @property
    def path(self) -> str:
        """Path of the record below the results folder, without suffix."""
        return f"{self.folder}/{self.stem}"

    @property
    def stem(self) -> str:
        """Repeat, fold and seed: the name of the record's file, without suffix."""
        return f"r{self.repeat}-f{self.fold}-s{self.seed}"

    def __str__(self) -> str:
        changed = label(self.hyperparameters)
        named = self.model if changed == "default" else f"{self.model}[{changed}]"
        return f"{self.dataset} {named} {self.stem}"


def _safe(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._+-]", "_", name).lstrip(".") or "_"
