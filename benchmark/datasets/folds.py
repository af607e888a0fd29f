"""Whether a table can be cut into the number of folds that is asked for."""

import numpy as np

from benchmark.datasets.record import Dataset
from benchmark.datasets.wording import count_noun
from benchmark.errors import UserError

#: Samples, or groups, of a class that any number of folds needs: to train, validate and test.
FEWEST = 3


def check_folds(dataset: Dataset, folds: int) -> None:
    """Raise ``UserError`` that names the class which cannot be in every fold.

    A class needs as many samples as there are folds, or as many groups where samples are kept
    together in groups; outside the test fold two have to be left, to train and to validate.
    """
    needed = max(folds, 4 if folds == 2 else FEWEST)
    for code, name in enumerate(dataset.class_names):
        members = dataset.y == code
        if dataset.groups is None:
            found, noun = int(members.sum()), "sample"
        else:
            found, noun = len(np.unique(dataset.groups[members])), "group"
        if found < needed:
            raise UserError(
                f"data set {dataset.name}: class {str(name)!r} has {count_noun(found, noun)}, "
                f"{folds} folds need at least {needed}: merge or drop it, or use fewer --folds"
            )
