"""The frozen record that a data set is once loaded, and what can be made of it."""

import hashlib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmark.datasets.names import SIZE_MARK, TRANSFORMS
from benchmark.errors import UserError
from benchmark.text import count_noun


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table of samples and features with one class label per sample.

    Arrays are read-only.

    Parameters
    ----------
    name
        As on the command line; ``load(name)`` gives the record again for every data set that
        needs no file of the user's.
    X
        Raw values, float32, n × D. May hold NaN only when ``impute`` is set.
    y
        Class codes 0..C-1, int64, (n,).
    feature_names, sample_ids, class_names
        Strings, (D,), (n,), (C,).
    groups
        Group of each sample, (n,): samples of one group stay in the same fold. None: each
        sample is its own group.
    informative
        Sorted indices of the features that truly matter, where that is known.
    hyperparameters_of
        Name of the data set whose hyper-parameters in the paper apply.
    stand_in_for
        Name of the paper's data set that this one stands in for, None when it stands for itself.
    differences
        Sentences saying where this table differs from the paper's.
    impute
        None or ``"median"``: how the runner fills NaN, fitted on each training split.
    provenance
        Where the table came from: plain values only.
    """

    name: str
    X: NDArray[np.float32]
    y: NDArray[np.int64]
    feature_names: NDArray[np.str_]
    sample_ids: NDArray[np.str_]
    class_names: NDArray[np.str_]
    groups: NDArray[np.str_] | None = None
    informative: NDArray[np.int64] | None = None
    hyperparameters_of: str = ""
    stand_in_for: str | None = None
    differences: tuple[str, ...] = ()
    impute: str | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        set_field(self, "X", np.ascontiguousarray(self.X, dtype=np.float32))
        set_field(self, "y", np.ascontiguousarray(self.y, dtype=np.int64))
        texts = ("feature_names", "sample_ids", "class_names")
        for name in texts:
            set_field(self, name, np.asarray(getattr(self, name), dtype=np.str_))
        if self.groups is not None:
            set_field(self, "groups", np.asarray(self.groups, dtype=np.str_))
        if self.informative is not None:
            set_field(self, "informative", np.sort(np.asarray(self.informative, dtype=np.int64)))
        set_field(self, "hyperparameters_of", self.hyperparameters_of or self.name)
        self._check_shapes()
        for name in ("X", "y", *texts, "groups", "informative"):
            array = getattr(self, name)
            if array is not None and array.flags.writeable:
                # A copy, so that nobody who still holds the array can change it.
                array = array.copy()
                array.flags.writeable = False
                set_field(self, name, array)

    def _check_shapes(self) -> None:
        n_samples, n_features = self.X.shape
        lengths = {
            "y": (len(self.y), n_samples),
            "sample_ids": (len(self.sample_ids), n_samples),
            "feature_names": (len(self.feature_names), n_features),
        }
        if self.groups is not None:
            lengths["groups"] = (len(self.groups), n_samples)
        for name, (found, expected) in lengths.items():
            if found != expected:
                raise ValueError(
                    f"data set {self.name}: {name} has {found} entries, not {expected}"
                )
        if n_samples and not 0 <= self.y.min() <= self.y.max() < len(self.class_names):
            raise ValueError(f"data set {self.name}: a class code has no class name")

    @cached_property
    def checksum(self) -> str:
        """The sha256 of all that can change a result: values, labels, names, groups."""
        digest = hashlib.sha256()
        for array in (self.X.astype("<f4", copy=False), self.y.astype("<i8", copy=False)):
            digest.update(repr(array.shape).encode())
            digest.update(np.ascontiguousarray(array).data)
        names = [self.feature_names, self.sample_ids, self.class_names]
        if self.groups is not None:
            names.append(self.groups)
        for texts in names:
            digest.update("\x1f".join(texts.tolist()).encode())
            digest.update(b"\x1e")
        return digest.hexdigest()

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.X.shape[1])

    @property
    def class_counts(self) -> tuple[int, ...]:
        """Samples per class, in the order of ``class_names``."""
        return tuple(int(c) for c in np.bincount(self.y, minlength=len(self.class_names)))


#: More classes than this are counted instead of named.
_NAMED_CLASSES = 6


def describe_table(dataset: Dataset) -> str:
    """Return size, classes, and what is kept or filled.

    For example ``good: 60 samples × 20 features, classes no 35 / yes 25; 1 constant feature
    kept; 3 missing values filled per split``.
    """
    size = (
        f"{count_noun(dataset.n_samples, 'sample')} × {count_noun(dataset.n_features, 'feature')}"
    )
    parts = [f"{dataset.name}: {size}, {_describe_classes(dataset)}"]
    if dataset.groups is not None:
        parts.append(count_noun(len(np.unique(dataset.groups)), "group"))
    constant = count_constant(dataset.X)
    if constant:
        parts.append(f"{count_noun(constant, 'constant feature')} kept")
    missing = int(np.isnan(dataset.X).sum())
    if missing:
        parts.append(f"{count_noun(missing, 'missing value')} filled per split")
    return "; ".join(parts)


def count_constant(values: np.ndarray) -> int:
    """Return how many columns of ``values`` (n × D) have one value only, NaN aside."""
    lowest = np.fmin.reduce(values, axis=0)
    return int((lowest == np.fmax.reduce(values, axis=0)).sum())


def _describe_classes(dataset: Dataset) -> str:
    counts = dataset.class_counts
    if len(counts) > _NAMED_CLASSES:
        return f"{len(counts)} classes of {min(counts)} to {max(counts)} samples"
    pairs = zip(dataset.class_names, counts, strict=True)
    return "classes " + " / ".join(f"{name} {count}" for name, count in pairs)


_SEED = 42


def take_sample(dataset: Dataset, size: int) -> Dataset:
    """Return a stratified sample of ``size`` rows, in their order, always the same."""
    from sklearn.model_selection import train_test_split

    n_samples, n_classes = len(dataset.y), len(dataset.class_names)
    if not n_classes <= size <= n_samples - n_classes:
        raise UserError(
            f"data set {dataset.name}: a stratified sample has {n_classes} to "
            f"{n_samples - n_classes} of its {n_samples} samples, not {size}"
        )
    rows = np.sort(
        train_test_split(
            np.arange(n_samples), train_size=size, random_state=_SEED, stratify=dataset.y
        )[0]
    )
    return replace(
        dataset,
        name=f"{dataset.name}{SIZE_MARK}{size}",
        X=dataset.X[rows],
        y=dataset.y[rows],
        sample_ids=dataset.sample_ids[rows],
        groups=None if dataset.groups is None else dataset.groups[rows],
        differences=(
            *dataset.differences,
            f"A stratified sample of {size} of {n_samples} samples.",
        ),
        provenance={**dataset.provenance, "sample": size},
    )


IMPUTATIONS = ("median",)


def apply_transform(dataset: Dataset, transform: str | None) -> Dataset:
    """Return the transformed data set; its name says so, for its results are others.

    ``log2p1`` is log2(x + 1), for raw counts and unlogged RSEM values.
    """
    if transform is None:
        return dataset
    if transform not in TRANSFORMS:
        raise UserError(f"unknown transform {transform!r}, use {' or '.join(TRANSFORMS)}")
    if np.nanmin(dataset.X) < 0:
        raise UserError(
            f"data set {dataset.name}: log2p1 needs values of at least 0, the smallest is "
            f"{np.nanmin(dataset.X):g} (are they logged already?)"
        )
    return replace(
        dataset,
        name=f"{dataset.name}+{transform}",
        X=np.log2(dataset.X + np.float32(1)),
        differences=(*dataset.differences, f"Values are transformed ({transform})."),
        provenance={**dataset.provenance, "transform": transform},
    )


def check_imputation(impute: str | None) -> None:
    """Raise a ``UserError`` if the runner does not know the imputation."""
    if impute is not None and impute not in IMPUTATIONS:
        raise UserError(f"unknown imputation {impute!r}, use {' or '.join(IMPUTATIONS)}")


def take_medians(X: np.ndarray) -> NDArray[np.float64]:
    """Return the median of each feature (D,) of X (n, D); zero for one without any value."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.nan_to_num(np.nanmedian(X.astype(np.float64), axis=0))


def fill_gaps(X: np.ndarray, medians: NDArray[np.float64]) -> np.ndarray:
    """Return X (n, D) with each missing value replaced by its feature's median (D,)."""
    gaps = np.isnan(X)
    return np.where(gaps, medians.astype(X.dtype), X) if gaps.any() else X
