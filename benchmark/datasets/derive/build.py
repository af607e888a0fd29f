"""The loaders of the registry, and the steps that all of them share."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from benchmark.datasets.dataset import Dataset
from benchmark.datasets.derive.cohort import (
    encode_classes,
    keep_genes,
    map_labels,
    read_gene_list,
    replace_missing,
    sample_cohort,
)
from benchmark.datasets.derive.metabric import read_metabric
from benchmark.datasets.derive.readers import LabelledTable, read_labelled, read_raw
from benchmark.datasets.derive.tcga import read_firehose, read_full_table, read_published_samples
from benchmark.datasets.failures import SourceError
from benchmark.datasets.labels import spell_labels
from benchmark.datasets.prepare import find_differences
from benchmark.datasets.registry import Entry, Source
from benchmark.datasets.splits import FEWEST
from benchmark.text import count_noun

Paths = Mapping[str, Path]


def build_dataset(entry: Entry, source: Source, paths: Paths) -> Dataset:
    """Make the table of a data set from the files of one of its sources.

    Parameters
    ----------
    entry, source
        As the registry describes them.
    paths
        File name -> where it is.
    """
    table = _LOADERS[source.loader](source, paths)
    labels = spell_labels(table.labels)
    if source.loader in _WHOLE and not source.drop_unlisted:
        _check_filled(labels, "label")
    names = map_labels(labels, source.labels, source.drop_unlisted)
    y, class_names = encode_classes(names, entry.classes)
    if source.loader not in _WHOLE:
        # By code, as the authors: what the classes are called does not decide who is drawn.
        codes = pd.Series(y, index=names.index)
        names = names.loc[_choose_patients(source, codes, table.features.index)]
        y = codes.loc[names.index].to_numpy()
    values = table.features.loc[names.index]
    groups = None
    if table.groups is not None:
        spelt = spell_labels(table.groups.loc[names.index])
        _check_filled(spelt, "group")
        groups = spelt.to_numpy(dtype=np.str_)
    matrix = _numeric(values)
    _check_usable(matrix, y, class_names)
    differences = [*entry.differences, *source.differences]
    if entry.expected is not None:
        counts = np.bincount(y, minlength=len(class_names))
        differences += find_differences(
            entry.expected, matrix.shape, counts.tolist(), class_names.tolist()
        )
    return Dataset(
        name=entry.name,
        X=matrix,
        y=y,
        feature_names=values.columns.to_numpy(dtype=np.str_),
        sample_ids=values.index.to_numpy(dtype=np.str_),
        class_names=class_names,
        groups=groups,
        hyperparameters_of=entry.hyperparameters_of or entry.name,
        stand_in_for=entry.stand_in_for,
        differences=tuple(differences),
        provenance={"title": entry.title, "citation": entry.citation, "source": source.note},
    )


def _load_table(source: Source, paths: Paths) -> LabelledTable:
    """Put the files one below the other; rows keep their order, on which the splits depend."""
    given = source.target, source.id_column, source.groups
    parts = [read_labelled(paths[file.name], *given) for file in source.files]
    first = parts[0]
    for part, file in zip(parts[1:], source.files[1:], strict=True):
        if list(part.features.columns) != list(first.features.columns):
            raise SourceError(f"{file.name} has other columns than {source.files[0].name}")
    features = pd.concat([part.features for part in parts])
    if features.index.duplicated().any():
        raise SourceError(f"sample {features.index[features.index.duplicated()][0]} occurs twice")
    labels = pd.concat([part.labels for part in parts])
    groups = [part.groups for part in parts if part.groups is not None]
    return LabelledTable(features, labels, pd.concat(groups) if groups else None)


def _load_tcga_table(source: Source, paths: Paths) -> LabelledTable:
    values, labels = read_full_table(_path(source, paths, "expression"), _target(source))
    return _keep_complete(source, paths, values, labels)


def _load_firehose(source: Source, paths: Paths) -> LabelledTable:
    values = read_firehose(_path(source, paths, "expression"))
    # All labels, with values or without: the cohort is drawn from all patients.
    return LabelledTable(_filter(source, paths, values), _read_tcga_labels(source, paths))


def _load_tcga_standin(source: Source, paths: Paths) -> LabelledTable:
    values = read_published_samples([paths[file.name] for file in source.files_of("table")])
    return LabelledTable(values, _read_tcga_labels(source, paths))


def _read_tcga_labels(source: Source, paths: Paths) -> pd.Series:
    frame = read_raw(_path(source, paths, "labels")).frame
    return frame[_target(source)].sort_index()


def _load_metabric(source: Source, paths: Paths) -> LabelledTable:
    values, labels = read_metabric(
        _path(source, paths, "expression"), _path(source, paths, "clinical"), _target(source)
    )
    return _keep_complete(source, paths, values, labels)


def _load_scanb(source: Source, paths: Paths) -> LabelledTable:
    values = read_raw(_path(source, paths, "expression")).frame.T.sort_index()
    samples = read_raw(_path(source, paths, "clinical")).frame.set_index(source.id_column)
    return _keep_complete(source, paths, values, samples[_target(source)])


_LOADERS: Mapping[str, Callable[[Source, Paths], LabelledTable]] = {
    "table": _load_table,
    "mat": _load_table,
    "tcga-table": _load_tcga_table,
    "tcga-firehose": _load_firehose,
    "tcga-standin": _load_tcga_standin,
    "metabric": _load_metabric,
    "scanb": _load_scanb,
}

#: Loaders whose files hold the table itself; the others give all patients, to be sampled.
_WHOLE = {"table", "mat"}


def _path(source: Source, paths: Paths, role: str) -> Path:
    return paths[source.files_of(role)[0].name]


def _target(source: Source) -> str:
    if source.target is None:
        raise SourceError(f"loader {source.loader!r} needs a target")
    return source.target


def _filter(source: Source, paths: Paths, values: pd.DataFrame) -> pd.DataFrame:
    """Keep the listed genes, and the samples with a value for each."""
    return keep_genes(values, read_gene_list(_path(source, paths, "genes"))).dropna()


def _keep_complete(
    source: Source, paths: Paths, values: pd.DataFrame, labels: pd.Series
) -> LabelledTable:
    values = _filter(source, paths, values)
    return LabelledTable(values, labels.loc[values.index])


def _choose_patients(source: Source, codes: pd.Series, available: pd.Index) -> pd.Index:
    cohort = sample_cohort(codes)
    if source.loader == "tcga-standin":
        return replace_missing(cohort, codes, available)
    absent = cohort[~cohort.isin(available)]
    if len(absent):
        raise SourceError(
            f"{count_noun(len(absent), 'patient')} of the cohort without values "
            f"(the first is {absent[0]})"
        )
    return cohort


def _check_filled(column: pd.Series, what: str) -> None:
    missing = column.index[column.isna()]
    if len(missing):
        raise SourceError(
            f"{count_noun(len(missing), 'sample')} without a {what} (the first is {missing[0]}): "
            "fill it in or take the row out"
        )


def _numeric(values: pd.DataFrame) -> np.ndarray:
    try:
        matrix = values.to_numpy(dtype=np.float32)
    except (ValueError, TypeError):
        column = next(c for c in values if not pd.api.types.is_numeric_dtype(values[c]))
        raise SourceError(f"column {column!r} is not numeric") from None
    if np.isinf(matrix).any():
        infinite = int(np.isinf(matrix).sum())
        raise SourceError(f"{count_noun(infinite, 'value')} infinite or beyond float32")
    return matrix


def _check_usable(matrix: np.ndarray, y: np.ndarray, class_names: np.ndarray) -> None:
    """See that folds can be made of the table; ``check_folds`` knows how many are asked for."""
    if matrix.shape[1] < 2:
        raise SourceError(f"{count_noun(matrix.shape[1], 'feature')}, at least 2 are needed")
    if len(class_names) < 2:
        raise SourceError(f"{count_noun(len(class_names), 'class')}, at least 2 are needed")
    counts = np.bincount(y, minlength=len(class_names))
    if counts.min() < FEWEST:
        raise SourceError(
            f"class {class_names[counts.argmin()]} has {count_noun(int(counts.min()), 'sample')}, "
            f"at least {FEWEST} are needed"
        )
