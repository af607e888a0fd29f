"""From the runs of methods to one list of features per method, and one over methods."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from benchmark.genes.selections import DEFAULT_TOP, Selections, rank_scores


def list_consensus(selections: Selections, top: int = DEFAULT_TOP) -> pd.DataFrame:
    """Put the features of a method in the order of their mean rank over the runs.

    Parameters
    ----------
    selections
        Of the method.
    top
        Of a method that does not select, so many best features of a run count as selected.

    Returns
    -------
    pandas.DataFrame
        A row per feature, its number as index, the best first: ``place`` (1 ... D), ``share``
        of the runs that selected it, mean rank and score (NaN where an archive does not keep
        every run's score), ``used``: whether any run selected it or gave it a score.
    """
    ranks, scores = selections.ranks, selections.scores
    frame = pd.DataFrame(
        {
            "share": selections.mark_selected(top).mean(axis=0),
            "rank": ranks.mean(axis=0, dtype=np.float64),
            "score": scores.mean(axis=0, dtype=np.float64),
        }
    )
    frame["used"] = (frame["share"] > 0) | (scores > 0).any(axis=0)
    frame = frame.sort_values(["rank", "share"], ascending=[True, False], kind="stable")
    frame.insert(0, "place", np.arange(1, len(frame) + 1))
    return frame


def pool_methods(lists: Mapping[str, pd.DataFrame], top: int = DEFAULT_TOP) -> pd.DataFrame:
    """Put the features in the order of their median rank over methods.

    A mean would be decided by the one method that has no use for a feature.

    Parameters
    ----------
    lists
        Method -> its list, as ``list_consensus`` gives it.
    top
        A method names a feature that is so near to the top of its list.

    Returns
    -------
    pandas.DataFrame
        A row per feature, its number as index, the best first: ``place`` (1 ... D), ``methods``
        that name it, median ``rank`` over methods, mean ``share`` of the runs that selected it,
        ``used``: whether any method used it.
    """
    in_order = [found.sort_index() for found in lists.values()]

    def gather(column: str) -> np.ndarray:
        return np.column_stack([found[column] for found in in_order])

    # By mean rank and not by place: features that a method never used are equals.
    ranks = np.column_stack([rank_scores(-found["rank"].to_numpy()) for found in in_order])
    named = (gather("place") <= top) & gather("used")
    models: np.ndarray = np.array(list(lists))
    methods: list[tuple[str, ...]] = [()] * len(named)
    for feature in np.flatnonzero(named.any(axis=1)):
        methods[feature] = tuple(models[named[feature]])
    frame = pd.DataFrame(
        {
            "rank": np.median(ranks, axis=1),
            "mean_rank": ranks.mean(axis=1, dtype=np.float64),
            "share": gather("share").mean(axis=1),
            "methods": methods,
            "used": gather("used").any(axis=1),
        }
    )
    frame = frame.sort_values(["rank", "mean_rank"], kind="stable").drop(columns="mean_rank")
    frame.insert(0, "place", np.arange(1, len(frame) + 1))
    return frame


def add_deviations(best: pd.DataFrame, selections: Selections) -> pd.DataFrame:
    """Add the standard deviations of rank and score over the runs; NaN of a single run."""
    features = best.index.to_numpy()
    for name, values in (("rank", selections.ranks), ("score", selections.scores)):
        chosen = values[:, features]
        spread = np.std(chosen, axis=0, ddof=1, dtype=np.float64) if len(chosen) > 1 else np.nan
        best = best.assign(**{f"{name}_sd": spread})
    return best


def take_best(features: pd.DataFrame, top: int) -> pd.DataFrame:
    """Return the first rows of a list, without features that no run used."""
    best = features.head(top)
    return best[best["used"]]
