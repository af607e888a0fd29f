"""From columns to a matrix of numbers, and the scale it seems to have."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmark.datasets.own_table.samples import describe_text
from benchmark.errors import UserError
from benchmark.text import count_noun, list_some

_NAMED = 3

#: Unlogged intensities and counts reach thousands; log2 of 64-bit numbers cannot exceed 64.
_LARGEST_LOG = 64.0


def to_matrix(path: Path, values: pd.DataFrame, least: int = 2) -> NDArray[np.float64]:
    """Return the features (n, D) in double precision; fewer than ``least`` are refused."""
    if values.shape[1] < least:
        raise UserError(
            f"{path}: {count_noun(values.shape[1], 'feature column')}, at least {least} "
            f"{'is' if least == 1 else 'are'} needed"
        )
    texts = [
        place
        for place, kind in enumerate(values.dtypes)
        if not (pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_bool_dtype(kind))
    ]
    if texts:
        names = [str(values.columns[place]) for place in texts]
        raise UserError(
            f"{path}: {count_noun(len(texts), 'feature column')} without numbers: "
            f"{list_some(names, 5)}{describe_text(values.iloc[:, texts[0]])}; leave them out with "
            "--drop, or name them with --id or --groups"
        )
    if any(np.dtype(getattr(kind, "numpy_dtype", kind)).kind == "c" for kind in values.dtypes):
        raise UserError(f"{path}: complex numbers; give real ones")
    return values.to_numpy(dtype=np.float64, na_value=np.nan)


def check_values(
    path: Path, matrix: NDArray[np.float64], names: pd.Index, impute: str | None
) -> None:
    """Refuse infinite values, empty columns, and gaps unless they are to be filled."""
    beyond = np.abs(matrix) > np.finfo(np.float32).max
    if beyond.any():
        raise UserError(
            f"{path}: {count_noun(int(beyond.sum()), 'value')} infinite or beyond float32, in "
            f"{_columns_with(beyond, names)}; use finite numbers"
        )
    missing = np.isnan(matrix)
    if not missing.any():
        return
    empty = missing.all(axis=0)
    if empty.any():
        raise UserError(
            f"{path}: columns without any value: {list_some(names[empty].tolist(), 5)}; leave "
            "them out with --drop"
        )
    if impute is None:
        raise UserError(
            f"{path}: {count_noun(int(missing.sum()), 'missing value')} in "
            f"{_columns_with(missing, names)}; fill what is missing, or use --impute median "
            "(fitted on each training split)"
        )


@dataclass(frozen=True)
class Scale:
    """What values look like.

    Parameters
    ----------
    name
        ``raw counts``, ``unlogged``, ``z-scores``, ``log`` or ``unknown``.
    advice
        What follows, "" for nothing.
    """

    name: str
    advice: str = ""


def guess_scale(matrix: NDArray[np.floating]) -> Scale:
    """Guess from range, signs and fractions what values (n, D) are."""
    low, high = float(np.nanmin(matrix)), float(np.nanmax(matrix))
    logs = "take logarithms with --transform log2p1"
    if low >= 0 and high > _LARGEST_LOG:
        whole = bool(np.all(np.isnan(matrix) | (matrix == np.round(matrix))))
        return Scale("raw counts" if whole else "unlogged (RSEM, TPM, intensities)", logs)
    means = np.nanmean(matrix, axis=0)
    if low < 0 and np.median(np.abs(means)) < 0.1 and 0.5 < np.nanstd(matrix) < 2:
        return Scale(
            "z-scores",
            "scaled with all samples, test samples too: give unscaled values if you have them",
        )
    if high <= _LARGEST_LOG and low > -_LARGEST_LOG:
        return Scale("log")
    return Scale("unknown", "very large and negative values: check the units")


def _columns_with(where: NDArray[np.bool_], columns: pd.Index) -> str:
    affected = columns[np.flatnonzero(where.any(axis=0))].tolist()
    return f"{count_noun(len(affected), 'column')} ({list_some(affected, _NAMED)})"
