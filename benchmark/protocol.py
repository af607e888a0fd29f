"""How data are split, and the key that names one run.

Repeat r is ``StratifiedKFold(shuffle=True, random_state=r)``; the validation rows of fold f are
a stratified tenth of its training part, drawn with ``random_state=f``. This is what produced
the paper's numbers. Membership depends on the order of the rows: never reorder a published
file.
"""

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from benchmark.errors import UserError
from benchmark.hyperparameters import hash_values, label

if TYPE_CHECKING:
    import numpy as np

#: Raised when the splits or the scoring of every method change; older records become stale.
PROTOCOL_VERSION = 1

FOLDS = 5
REPEATS = 5
SEED = 42
VALIDATION_SHARE = 0.1


@dataclass(frozen=True)
class RunKey:
    """Names one run: it is the path of its record, the key to resume by and the log prefix.

    Parameters
    ----------
    dataset, dataset_checksum
        What is learnt from.
    model, method_version
        What learns.
    settings
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
    settings: str
    repeat: int
    fold: int
    folds: int = FOLDS
    seed: int = SEED
    protocol_version: int = PROTOCOL_VERSION

    @property
    def hyperparameters(self) -> dict[str, Any]:
        """The hyper-parameters that differ from the defaults."""
        return json.loads(self.settings)

    @property
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
            self.settings,
        ]
        digest = hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:8]
        return f"{label(self.hyperparameters)}-{digest}"

    @property
    def path(self) -> str:
        """Path of the record below the results folder, without suffix."""
        return f"{_safe(self.dataset)}/{_safe(self.model)}/{self.variant}/{self.split_name}"

    @property
    def split_name(self) -> str:
        """Repeat, fold and seed, as in file names."""
        return f"r{self.repeat}-f{self.fold}-s{self.seed}"

    def __str__(self) -> str:
        settings = label(self.hyperparameters)
        named = self.model if settings == "default" else f"{self.model}[{settings}]"
        return f"{self.dataset} {named} {self.split_name}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Split:
    """Row numbers of one split; together they are all rows.

    Parameters
    ----------
    train, valid, test
        int64 row numbers, in the order in which they were drawn: it is the order of training.
    """

    train: "np.ndarray"
    valid: "np.ndarray"
    test: "np.ndarray"

    @cached_property
    def checksum(self) -> str:
        """Sixteen hexadecimal digits that name the split."""
        digest = hashlib.sha256()
        for rows in (self.train, self.valid, self.test):
            digest.update(len(rows).to_bytes(8, "little"))
            digest.update(rows.astype("<i8").tobytes())
        return digest.hexdigest()[:16]


def make_split(
    y: "np.ndarray",
    repeat: int,
    fold: int,
    folds: int = FOLDS,
    groups: "np.ndarray | None" = None,
) -> Split:
    """Split the rows into training, validation and test.

    Parameters
    ----------
    y
        (n,) class codes.
    repeat
        Shuffles the folds.
    fold
        0 .. folds-1: which fold is the test set.
    folds
        Number of folds.
    groups
        (n,) group of each row, or None. Rows of a group stay together.

    Raises
    ------
    UserError
        If a class is too small to be split so.
    """
    import numpy as np
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, train_test_split

    check_class_sizes(y, folds)
    rows = np.arange(len(y))
    if groups is not None:
        check_group_count(groups, folds)
        outer = StratifiedGroupKFold(folds, shuffle=True, random_state=repeat)
        rest, test = list(outer.split(rows, y, groups))[fold]
        kept, drawn = _hold_out_groups(y[rest], groups[rest], fold)
        train, valid = rest[kept], rest[drawn]
    else:
        outer = StratifiedKFold(folds, shuffle=True, random_state=repeat)
        rest, test = list(outer.split(rows, y))[fold]
        # Tables too small for one validation row per class get that many instead of a tenth.
        n_valid = max(int(np.ceil(VALIDATION_SHARE * len(rest))), len(np.unique(y[rest])))
        train, valid = train_test_split(
            rest, test_size=n_valid, random_state=fold, stratify=y[rest]
        )
    return Split(*(part.astype(np.int64) for part in (train, valid, test)))


def _hold_out_groups(
    y: "np.ndarray", groups: "np.ndarray", seed: int
) -> tuple["np.ndarray", "np.ndarray"]:
    """Draw groups for validation: a tenth of the rows, or more until both parts hold all classes.

    Returns
    -------
    tuple
        Row numbers of the training and of the validation part.
    """
    import numpy as np
    from sklearn.model_selection import StratifiedGroupKFold

    classes = len(np.unique(y))
    counts = np.bincount(y)
    most = min(round(1 / VALIDATION_SHARE), len(np.unique(groups)), counts[counts > 0].min())
    for parts in range(most, 1, -1):
        inner = StratifiedGroupKFold(parts, shuffle=True, random_state=seed)
        for kept, drawn in inner.split(y, y, groups):
            if len(np.unique(y[kept])) == len(np.unique(y[drawn])) == classes:
                return kept, drawn
    raise UserError(
        "groups cannot be split so that training and validation rows both hold every class: "
        "merge or drop the class with the fewest groups, or use a finer --groups column"
    )


def check_class_sizes(y: "np.ndarray", folds: int = FOLDS) -> None:
    """Raise ``UserError`` unless every class can be in every training and validation part."""
    import numpy as np

    counts = np.bincount(y)
    smallest = int(counts.argmin())
    n = int(counts[smallest])
    if n < folds or n - -(-n // folds) < 2:
        raise UserError(
            f"class {smallest} has {n} samples, too few for {folds} folds: "
            "drop it, merge it with another, or use fewer --folds"
        )


def check_group_count(groups: "np.ndarray", folds: int = FOLDS) -> None:
    """Raise ``UserError`` unless every fold gets a group and two are left to train and validate."""
    import numpy as np

    n_groups = len(np.unique(groups))
    if n_groups < max(folds, 3):
        raise UserError(
            f"there are {n_groups} groups, too few for {folds} folds: use fewer --folds or "
            "a finer --groups column"
        )


def _safe(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._+-]", "_", name).lstrip(".") or "_"
