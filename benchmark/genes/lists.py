"""Everything that the runs on one data set say of its features."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from benchmark.datasets.dataset import Dataset
from benchmark.errors import UserError
from benchmark.genes.consensus import add_deviations, list_consensus, pool_methods, take_best
from benchmark.genes.direction import find_directions, list_outside_rows, measure_separation
from benchmark.genes.overlap import measure_jaccard, measure_rank_overlap
from benchmark.genes.selections import DEFAULT_TOP, Selections, read_selections
from benchmark.genes.stability import Stability, measure_stability
from benchmark.plan.methods import read_method_cards
from benchmark.results.arrays import RunArrays


@dataclass(frozen=True, eq=False)
class GeneLists:
    """Lists of features of one data set, from the runs of several methods.

    Parameters
    ----------
    dataset
        Its name.
    selections
        Method -> what its runs say; at least one.
    unscored
        Methods whose runs score no feature.
    names
        (D,) of the features.
    top
        Length of lists; of a method that does not select, so many best features count as selected.
    table
        The data set; None where it is not at hand: then no direction is known.
    test_rows
        Of each split that the runs have.
    gates
        Method that opens and closes gates -> how many are in each of ``IMPORTANCE_BINS``, over
        its runs, where that is kept.
    """

    dataset: str
    selections: Mapping[str, Selections]
    unscored: tuple[str, ...]
    names: np.ndarray
    top: int = DEFAULT_TOP
    table: Dataset | None = None
    test_rows: tuple[np.ndarray, ...] = ()
    gates: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def n_features(self) -> int:
        """Number of features D."""
        return len(self.names)

    @property
    def n_runs(self) -> int:
        """Number of runs behind the lists."""
        return sum(len(found.runs) for found in self.selections.values())

    @cached_property
    def by_method(self) -> dict[str, pd.DataFrame]:
        """Method -> all features, as ``list_consensus`` gives them."""
        return {model: list_consensus(found, self.top) for model, found in self.selections.items()}

    @cached_property
    def pooled(self) -> pd.DataFrame:
        """All features, as ``pool_methods`` gives them."""
        return pool_methods(self.by_method, self.top)

    def take_best(self, model: str | None = None) -> pd.DataFrame:
        """Return the top of a method's list, or of the list over methods, best first.

        Columns ``name``, ``high_in`` (the class with the higher mean) and ``auroc`` are added;
        the last two are empty and NaN where the table is not at hand. A method's list has
        ``rank_sd`` and ``score_sd`` over its runs, too.
        """
        best = take_best(self.pooled if model is None else self.by_method[model], self.top)
        if model is not None:
            best = add_deviations(best, self.selections[model])
        features = best.index.to_numpy()
        best = best.assign(name=self.names[features], high_in="", auroc=np.nan)
        if self.table is not None and self._splits:
            high = self.directions[features]
            names = self.table.class_names
            best["high_in"] = [str(names[code]) if code >= 0 else "" for code in high]
            best["auroc"] = measure_separation(self.table, self._splits, features, self.directions)
        return best

    def list_top(self, model: str | None = None) -> list[int]:
        """Return the numbers of the features at the top of a list, best first."""
        features = take_best(self.pooled if model is None else self.by_method[model], self.top)
        return [int(feature) for feature in features.index]

    @cached_property
    def directions(self) -> np.ndarray:
        """(D,) code of the class in which a feature is highest, -1 where none is known."""
        if self.table is None or not self._splits:
            return np.full(self.n_features, -1)
        return find_directions(self.table, self._splits)

    @cached_property
    def _splits(self) -> list[np.ndarray]:
        return [] if self.table is None else list_outside_rows(self.table, self.test_rows)

    @cached_property
    def stability(self) -> dict[str, Stability]:
        """Method -> how alike the selections of its runs are."""
        return {
            model: measure_stability(found.mark_selected(self.top))
            for model, found in self.selections.items()
        }

    def measure_agreement(self, by_rank: bool) -> pd.DataFrame:
        """Return (methods x methods) how alike the tops of the lists are.

        Parameters
        ----------
        by_rank
            Rank-biased overlap, in which the first ranks weigh most; else Jaccard's index.
        """
        measure = measure_rank_overlap if by_rank else measure_jaccard
        tops = {model: self.list_top(model) for model in self.selections}
        return pd.DataFrame(
            {one: {other: measure(tops[one], tops[other]) for other in tops} for one in tops}
        )


def read_gene_lists(
    runs: pd.DataFrame,
    arrays: RunArrays,
    table: Dataset | None = None,
    top: int = DEFAULT_TOP,
) -> GeneLists | None:
    """Read what the runs on one data set say of its features; None if they score none.

    Parameters
    ----------
    runs
        Of one data set, a row each.
    arrays
        Where their scores are, and the names of features where the table is not at hand.
    table
        The data set, where it is at hand.
    top
        Length of the lists.
    """
    selections = read_selections(runs, arrays)
    if not selections:
        return None
    width = next(iter(selections.values())).n_features
    checksum = str(runs["dataset_checksum"].iloc[0])
    names = arrays.read_names(checksum) if table is None else table.feature_names
    if names is None:
        names = np.array([f"feature {number}" for number in range(1, width + 1)])
    if len(names) != width:
        raise UserError(
            f"the runs on {runs['dataset'].iloc[0]} have scores of {width} features, their table "
            f"has {len(names)}: they are of different tables"
        )
    first = runs[runs["status"] == "ok"].drop_duplicates("split_checksum")
    predictions = [arrays.read_predictions(int(run)) for run in first.index]
    return GeneLists(
        str(runs["dataset"].iloc[0]),
        selections,
        tuple(model for model in dict.fromkeys(runs["model"]) if model not in selections),
        names,
        top,
        table,
        tuple(found["test_index"] for found in predictions if found),
        _count_gates(selections, arrays),
    )


def _count_gates(selections: Mapping[str, Selections], arrays: RunArrays) -> dict[str, np.ndarray]:
    cards, gates = read_method_cards(), {}
    for model, found in selections.items():
        if model in cards and "gates-features" in cards[model].tags:
            counts = [arrays.read_importance_counts(int(run)) for run in found.runs.index]
            known = [count for count in counts if count is not None]
            if known:
                gates[model] = np.sum(known, axis=0)
    return gates
