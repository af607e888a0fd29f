"""Average ranks of methods over data sets."""

import math

import pandas as pd

from benchmark.errors import UserError

#: ``--rank-method``: how ties are ranked.
RANK_METHODS = {
    "paper": "competition ranks (ties share the smaller rank), averages truncated",
    "average": "tied methods share the mean of their ranks",
}


def rank_methods(mean: pd.DataFrame, method: str, higher_is_better: bool = True) -> pd.DataFrame:
    """Rank the methods on every data set, 1 the best.

    Parameters
    ----------
    mean
        Data sets x methods, without empty cells.
    method
        ``paper`` (competition ranks) or ``average``.
    higher_is_better
        Which end ranks first.
    """
    if method not in RANK_METHODS:
        raise UserError(f"unknown rank method {method!r}: choose one of {', '.join(RANK_METHODS)}")
    # Means of equal runs may differ in the last bits; such a difference is no rank.
    ties = "min" if method == "paper" else "average"
    return mean.round(12).rank(axis=1, method=ties, ascending=not higher_is_better)


def average_ranks(mean: pd.DataFrame, method: str, higher_is_better: bool = True) -> pd.Series:
    """Average each method's rank over the data sets.

    The paper's Table 2 truncates its averages to two decimals, and so does ``method="paper"``.
    """
    averages = rank_methods(mean, method, higher_is_better).mean(axis=0)
    return averages.map(truncate) if method == "paper" else averages


def truncate(value: float) -> float:
    """Cut a number to two decimals without rounding; NaN stays NaN."""
    if math.isnan(value):
        return value
    # 1e-9 keeps a sum that falls a bit short of, say, 4.44 from losing a hundredth.
    return math.floor(value * 100 + 1e-9) / 100


def format_rank(value: float) -> str:
    """Write a rank as the paper does: two decimals, none for a whole number."""
    return f"{value:.2f}".removesuffix(".00")
