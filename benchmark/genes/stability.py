"""How alike the selections of runs are, beyond chance.

Nogueira, Sechidis and Brown (2018), On the Stability of Feature Selection Algorithms, JMLR 18(174).
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np


@dataclass(frozen=True)
class Stability:
    """Nogueira's measure: 0 is what random sets of these sizes give, 1 identical sets.

    Parameters
    ----------
    value
        NaN where it is not defined: a single run, nothing selected, or everything.
    variance
        Of the value, asymptotically in the number of runs.
    """

    value: float
    variance: float

    def find_interval(self) -> tuple[float, float]:
        """Return the asymptotic 95% interval; too narrow for runs that share training rows."""
        reach = NormalDist().inv_cdf(0.975) * math.sqrt(self.variance)
        return self.value - reach, self.value + reach


def measure_stability(selected: np.ndarray) -> Stability:
    """Measure how alike selections are.

    Parameters
    ----------
    selected
        (M, D) whether a run selected a feature.
    """
    n_runs, n_features = selected.shape
    shares = selected.mean(axis=0)
    mean_share = float(shares.mean())
    chance = mean_share * (1 - mean_share)
    if n_runs < 2 or chance <= 0:
        return Stability(math.nan, math.nan)
    spread = float((shares * (1 - shares)).mean()) * n_runs / (n_runs - 1)
    value = 1 - spread / chance
    own_share = selected.mean(axis=1)
    agreement = selected @ shares / n_features
    influence = (
        agreement
        - own_share * mean_share
        + value / 2 * (2 * own_share * mean_share - own_share - mean_share + 1)
    ) / chance
    variance = 4 / n_runs**2 * float(((influence - influence.mean()) ** 2).sum())
    return Stability(value, variance)
