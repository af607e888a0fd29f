"""From a source's labelled table to the data set that the registry describes."""

from dataclasses import replace

import numpy as np
import pandas as pd

from benchmark.datasets.dataset import Dataset
from benchmark.datasets.derive.cohort import (
    encode_classes,
    map_labels,
    replace_missing,
    sample_cohort,
)
from benchmark.datasets.derive.loaders import LOADERS, Paths, SourceError
from benchmark.datasets.labels import spell_labels
from benchmark.datasets.registry import Entry, Expected, Source
from benchmark.datasets.splits import FEWEST
from benchmark.text import count_noun


def build_dataset(entry: Entry, source: Source, paths: Paths) -> Dataset:
    """Make the table of a data set from the files of one of its sources.

    Parameters
    ----------
    entry, source
        As the registry describes them.
    paths
        File name -> where it is.
    """
    loader = LOADERS[source.loader]
    table = loader.read(source, paths)
    labels = spell_labels(table.labels)
    if loader.rows == "all" and not source.drop_unlisted:
        _check_filled(labels, "label")
    names = map_labels(labels, source.labels, source.drop_unlisted)
    y, class_names = encode_classes(names, entry.classes)
    if loader.rows != "all":
        # By code, as the authors: what the classes are called does not decide who is drawn.
        codes = pd.Series(y, index=names.index)
        chosen = _choose_patients(codes, table.features.index, loader.rows == "replaced")
        names = names.loc[chosen]
        y = codes.loc[chosen].to_numpy()
    values = table.features.loc[names.index]
    groups = None
    if table.groups is not None:
        spelt = spell_labels(table.groups.loc[names.index])
        _check_filled(spelt, "group")
        groups = spelt.to_numpy(dtype=np.str_)
    matrix = _numeric(values)
    _check_usable(matrix, y, class_names)
    differences = [*entry.differences, *source.differences]
    dataset = Dataset(
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
    if entry.expected is None:
        return dataset
    return replace(dataset, differences=(*differences, *_find_differences(dataset, entry.expected)))


def _find_differences(dataset: Dataset, expected: Expected) -> list[str]:
    """Return a sentence for each number that is not as expected."""
    found = (
        ("sample", dataset.n_samples, expected.samples),
        ("feature", dataset.n_features, expected.features),
    )
    sentences = [
        f"It has {count_noun(have, noun)}, not {want}."
        for noun, have, want in found
        if have != want
    ]
    classes = zip(dataset.class_names, dataset.class_counts, expected.counts, strict=True)
    return sentences + [
        f"Class {name} has {count_noun(have, 'sample')}, not {want}."
        for name, have, want in classes
        if have != want
    ]


def _choose_patients(codes: pd.Series, available: pd.Index, fill: bool) -> pd.Index:
    cohort = sample_cohort(codes)
    if fill:
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
