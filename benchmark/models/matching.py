"""Which columns of a table are which genes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmark.datasets.dataset import Dataset
from benchmark.errors import UserError
from benchmark.text import count_noun, list_some


@dataclass(frozen=True, eq=False)
class GeneMatch:
    """Where wanted genes are among those on offer.

    Parameters
    ----------
    places
        (D,) column of each wanted gene, -1 where there is none.
    missing
        Those without a column.
    n_by_case
        How many were found under a name that differs in case alone.
    """

    places: NDArray[np.int64]
    missing: tuple[str, ...]
    n_by_case: int

    @property
    def found(self) -> NDArray[np.bool_]:
        """Whether each wanted gene has a column, (D,)."""
        return self.places >= 0


def match_genes(wanted: Sequence[str], offered: Sequence[str]) -> GeneMatch:
    """Find genes by name; by name in any case where that can mean one gene only.

    Parameters
    ----------
    wanted, offered
        Names, each without repetition.
    """
    exact = {name: place for place, name in enumerate(offered)}
    folded = {name.casefold(): place for place, name in enumerate(offered)}
    counts = Counter(name.casefold() for name in offered)
    asked = Counter(name.casefold() for name in wanted)
    places = np.full(len(wanted), -1, dtype=np.int64)
    n_by_case = 0
    for index, name in enumerate(wanted):
        key = name.casefold()
        if name in exact:
            places[index] = exact[name]
        elif counts[key] == asked[key] == 1:
            places[index] = folded[key]
            n_by_case += 1
    missing = tuple(name for name, place in zip(wanted, places, strict=True) if place < 0)
    return GeneMatch(places, missing, n_by_case)


def match_shared(dataset: Dataset, offered: Sequence[str], where: str) -> GeneMatch:
    """Find a data set's genes among the names of another table; fewer than two are refused."""
    match = match_genes(dataset.feature_names.tolist(), offered)
    n_shared = int(match.found.sum())
    if n_shared < 2:
        raise UserError(
            f"{dataset.name} and {where} share {count_noun(n_shared, 'gene')} "
            f"({list_some(dataset.feature_names[:3].tolist(), 3)}; {list_some(offered[:3], 3)}): "
            "name genes the same way in both"
        )
    return match


def take_genes(dataset: Dataset, places: NDArray[np.int64]) -> Dataset:
    """Return the data set with some of its genes, in the order of ``places``."""
    return replace(
        dataset,
        X=dataset.X[:, places],
        feature_names=dataset.feature_names[places],
        informative=None,
    )
