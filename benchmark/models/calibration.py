"""How often what was called 70% likely came true."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: Bins of about equally many patients, at most.
_BINS = 10

#: Patients in a bin, at least.
_LEAST = 10

_Z = 1.959963984540054  # of a 95% interval


@dataclass(frozen=True)
class Bin:
    """Patients with similar probabilities.

    Parameters
    ----------
    said
        Their mean probability.
    happened
        The share it came true for.
    low, high
        Wilson's 95% interval of that share.
    n
        Patients.
    """

    said: float
    happened: float
    low: float
    high: float
    n: int


def bin_probabilities(proba: NDArray[np.float64], y: NDArray[np.int64]) -> list[Bin]:
    """Compare probabilities with outcomes in bins of about equally many patients.

    Patients with the same probability are never parted.

    Parameters
    ----------
    proba
        (n, C). Of two classes the second's probability is looked at, of more each patient's
        highest.
    y
        (n,) class codes.
    """
    if proba.shape[1] == 2:
        said, true = proba[:, 1], y == 1
    else:
        said, true = proba.max(axis=1), proba.argmax(axis=1) == y
    return list(_fill_bins(said, true))


def _fill_bins(said: NDArray[np.float64], true: NDArray[np.bool_]) -> Iterator[Bin]:
    order = np.argsort(said, kind="stable")
    n_bins = max(1, min(_BINS, len(said) // _LEAST))
    wanted = said[order][np.arange(1, n_bins) * len(said) // n_bins]
    cuts = np.unique(np.searchsorted(said[order], wanted))
    for part in np.split(order, cuts[cuts > 0]):
        n, share = len(part), float(true[part].mean())
        centre = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
        reach = _Z / (1 + _Z**2 / n) * math.sqrt(share * (1 - share) / n + (_Z / (2 * n)) ** 2)
        yield Bin(
            float(said[part].mean()), share, max(centre - reach, 0), min(centre + reach, 1), n
        )
