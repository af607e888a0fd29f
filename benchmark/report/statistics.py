"""Significance tests for methods over data sets and for two methods on one data set.

Over data sets: Demšar (2006), Statistical comparisons of classifiers over multiple data sets.
On one data set: Nadeau and Bengio (2003), Inference for the generalization error.
Of scipy only the special functions are used: to import ``scipy.stats`` takes longer than to build
a report.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

ALPHA = 0.05

BOOTSTRAP_SAMPLES = 2000

#: Share of the rows in a test set of the protocol's five folds.
TEST_SHARE = 0.2


@dataclass(frozen=True)
class Friedman:
    """Whether any methods differ at all.

    Parameters
    ----------
    chi_square, f
        Friedman's statistic and Iman and Davenport's less conservative one.
    p_value
        Of ``f``, with (k - 1) and (k - 1)(N - 1) degrees of freedom.
    datasets, methods
        N and k.
    """

    chi_square: float
    f: float
    p_value: float
    datasets: int
    methods: int


@dataclass(frozen=True)
class Comparison:
    """One method against another.

    Parameters
    ----------
    method
        The other.
    difference
        Mean of (reference - other).
    statistic
        Of the test.
    p_value
        Two-sided.
    adjusted
        After Holm's correction for the number of comparisons.
    n
        Pairs behind it: data sets or splits.
    """

    method: str
    difference: float
    statistic: float
    p_value: float
    adjusted: float
    n: int


def run_friedman_test(mean: pd.DataFrame) -> Friedman:
    """Test whether the methods' average ranks differ.

    Parameters
    ----------
    mean
        Data sets x methods, higher is better, no empty cells; at least 2 x 2.
    """
    from scipy.special import fdtrc

    n, k = mean.shape
    ranks = mean.round(12).rank(axis=1, ascending=False).mean(axis=0)
    chi_square = 12 * n / (k * (k + 1)) * float((ranks**2).sum() - k * (k + 1) ** 2 / 4)
    rest = n * (k - 1) - chi_square
    f = math.inf if rest <= 1e-12 else (n - 1) * chi_square / rest
    p_value = 0.0 if math.isinf(f) else float(fdtrc(k - 1, (k - 1) * (n - 1), max(f, 0.0)))
    return Friedman(chi_square, f, p_value, n, k)


def find_critical_difference(methods: int, datasets: int, alpha: float = ALPHA) -> float:
    """Return Nemenyi's critical difference of average ranks."""
    # Nemenyi's quantile is the Studentized range's at infinite degrees of freedom over root two.
    quantile = find_range_quantile(1 - alpha, methods) / math.sqrt(2)
    return quantile * math.sqrt(methods * (methods + 1) / (6 * datasets))


def find_range_quantile(probability: float, draws: int) -> float:
    """Return the quantile of the range (largest - smallest) of independent standard normals."""
    from scipy.special import ndtr

    largest = np.linspace(-9, 9, 2001)
    density = draws * np.exp(-(largest**2) / 2) / math.sqrt(2 * math.pi) * (largest[1] - largest[0])
    low, high = 0.0, 100.0
    while high - low > 1e-10:
        middle = (low + high) / 2
        within = (ndtr(largest) - ndtr(largest - middle)) ** (draws - 1)
        low, high = (middle, high) if density @ within < probability else (low, middle)
    return low


def find_cliques(ranks: Sequence[float], critical: float) -> list[tuple[int, int]]:
    """Find the maximal runs of sorted ranks that lie within the critical difference.

    Returns
    -------
    list
        Pairs (first, last) of positions, each with at least two members.
    """
    cliques: list[tuple[int, int]] = []
    for first in range(len(ranks)):
        last = first
        while last + 1 < len(ranks) and ranks[last + 1] - ranks[first] <= critical:
            last += 1
        if last > first and (not cliques or last > cliques[-1][1]):
            cliques.append((first, last))
    return cliques


def compare_over_datasets(mean: pd.DataFrame, reference: str) -> list[Comparison]:
    """Compare a method with every other by Wilcoxon's signed-rank test, Holm-corrected.

    Parameters
    ----------
    mean
        Data sets x methods, higher is better; NaN where a method has no result. Each pair of
        methods is compared on the data sets that both have.
    reference
        The method compared with the others.
    """
    others = mean.columns.drop(reference)
    differences = {other: (mean[reference] - mean[other]).round(12) for other in others}
    return _compare(differences, lambda d: run_wilcoxon_test(d) if d.any() else (0.0, 1.0))


def run_wilcoxon_test(differences: np.ndarray) -> tuple[float, float]:
    """Run Wilcoxon's signed-rank test, exact with ties, too.

    Parameters
    ----------
    differences
        (N,) one per data set. Demšar's treatment of zeros: their ranks are split evenly.

    Returns
    -------
    tuple
        The smaller sum of ranks, and the two-sided p-value.
    """
    ranks = pd.Series(np.abs(differences)).rank().to_numpy()
    zeros = ranks[differences == 0].sum() / 2
    smaller = min(ranks[differences > 0].sum(), ranks[differences < 0].sum())
    # Twice the ranks are whole numbers, so that the sums of all choices of signs can be counted.
    doubled = (2 * ranks[differences != 0]).astype(int)
    shares = np.zeros(doubled.sum() + 1)
    shares[0] = 1
    for rank in doubled:
        shares[rank:] = (shares[rank:] + shares[: len(shares) - rank]) / 2
        shares[:rank] /= 2
    p_value = min(1.0, 2 * float(shares[: round(2 * smaller) + 1].sum()))
    return float(smaller + zeros), p_value


def correct_standard_error(differences: np.ndarray, test_share: float = TEST_SHARE) -> float:
    """Return the standard error of a mean over splits that share training data.

    The runs of repeated cross-validation are not independent, so the plain standard error is
    too small. Nadeau and Bengio's correction adds the ratio of test to training size to
    1 / runs; the validation rows count as training, since they stop it.

    Parameters
    ----------
    differences
        One value per split (n,), n > 1.
    test_share
        Share of the rows in a test set.
    """
    spread = 1 / len(differences) + test_share / (1 - test_share)
    return float(math.sqrt(spread * np.var(differences, ddof=1)))


def compare_on_dataset(
    runs: pd.DataFrame, reference: str, test_share: float = TEST_SHARE
) -> list[Comparison]:
    """Compare a method with every other on the same splits of one data set.

    A t-test with the error of ``correct_standard_error``: the plain one would find differences
    where there are none.

    Parameters
    ----------
    runs
        Splits x methods; NaN where a method has no run. Only splits of both methods count.
    reference
        The method compared with the others.
    test_share
        Share of the rows in a test set.
    """
    differences = {o: runs[reference] - runs[o] for o in runs.columns.drop(reference)}
    return _compare(differences, lambda d: _corrected_t(d, test_share))


def bootstrap_rank_intervals(mean: pd.DataFrame) -> pd.DataFrame:
    """Bootstrap the data sets for 95% intervals of average ranks.

    Parameters
    ----------
    mean
        Data sets x methods, higher is better, no empty cells.

    Returns
    -------
    DataFrame
        Methods x (``rank``, ``low``, ``high``).
    """
    ranks = mean.round(12).rank(axis=1, ascending=False).to_numpy()
    # A fixed seed, so that a report does not change when it is made again.
    draws = np.random.default_rng(0).integers(len(ranks), size=(BOOTSTRAP_SAMPLES, len(ranks)))
    averages = ranks[draws].mean(axis=1)
    low, high = np.quantile(averages, [0.025, 0.975], axis=0)
    return pd.DataFrame(
        {"rank": ranks.mean(axis=0), "low": low, "high": high}, index=list(mean.columns)
    )


def adjust_holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Adjust p-values for multiple comparisons by Holm's step-down method."""
    adjusted: dict[str, float] = {}
    running = 0.0
    ordered = sorted(p_values, key=lambda name: p_values[name])
    for position, name in enumerate(ordered):
        running = max(running, min(1.0, (len(ordered) - position) * p_values[name]))
        adjusted[name] = running
    return {name: adjusted[name] for name in p_values}


def _corrected_t(differences: np.ndarray, test_share: float) -> tuple[float, float]:
    from scipy.special import stdtr

    error = correct_standard_error(differences, test_share)
    if error == 0:
        return (0.0, 1.0) if differences[0] == 0 else (math.copysign(math.inf, differences[0]), 0.0)
    statistic = float(differences.mean() / error)
    return statistic, float(2 * stdtr(len(differences) - 1, -abs(statistic)))


def _compare(
    differences: Mapping[str, pd.Series], test: Callable[[np.ndarray], tuple[float, float]]
) -> list[Comparison]:
    """Test the differences from each method, of those with two or more; NaN are left out."""
    known = {method: found.dropna().to_numpy() for method, found in differences.items()}
    tests = {method: test(found) for method, found in known.items() if len(found) > 1}
    adjusted = adjust_holm({method: p_value for method, (_, p_value) in tests.items()})
    return [
        Comparison(method, float(found.mean()), *tests[method], adjusted[method], len(found))
        for method, found in known.items()
        if method in tests
    ]
