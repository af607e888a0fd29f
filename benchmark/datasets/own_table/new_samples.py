"""Samples to predict for: values without labels, and of their columns only those a model reads."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype

from benchmark.datasets.dataset import Dataset
from benchmark.datasets.own_table.genes import clean_names, merge_duplicates, select_columns
from benchmark.datasets.own_table.options import TableOptions
from benchmark.datasets.own_table.samples import read_samples
from benchmark.datasets.own_table.values import check_values, to_matrix
from benchmark.errors import UserError
from benchmark.text import list_some


@dataclass(frozen=True, eq=False)
class NewSamples:
    """Values to predict from.

    Parameters
    ----------
    name
        For messages: the file, or the data set.
    X
        (n, D), NaN where a value is missing.
    feature_names, sample_ids
        (D,) and (n,).
    n_ignored
        Columns that no model asked for and that were left out.
    """

    name: str
    X: NDArray[np.float64]
    feature_names: tuple[str, ...]
    sample_ids: tuple[str, ...]
    n_ignored: int = 0

    @classmethod
    def from_dataset(cls, table: Dataset) -> Self:
        """Take the samples of a data set, whose classes are not looked at."""
        genes, ids = tuple(table.feature_names.tolist()), tuple(table.sample_ids.tolist())
        return cls(table.name, table.X.astype(np.float64), genes, ids)


def list_names(options: TableOptions) -> list[str]:
    """Return the names in a table that may be genes: of its columns, or of its rows."""
    frame = read_samples(options).frame
    names = [*frame.columns, *frame.index]
    for column in frame.columns[:3]:
        if not is_numeric_dtype(frame[column]):
            names += frame[column].dropna().tolist()
    return list(clean_names(pd.Index(names))[0].unique())


def read_new_samples(options: TableOptions, wanted: Iterable[str]) -> NewSamples:
    """Read a table of samples whose classes are not known.

    Parameters
    ----------
    options
        Where it is and how to read it; what concerns labels is not looked at.
    wanted
        Names of features, in any case. Other columns may hold anything and are counted.
    """
    path = options.path
    values = read_samples(options).frame
    names, _ = clean_names(values.columns)
    values = select_columns(path, values.set_axis(names, axis=1), options.columns)
    keys = {name.casefold() for name in wanted}
    known = [
        str(name).casefold() in keys and str(name) not in options.drop for name in values.columns
    ]
    chosen = values.loc[:, known]
    if chosen.empty:
        raise UserError(
            f"{path}: none of its columns ({list_some(list(names), 3)}) is a gene of the model "
            f"({list_some(sorted(set(wanted)), 3)}): do both name genes the same way, and are "
            "samples in rows (else --genes-in-rows)?"
        )
    chosen = chosen.loc[:, ~chosen.isna().all(axis=0).to_numpy()]
    matrix = to_matrix(path, chosen, least=1)
    check_values(path, matrix, chosen.columns, impute="median")
    frame = pd.DataFrame(matrix, index=chosen.index, columns=chosen.columns)
    merged, _ = merge_duplicates(path, frame, options.duplicates)
    return NewSamples(
        name=str(path),
        X=merged.to_numpy(),
        feature_names=tuple(map(str, merged.columns)),
        sample_ids=tuple(map(str, merged.index)),
        n_ignored=len(known) - sum(known),
    )
