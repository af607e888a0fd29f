"""A table of the user's, with everything checked that could spoil a benchmark."""

import re
from collections.abc import Collection
from pathlib import Path

import numpy as np
import pandas as pd

from benchmark.datasets.derivation.build import FOLDS
from benchmark.datasets.derivation.frames import MAT_TARGET, read_frame, take_ids
from benchmark.datasets.derivation.labels import encode_classes, spell_labels
from benchmark.datasets.description import count_constant
from benchmark.datasets.problems import SourceError
from benchmark.datasets.record import Dataset
from benchmark.errors import UserError


def read_user_file(
    path: Path,
    target: str | None = None,
    id_column: str | None = None,
    name: str | None = None,
    groups: str | None = None,
    impute: str | None = None,
) -> Dataset:
    """Read a file and check it; see ``benchmark.datasets.load_file`` for the parameters."""
    if not path.is_file():
        raise UserError(f"{path}: no such file, give the path of your table with --data")
    try:
        frame = read_frame(path)
    except SourceError as error:
        raise UserError(f"{path}: {error}") from None
    if path.suffix == ".mat":
        target = target or MAT_TARGET
    elif target is None:
        raise UserError(f"{path}: say which column holds the classes with --target COLUMN")
    check_columns(path, frame, {"--target": target, "--id": id_column, "--groups": groups})

    frame = take_ids(frame, id_column)
    check_ids(path, frame)
    labels = spell_labels(frame.pop(target))
    group_of = spell_labels(frame.pop(groups)) if groups is not None else None
    check_labels(path, labels, target, group_of, groups)
    values = to_matrix(path, frame)
    check_values(path, values, frame.columns, impute)
    y, class_names = encode_classes(labels, ())
    return Dataset(
        name=choose_name(path, name),
        X=values,
        y=y,
        feature_names=frame.columns.to_numpy(dtype=np.str_),
        sample_ids=frame.index.to_numpy(dtype=np.str_),
        class_names=class_names,
        groups=None if group_of is None else group_of.to_numpy(dtype=np.str_),
        impute=impute,
        provenance={
            "source": str(path),
            "target": target,
            "constant_features": count_constant(values),
            "missing_values": int(np.isnan(values).sum()),
        },
    )


def choose_name(path: Path, name: str | None) -> str:
    """Return the name asked for, else one made of the file's; results are kept under it."""
    if name is not None:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
            raise UserError(f"--name {name!r}: use letters, digits, '.', '_' and '-' only")
        return name
    stem = path.name.removesuffix(".gz").rpartition(".")[0]
    return re.sub(r"[^a-z0-9._-]+", "-", stem.lower()).strip("-.") or "data"


def check_columns(path: Path, frame: pd.DataFrame, options: dict[str, str | None]) -> None:
    """See that the columns named by options exist and are different ones."""
    seen: dict[str, str] = {}
    for option, column in options.items():
        if column is None:
            continue
        if column not in frame.columns:
            raise UserError(
                f"{path}: {option} column {column!r} is not there "
                f"(columns: {_some(list(frame.columns), 5)})"
            )
        if column in seen:
            raise UserError(f"{path}: {option} and {seen[column]} name the same column {column!r}")
        seen[column] = option
    duplicated = frame.columns[frame.columns.duplicated()]
    if len(duplicated):
        raise UserError(f"{path}: column {duplicated[0]!r} occurs twice, rename one")


def check_ids(path: Path, frame: pd.DataFrame) -> None:
    """Refuse duplicate sample ids: copies in training and test would leak."""
    duplicated = frame.index[frame.index.duplicated()].unique()
    if len(duplicated):
        raise UserError(
            f"{path}: {len(duplicated)} sample ids occur more than once "
            f"({_some(duplicated.tolist(), 3)}); make them unique, and keep repeated samples "
            "together with --groups COLUMN"
        )


def check_labels(
    path: Path,
    labels: pd.Series,
    target: str,
    group_of: pd.Series | None,
    groups: str | None,
) -> None:
    """See that there is a class for every sample and enough samples of each."""
    if labels.isna().any():
        rows = labels.index[labels.isna()]
        raise UserError(
            f"{path}: {len(rows)} samples have no label in {target!r} ({_some(rows.tolist(), 3)}), "
            "remove them or label them"
        )
    counts = labels.value_counts()
    if len(counts) < 2:
        raise UserError(f"{path}: {target!r} has {len(counts)} class, at least 2 are needed")
    if counts.min() < FOLDS:
        raise UserError(
            f"{path}: class {counts.idxmin()!r} has {counts.min()} samples, {FOLDS} folds need "
            f"at least {FOLDS}; merge or drop it" + _regression_hint(counts, labels)
        )
    if group_of is None:
        return
    if group_of.isna().any():
        rows = group_of.index[group_of.isna()]
        raise UserError(
            f"{path}: {len(rows)} samples have no group in {groups!r} ({_some(rows.tolist(), 3)})"
        )
    per_class = group_of.groupby(labels).nunique()
    if per_class.min() < FOLDS:
        raise UserError(
            f"{path}: class {per_class.idxmin()!r} has samples of only {per_class.min()} groups of "
            f"{groups!r}, {FOLDS} folds need at least {FOLDS}"
        )


def _regression_hint(counts: pd.Series, labels: pd.Series) -> str:
    if len(counts) > 20 and len(counts) > len(labels) // 3:
        return f" ({len(counts)} different values: is this really a column of classes?)"
    return ""


def to_matrix(path: Path, frame: pd.DataFrame) -> np.ndarray:
    """Return the features as float32, n × D."""
    if frame.shape[1] < 2:
        raise UserError(f"{path}: {frame.shape[1]} feature columns, at least 2 are needed")
    texts = [
        column
        for column, kind in frame.dtypes.items()
        if not (pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_bool_dtype(kind))
    ]
    if texts:
        sample = next(iter(frame[texts[0]].dropna()), "")
        raise UserError(
            f"{path}: {len(texts)} feature columns are not numeric: {_some(texts, 5)} "
            f"(for example {str(sample)[:20]!r}); drop or encode them, or use --id / --groups"
        )
    return frame.to_numpy(dtype=np.float64, na_value=np.nan).astype(np.float32)


def check_values(path: Path, values: np.ndarray, columns: pd.Index, impute: str | None) -> None:
    """Say how many values are missing or infinite, and where."""
    infinite = np.isinf(values)
    if infinite.any():
        raise UserError(
            f"{path}: {int(infinite.sum())} values are infinite or beyond float32, in "
            f"{_columns_with(infinite, columns)}; replace them"
        )
    missing = np.isnan(values)
    if not missing.any():
        return
    empty = missing.all(axis=0)
    if empty.any():
        raise UserError(
            f"{path}: columns without any value: {_some(columns[empty].tolist(), 5)}; drop them"
        )
    if impute is None:
        raise UserError(
            f"{path}: {int(missing.sum())} values are missing, in "
            f"{_columns_with(missing, columns)}; fill them, or use --impute median "
            "(fitted on each training split)"
        )


def _columns_with(where: np.ndarray, columns: pd.Index) -> str:
    affected = columns[np.flatnonzero(where.any(axis=0))].tolist()
    noun = "column" if len(affected) == 1 else "columns"
    return f"{len(affected)} {noun} ({_some(affected, 3)})"


def _some(items: Collection[object], count: int) -> str:
    shown = ", ".join(str(item) for item in list(items)[:count])
    return f"{shown}, ..." if len(items) > count else shown
