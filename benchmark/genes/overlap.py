"""How alike ranked lists of features are."""

from collections.abc import Sequence

import numpy as np

#: Persistence at which the first 50 ranks have 85% of the weight (Webber et al., 2010).
PERSISTENCE = 0.98


def measure_jaccard(first: Sequence[int], second: Sequence[int]) -> float:
    """Return the share of common features among those of either list; NaN if both are empty."""
    union = set(first) | set(second)
    return len(set(first) & set(second)) / len(union) if union else np.nan


def measure_rank_overlap(
    first: Sequence[int], second: Sequence[int], persistence: float = PERSISTENCE
) -> float:
    """Return the extrapolated rank-biased overlap of two lists without ties.

    Webber, Moffat and Zobel (2010), A similarity measure for indefinite rankings, equation 32.

    Parameters
    ----------
    first, second
        Features, the best first; of any length.
    persistence
        Chance that a reader who saw a rank reads on, below 1.
    """
    short, long = sorted((list(first), list(second)), key=len)
    if not short:
        return np.nan
    n_short, n_long = len(short), len(long)
    seen: set[int] = set()
    common = np.empty(n_long)
    count = 0
    for depth, feature in enumerate(long):
        for item in (feature, short[depth]) if depth < n_short else (feature,):
            count += item in seen
            seen.add(item)
        common[depth] = count
    depths = np.arange(1, n_long + 1)
    weights = persistence**depths
    at_short, at_long = common[n_short - 1], common[-1]
    total = (common / depths * weights).sum()
    beyond = depths[n_short:]
    total += (at_short * (beyond - n_short) / (n_short * beyond) * weights[n_short:]).sum()
    rest = (at_long - at_short) / n_long + at_short / n_short
    return float((1 - persistence) / persistence * total + rest * weights[-1])
