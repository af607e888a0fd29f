"""What the runs of a method say of each feature of a data set."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from benchmark.errors import UserError
from benchmark.results.arrays import FeatureScores, RunArrays, rank_first

#: Of a method that does not select, so many best features count as selected.
DEFAULT_TOP = 50


@dataclass(frozen=True, eq=False)
class Selections:
    """Scores and selected features of a method's runs on one data set.

    Parameters
    ----------
    model
        The method.
    runs
        A row per run (M), as ``read_results`` gives them.
    scores
        (M, D) importance, float32; NaN where an archive does not keep it.
    own
        (M, D) what the method selected by itself; None if it does not select.
    """

    model: str
    runs: pd.DataFrame
    scores: np.ndarray
    own: np.ndarray | None

    @property
    def n_features(self) -> int:
        """Number of features D."""
        return int(self.scores.shape[1])

    @property
    def is_cut(self) -> bool:
        """Whether an archive kept only the best scores of some run."""
        return bool(np.isnan(self.scores).any())

    @cached_property
    def ranks(self) -> np.ndarray:
        """(M, D) rank of each feature, 1 is the best, equals share theirs; float32."""
        positive, unknown = self.scores > 0, np.isnan(self.scores)
        n_unknown = unknown.sum(axis=1)[:, None]
        others = self.n_features - n_unknown - positive.sum(axis=1)[:, None]
        ends = self.n_features - n_unknown
        ranks = np.where(unknown, ends + (n_unknown + 1) / 2, ends - (others - 1) / 2)
        ranks = ranks.astype(np.float32)
        for scores, row, places in zip(self.scores, ranks, positive, strict=True):
            if (scores < 0).any():
                row[:] = rank_scores(scores)
            elif places.any():
                row[places] = _rank(scores[places])
        return ranks

    def list_top(self, count: int) -> list[np.ndarray]:
        """Return per run the features with the ``count`` largest scores, the best first.

        There are fewer where fewer have a positive score.

        Raises
        ------
        UserError
            If the runs come from an archive that keeps fewer scores.
        """
        tops = [rank_first(scores, count) for scores in self.scores]
        for best, scores in zip(tops, self.scores, strict=True):
            if len(best) < count and np.isnan(scores).any():
                raise UserError(
                    f"{self.model}: of a run in an archive only the {len(best)} best scores are "
                    f"kept: ask for {len(best)} genes, or use the store that it was made of"
                )
        return tops

    def mark_top(self, count: int) -> np.ndarray:
        """Return (M, D): whether a feature is among the ``count`` best of a run."""
        marks = np.zeros(self.scores.shape, dtype=bool)
        for row, best in zip(marks, self.list_top(count), strict=True):
            row[best] = True
        return marks

    def mark_selected(self, count: int = DEFAULT_TOP) -> np.ndarray:
        """Return (M, D): what the method selected, or its ``count`` best if it does not select."""
        return self.mark_top(count) if self.own is None else self.own


def read_selections(runs: pd.DataFrame, arrays: RunArrays) -> dict[str, Selections]:
    """Read what the runs of one data set say of its features.

    Parameters
    ----------
    runs
        Of one data set, one row each; failed ones are passed over.
    arrays
        Where their scores are.

    Returns
    -------
    dict
        Method -> its selections, in the order of the runs; methods that score no feature are
        left out.
    """
    selections = {}
    good = runs[runs["status"] == "ok"]
    for model, of_model in good.groupby("model", sort=False):
        ordered = of_model.sort_values(["seed", "repeat", "fold"], kind="stable")
        found = {int(run): arrays.read_scores(int(run)) for run in ordered.index}
        known = {run: scores for run, scores in found.items() if scores is not None}
        if any((of_run.scores > 0).any() for of_run in known.values()):
            if len(known) < len(found):
                ordered = ordered.loc[list(known)]
            selections[str(model)] = _join(str(model), ordered, known)
    widths = {selection.n_features for selection in selections.values()}
    if len(widths) > 1:
        raise UserError(
            f"the runs have scores of {' and '.join(map(str, sorted(widths)))} features: "
            "they are of different tables"
        )
    return selections


def _join(model: str, runs: pd.DataFrame, found: dict[int, FeatureScores]) -> Selections:
    widths = sorted({len(of_run.scores) for of_run in found.values()})
    if len(widths) > 1:
        raise UserError(
            f"the runs of {model} have scores of {' and '.join(map(str, widths))} features: "
            "they are of different tables"
        )
    chosen = [of_run.selected for of_run in found.values()]
    known = [selected for selected in chosen if selected is not None]
    return Selections(
        model,
        runs,
        np.stack([of_run.scores for of_run in found.values()]),
        np.stack(known) if len(known) == len(chosen) else None,
    )


def rank_scores(scores: np.ndarray) -> np.ndarray:
    """Rank scores, the largest first; equals, and all unknown ones, share their mean rank.

    Parameters
    ----------
    scores
        (D,) numbers; NaN is unknown and below all known ones.

    Returns
    -------
    numpy.ndarray
        (D,) float32 ranks from 1.
    """
    ranks = np.empty(len(scores), dtype=np.float32)
    # Most features of a sparse method have no score: only the others need to be sorted.
    above = 0
    for members in (scores > 0, ~(scores > 0) & ~np.isnan(scores), np.isnan(scores)):
        places = np.flatnonzero(members)
        if len(places):
            ranks[places] = above + _rank(scores[places])
        above += len(places)
    return ranks


def _rank(scores: np.ndarray) -> np.ndarray:
    """Rank scores that are all known, or all not."""
    if not (scores > scores[0]).any() and not (scores < scores[0]).any():
        return np.full(len(scores), (len(scores) + 1) / 2)
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    lengths = np.diff(np.append(starts, len(scores)))
    ranks = np.empty(len(scores))
    ranks[order] = np.repeat(starts + (lengths + 1) / 2, lengths)
    return ranks
