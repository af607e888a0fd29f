"""How the rows of a data set are split into training, validation and test.

Repeat r is ``StratifiedKFold(shuffle=True, random_state=r)``; the validation rows of fold f are
a stratified tenth of its training part, drawn with ``random_state=f``. This is what produced
the paper's numbers. Membership depends on the order of the rows: never reorder a published
file.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from benchmark.errors import UserError
from benchmark.text import count_noun

if TYPE_CHECKING:
    import numpy as np

#: Raised when the splits or the scoring of every method change; older records become stale.
PROTOCOL_VERSION = 1

FOLDS = 5
REPEATS = 5
VALIDATION_SHARE = 0.1

#: Samples, or groups, of a class that any number of folds needs: to train, validate and test.
FEWEST = 3


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
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    check_folds(y, folds, groups)
    rows = np.arange(len(y))
    if groups is None:
        parts = StratifiedKFold(folds, shuffle=True, random_state=repeat).split(rows, y)
    else:
        parts = StratifiedGroupKFold(folds).split(rows, y, _shuffle_groups(groups, repeat))
    rest, test = list(parts)[fold]
    kept, drawn = hold_out(y[rest], fold, None if groups is None else groups[rest])
    train, valid = rest[kept], rest[drawn]
    return Split(*(part.astype(np.int64) for part in (train, valid, test)))


def hold_out(
    y: "np.ndarray", seed: int, groups: "np.ndarray | None" = None
) -> tuple["np.ndarray", "np.ndarray"]:
    """Draw validation rows: a stratified tenth of the rows, or of the groups where there are any.

    Returns
    -------
    tuple
        Row numbers of the training and of the validation part.
    """
    import numpy as np
    from sklearn.model_selection import train_test_split

    if groups is not None:
        return _hold_out_groups(y, groups, seed)
    # Tables too small for one validation row per class get that many instead of a tenth.
    n_valid = max(int(np.ceil(VALIDATION_SHARE * len(y))), len(np.unique(y)))
    kept, drawn = train_test_split(
        np.arange(len(y)), test_size=n_valid, random_state=seed, stratify=y
    )
    return kept, drawn


def _shuffle_groups(groups: "np.ndarray", seed: int) -> "np.ndarray":
    """Return a number for each row's group (n,), drawn without repetition.

    ``StratifiedGroupKFold`` can shuffle, too, but before scikit-learn 1.8 it forgot which group was
    which. These numbers give the splits of 1.8 under any version.
    """
    import numpy as np

    names, codes = np.unique(groups, return_inverse=True)
    order = np.arange(len(names))
    np.random.RandomState(seed).shuffle(order)
    return np.argsort(order)[codes]


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
    shuffled = _shuffle_groups(groups, seed)
    for parts in range(most, 1, -1):
        for kept, drawn in StratifiedGroupKFold(parts).split(y, y, shuffled):
            if len(np.unique(y[kept])) == len(np.unique(y[drawn])) == classes:
                return kept, drawn
    raise UserError(
        "groups cannot be split so that training and validation rows both hold every class: "
        "merge or drop the class with the fewest groups, or use a finer --groups column"
    )


def check_folds(
    y: "np.ndarray",
    folds: int = FOLDS,
    groups: "np.ndarray | None" = None,
    class_names: "Sequence[str] | np.ndarray | None" = None,
) -> None:
    """Raise a ``UserError`` that names a class which cannot be in every part of every split.

    A class needs as many samples as there are folds, or as many groups where samples are kept
    together in groups; outside the test fold two have to be left, to train and to validate.

    Parameters
    ----------
    y
        (n,) class codes.
    folds
        Number of folds.
    groups
        (n,) group of each row, or None.
    class_names
        (C,) for the message; codes are named without it.
    """
    import numpy as np

    needed = max(folds, 4 if folds == 2 else FEWEST)
    for code in range(int(y.max()) + 1):
        members = y == code
        if groups is None:
            found, noun = int(members.sum()), "sample"
        else:
            found, noun = len(np.unique(groups[members])), "group"
        if found < needed:
            name = code if class_names is None else repr(str(class_names[code]))
            raise UserError(
                f"class {name} has {count_noun(found, noun)}, {folds} folds need at least "
                f"{needed}: merge or drop it, or use fewer --folds"
            )
