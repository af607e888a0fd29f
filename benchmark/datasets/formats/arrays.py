"""MATLAB and numpy files: a matrix X, labels y, and perhaps names."""

import io
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from benchmark.datasets.formats.raw_table import (
    Content,
    FormatError,
    RawTable,
    ReadOptions,
    name_features,
)
from benchmark.text import list_some

#: Variables that name features and samples, where a file has them.
_FEATURE_NAMES = ("feature_names", "genes", "gene_names", "features", "names")
_SAMPLE_IDS = ("sample_ids", "samples", "sample_names", "ids")


def read_mat(content: Content, options: ReadOptions) -> RawTable:
    """Read a MATLAB file (version 4 to 7.2)."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    if content.data.startswith(b"MATLAB 7.3") or content.data.startswith(b"\x89HDF"):
        raise FormatError("it is a MATLAB 7.3 file, save it with -v7")
    try:
        variables = loadmat(io.BytesIO(content.data), chars_as_strings=True)
    except NotImplementedError:
        raise FormatError("it is a MATLAB 7.3 file, save it with -v7") from None
    except (MatReadError, OSError, TypeError, ValueError, zlib.error) as error:
        raise FormatError(f"damaged ({error})") from None
    return _make_table({k: v for k, v in variables.items() if not k.startswith("__")}, options)


def read_npz(content: Content, options: ReadOptions) -> RawTable:
    """Read a numpy archive; arrays of Python objects, which could run code, are refused."""
    try:
        with np.load(io.BytesIO(content.data), allow_pickle=False) as archive:
            variables = dict(archive)
    except (ValueError, OSError, zipfile.BadZipFile, zlib.error, EOFError) as error:
        reason = "it holds Python objects" if "pickle" in str(error) else f"damaged ({error})"
        raise FormatError(reason) from None
    return _make_table(variables, options)


def _make_table(variables: Mapping[str, Any], options: ReadOptions) -> RawTable:
    x_name = options.x or _find(variables, ("X", "x", "data"))
    if x_name is None or x_name not in variables:
        raise FormatError(
            f"no variable {options.x or 'X'}: say which one holds the values with --x "
            f"({_describe(variables)})"
        )
    y_name = options.y or _find(variables, ("Y", "y", "labels"))
    if options.y is not None and options.y not in variables:
        raise FormatError(f"no variable {options.y}: --y names one of {_describe(variables)}")
    values = variables[x_name]
    if hasattr(values, "toarray"):
        values = values.toarray()
    values = np.asarray(values)
    if values.ndim != 2 or values.dtype.kind not in "fiub":
        kind = "complex numbers" if values.dtype.kind == "c" else f"{values.dtype} values"
        raise FormatError(f"{x_name} must be a matrix of numbers, not {values.shape} {kind}")
    labels = None if y_name is None else _read_texts(variables[y_name])
    if labels is not None and len(labels) not in values.shape:
        raise FormatError(f"{x_name} is {values.shape}, but {y_name} has {len(labels)} labels")
    # One label per row in a square matrix too: that is how these files are published.
    transposed = labels is not None and len(labels) != values.shape[0]
    if transposed:
        values = values.T
    n_samples, n_features = values.shape
    features = _find_names(variables, _FEATURE_NAMES, n_features) or name_features(n_features)
    ids = _find_names(variables, _SAMPLE_IDS, n_samples)
    frame = pd.DataFrame(values, columns=features, index=ids)
    samples = None
    if labels is not None:
        samples = pd.DataFrame({str(y_name): labels}, index=frame.index)
    details = {"variables": _describe(variables)}
    if transposed:
        details["orientation"] = f"{x_name} has a column for each label: turned"
    return RawTable(frame, False, samples, None if labels is None else str(y_name), details)


def _find(variables: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((name for name in names if name in variables), None)


def _find_names(
    variables: Mapping[str, Any], names: tuple[str, ...], count: int
) -> list[str] | None:
    for name in names:
        if name in variables:
            found = _read_texts(variables[name])
            if len(found) == count:
                return [str(text).strip() for text in found]
    return None


def _read_texts(values: Any) -> list[Any]:
    """Return a vector's elements; MATLAB's cells are arrays in arrays."""
    flat = np.ravel(values)
    return [e.item() if isinstance(e, np.ndarray) and e.size == 1 else e for e in flat]


def _describe(variables: Mapping[str, Any]) -> str:
    return list_some(
        [f"{name} {'x'.join(map(str, np.shape(value)))}" for name, value in variables.items()], 8
    )
