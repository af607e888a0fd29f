"""A table of the user's, with everything checked that could spoil a benchmark."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from benchmark.datasets.dataset import Dataset, count_constant
from benchmark.datasets.derive.cohort import encode_classes, spell_labels
from benchmark.datasets.derive.loaders import SourceError
from benchmark.datasets.derive.readers import LABELLED, read_samples, take_ids
from benchmark.datasets.registry import known_names
from benchmark.datasets.splits import FEWEST
from benchmark.errors import UserError
from benchmark.text import count_noun, list_some, suggest_name


def read_user_file(
    path: Path,
    target: str | None = None,
    id_column: str | None = None,
    name: str | None = None,
    groups: str | None = None,
    impute: str | None = None,
    registries: Sequence[Path] = (),
) -> Dataset:
    """Read a file and check it; see ``benchmark.datasets.load_file`` for the parameters."""
    if not path.is_file():
        raise UserError(f"{path}: no such file, give the path of your table with --data")
    chosen = choose_name(path, name, known_names(registries))
    try:
        frame = read_samples(path, called=str(path))
    except SourceError as error:
        raise UserError(str(error)) from None
    if frame.empty:
        raise UserError(f"{path}: the table has no {'columns' if len(frame) else 'rows'}")
    if path.suffix.lower() in LABELLED:
        target = target or str(frame.columns[-1])
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
        name=chosen,
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


def choose_name(path: Path, name: str | None, taken: Sequence[str]) -> str:
    """Return the name asked for, else one made of the file's; results are kept under it.

    ``taken`` are names of the suite: under one of them the table would get the paper's settings
    and be compared with the paper.
    """
    if name is not None and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise UserError(f"--name {name!r}: use letters, digits, '.', '_' and '-' only")
    stem = path.name.removesuffix(".gz").rpartition(".")[0]
    chosen = name or re.sub(r"[^a-z0-9._-]+", "-", stem.lower()).strip("-.") or "data"
    # Some file systems take Lung and lung for the same results folder.
    if chosen.lower() in taken:
        raise UserError(
            f"{path}: a data set of the suite is called {chosen.lower()!r} already, choose another "
            "name with --name"
        )
    return chosen


def check_columns(path: Path, frame: pd.DataFrame, options: dict[str, str | None]) -> None:
    """See that the columns named by options exist and are different ones."""
    seen: dict[str, str] = {}
    for option, column in options.items():
        if column is None:
            continue
        if column not in frame.columns:
            raise UserError(
                f"{path}: {option} column {column!r} is not there "
                f"({_suggest(column, frame.columns.map(str).tolist())})"
            )
        if column in seen:
            raise UserError(f"{path}: {option} and {seen[column]} name the same column {column!r}")
        seen[column] = option
    duplicated = frame.columns[frame.columns.duplicated()]
    if len(duplicated):
        raise UserError(f"{path}: column {duplicated[0]!r} occurs twice, rename one")


def _suggest(column: str, columns: list[str]) -> str:
    return suggest_name(column, columns) or f"columns: {list_some(columns, first=3, last=2)}"


def check_ids(path: Path, frame: pd.DataFrame) -> None:
    """Refuse duplicate sample ids: copies in training and test would leak."""
    duplicated = frame.index[frame.index.duplicated()].unique()
    if len(duplicated):
        raise UserError(
            f"{path}: {count_noun(len(duplicated), 'repeated sample id')} "
            f"({list_some(duplicated.tolist(), 3)}); make ids unique, and keep repeated samples "
            "together with --groups COLUMN"
        )


def check_labels(
    path: Path,
    labels: pd.Series,
    target: str,
    group_of: pd.Series | None,
    groups: str | None,
) -> None:
    """See that every sample has a class, and that no class is too small for any number of folds.

    ``check_folds`` looks at the number of folds that is asked for.
    """
    if labels.isna().any():
        rows = labels.index[labels.isna()]
        raise UserError(
            f"{path}: {count_noun(len(rows), 'sample')} without a label in {target!r} "
            f"({list_some(rows.tolist(), 3)}), remove or label what has none"
        )
    counts = labels.value_counts()
    if len(counts) < 2:
        raise UserError(
            f"{path}: {target!r} has {count_noun(len(counts), 'class')}, at least 2 are needed"
        )
    if counts.min() < FEWEST:
        raise UserError(
            f"{path}: class {counts.idxmin()!r} has {count_noun(int(counts.min()), 'sample')}, at "
            f"least {FEWEST} are needed; merge or drop it" + _regression_hint(counts, labels)
        )
    if group_of is None:
        return
    if group_of.isna().any():
        rows = group_of.index[group_of.isna()]
        raise UserError(
            f"{path}: {count_noun(len(rows), 'sample')} without a group in {groups!r} "
            f"({list_some(rows.tolist(), 3)}), remove or fill what has none"
        )
    per_class = group_of.groupby(labels).nunique()
    if per_class.min() < FEWEST:
        raise UserError(
            f"{path}: class {per_class.idxmin()!r} has samples of only "
            f"{count_noun(int(per_class.min()), 'group')} of {groups!r}, at least {FEWEST} are "
            "needed"
        )


def _regression_hint(counts: pd.Series, labels: pd.Series) -> str:
    if len(counts) > 20 and len(counts) > len(labels) // 3:
        return f" ({len(counts)} different values: is this really a column of classes?)"
    return ""


def to_matrix(path: Path, frame: pd.DataFrame) -> np.ndarray:
    """Return the features as float32, n × D."""
    if frame.shape[1] < 2:
        raise UserError(
            f"{path}: {count_noun(frame.shape[1], 'feature column')}, at least 2 are needed"
        )
    texts = [
        column
        for column, kind in frame.dtypes.items()
        if not (pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_bool_dtype(kind))
    ]
    if texts:
        sample = next(iter(frame[texts[0]].dropna()), "")
        raise UserError(
            f"{path}: {count_noun(len(texts), 'feature column')} without numbers: "
            f"{list_some(texts, 5)} (for example {str(sample)[:20]!r}); drop or encode text, or "
            "use --id / --groups"
        )
    return frame.to_numpy(dtype=np.float64, na_value=np.nan).astype(np.float32)


def check_values(path: Path, values: np.ndarray, columns: pd.Index, impute: str | None) -> None:
    """Say how many values are missing or infinite, and where."""
    infinite = np.isinf(values)
    if infinite.any():
        raise UserError(
            f"{path}: {count_noun(int(infinite.sum()), 'value')} infinite or beyond float32, in "
            f"{_columns_with(infinite, columns)}; use finite numbers"
        )
    missing = np.isnan(values)
    if not missing.any():
        return
    empty = missing.all(axis=0)
    if empty.any():
        raise UserError(
            f"{path}: columns without any value: {list_some(columns[empty].tolist(), 5)}; drop them"
        )
    if impute is None:
        raise UserError(
            f"{path}: {count_noun(int(missing.sum()), 'missing value')} in "
            f"{_columns_with(missing, columns)}; fill what is missing, or use --impute median "
            "(fitted on each training split)"
        )


def _columns_with(where: np.ndarray, columns: pd.Index) -> str:
    affected = columns[np.flatnonzero(where.any(axis=0))].tolist()
    return f"{count_noun(len(affected), 'column')} ({list_some(affected, 3)})"
