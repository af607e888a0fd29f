"""R's .RData and .rds files: a list of x and y, a matrix, or a data frame.

Read with ``rdata``, which parses the format in Python and runs no R code.
"""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmark.datasets.formats.raw_table import (
    Content,
    FormatError,
    RawTable,
    ReadOptions,
)


def read_r(content: Content, options: ReadOptions) -> RawTable:
    """Read the one object of a file, the one it is named after, or those of ``x`` and ``y``."""
    objects = _read_objects(content.data)
    stem = Path(content.name).stem
    values = _choose(objects, options.x or (stem if stem in objects else None), "--x")
    labels = None if options.y is None else _choose(objects, options.y, "--y")
    if isinstance(values, Mapping):
        inside = {str(name): value for name, value in values.items()}
        if "x" not in inside:
            raise FormatError(f"a list without x: it has {', '.join(inside) or 'nothing'}")
        labels = inside.get("y") if labels is None else labels
        values = inside["x"]
    details = {"objects": ", ".join(objects)}
    frame = _to_frame(values)
    if labels is None:
        return RawTable(frame, details=details)
    texts = [None if pd.isna(label) else label for label in np.ravel(np.asarray(labels))]
    if len(texts) not in frame.shape:
        raise FormatError(f"x is {frame.shape}, but y has {len(texts)} labels")
    genes_in_rows = len(texts) != len(frame)
    ids = frame.columns if genes_in_rows else frame.index
    samples = pd.DataFrame({"y": pd.Series(texts, index=ids, dtype=object)})
    return RawTable(frame, genes_in_rows, samples, "y", details)


def _read_objects(data: bytes) -> dict[str, Any]:
    import rdata

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of classes it has no converter for
            parsed = rdata.parser.parse_data(data)
            objects = rdata.conversion.convert(parsed)
    except Exception as error:  # the parser fails in as many ways as a file can be broken
        raise FormatError(f"damaged ({type(error).__name__}: {str(error)[:100]})") from None
    if isinstance(objects, Mapping) and data[:4] in (b"RDX2", b"RDX3", b"RDA2", b"RDA3"):
        return {str(name): value for name, value in objects.items()}
    return {"object": objects}


def _choose(objects: Mapping[str, Any], name: str | None, option: str) -> Any:
    if name is None and len(objects) == 1:
        return next(iter(objects.values()))
    if name is None or name not in objects:
        wrong = "several objects" if name is None else f"no object {name!r}"
        raise FormatError(f"{wrong}: choose one of {', '.join(objects)} with {option}")
    return objects[name]


def _to_frame(values: Any) -> pd.DataFrame:
    if isinstance(values, pd.DataFrame):
        frame = values.set_axis(values.columns.map(str), axis=1)
        # R numbers rows without names from 1, Python's writers from 0.
        names = [str(name) for name in frame.index]
        if any(names == [str(i + start) for i in range(len(frame))] for start in (0, 1)):
            return frame.reset_index(drop=True)
        return frame.set_axis(frame.index.map(str), axis=0)
    if not hasattr(values, "shape") or len(values.shape) != 2:
        raise FormatError(
            f"neither a matrix, a data frame nor a list of x and y, but {type(values).__name__}"
        )
    axes: list[list[str] | None] = [None, None]
    for axis, dimension in enumerate(getattr(values, "dims", ())):
        if dimension in values.coords:
            axes[axis] = [str(name) for name in values.coords[dimension].to_numpy()]
    matrix = np.asarray(values)
    if matrix.dtype.kind not in "fiub":
        raise FormatError(f"a matrix of {matrix.dtype} values, not of numbers")
    rows, columns = axes
    return pd.DataFrame(matrix, index=rows, columns=columns or _name_as_r(matrix.shape[1]))


def _name_as_r(count: int) -> list[str]:
    """Return the names that R gives to columns without any."""
    return [f"V{j}" for j in range(1, count + 1)]
