"""Which columns of a table are which genes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


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
