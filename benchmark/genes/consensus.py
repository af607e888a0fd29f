"""From the runs of methods to one list of features per method, and one over methods."""

from collections.abc import Callable, Mapping

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
        of the runs that selected it, mean and standard deviation of rank and score (NaN where an
        archive does not keep every run's score), ``used``: whether any run selected it or gave
        it a score.
    """
    ranks, scores = selections.ranks, selections.scores
    several = len(ranks) > 1
    nothing = np.full(selections.n_features, np.nan)
    frame = pd.DataFrame(
        {
            "share": selections.mark_selected(top).mean(axis=0),
            "rank": ranks.mean(axis=0, dtype=np.float64),
            "rank_sd": ranks.std(axis=0, ddof=1, dtype=np.float64) if several else nothing,
            "score": scores.mean(axis=0, dtype=np.float64),
            "score_sd": scores.std(axis=0, ddof=1, dtype=np.float64) if several else nothing,
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
    # By mean rank and not by place: features that a method never used are equals.
    ranks = _join(
        lists, lambda found: pd.Series(rank_scores(-found["rank"].to_numpy()), found.index)
    )
    named = _join(lists, lambda found: (found["place"] <= top) & found["used"])
    models, counts = np.array(list(lists)), named.sum(axis=1)
    frame = pd.DataFrame(
        {
            "rank": ranks.median(axis=1),
            "mean_rank": ranks.mean(axis=1),
            "share": _join(lists, lambda found: found["share"]).mean(axis=1),
            "methods": [
                tuple(models[row]) if count else ()
                for row, count in zip(named.to_numpy(), counts, strict=True)
            ],
            "used": _join(lists, lambda found: found["used"]).any(axis=1),
        }
    )
    frame = frame.sort_values(["rank", "mean_rank"], kind="stable").drop(columns="mean_rank")
    frame.insert(0, "place", np.arange(1, len(frame) + 1))
    return frame


def _join(
    lists: Mapping[str, pd.DataFrame], read: Callable[[pd.DataFrame], pd.Series]
) -> pd.DataFrame:
    """Return (D, methods): what each list says of each feature, in the order of the table."""
    return pd.DataFrame({model: read(found).sort_index() for model, found in lists.items()})


def take_best(features: pd.DataFrame, top: int) -> pd.DataFrame:
    """Return the first rows of a list, without features that no run used."""
    best = features.head(top)
    return best[best["used"]]
