"""How far the classes lie apart in each feature alone: the filter of the methods that need one."""

import numpy as np
from numpy.typing import NDArray


def measure_separation(X: NDArray[np.float64], codes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return each feature's share of variance between the classes, (D,); 0 where it is constant.

    It orders features as the F statistic of a one-way analysis of variance does.
    """
    centred = X - X.mean(axis=0)
    total = (centred**2).sum(axis=0)
    members = np.eye(codes.max() + 1)[codes]
    between = ((members.T @ centred) ** 2 / members.sum(axis=0)[:, None]).sum(axis=0)
    return np.divide(between, total, out=np.zeros_like(total), where=total > 0)


def select_best(separation: NDArray[np.float64], n_selected: int) -> NDArray[np.int64]:
    """Return the indices of the largest values in rising order, at most all."""
    return np.sort(np.argsort(-separation, kind="stable")[:n_selected])
