"""What every reader gives: a table as it lies in its file, before anything is decided about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd


class FormatError(Exception):
    """A file cannot be read in a format; the message says why, without the file's name."""


@dataclass(frozen=True)
class ReadOptions:
    """What a reader may have to be told.

    Parameters
    ----------
    as_text
        Columns to keep as they are spelt: ids and labels, where ``01`` is not ``1``.
    all_text
        Keep every column so, in formats that are text.
    x, y
        Names of the variables with values and labels, in formats that hold several.
    layer
        Of an h5ad file, instead of ``X``.
    """

    as_text: frozenset[str] = frozenset()
    all_text: bool = False
    x: str | None = None
    y: str | None = None
    layer: str | None = None


@dataclass(frozen=True)
class RawTable:
    """A table as it lies in its file.

    Parameters
    ----------
    frame
        Rows and columns as in the file. The index holds row names, or is a plain ``RangeIndex``
        where the file has none.
    genes_in_rows
        What the format says of the orientation, None when it does not.
    samples
        What the file itself says of its samples, indexed by sample id.
    target
        The column of ``samples`` that the format defines as the label.
    details
        How it was read, for people: separator, encoding, variables, ...
    """

    frame: pd.DataFrame
    genes_in_rows: bool | None = None
    samples: pd.DataFrame | None = None
    target: str | None = None
    details: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_row_names(self) -> bool:
        """Whether the file names its rows."""
        return not isinstance(self.frame.index, pd.RangeIndex)


@dataclass(frozen=True)
class Content:
    """A file's bytes, unpacked.

    Parameters
    ----------
    path
        Of the file.
    name
        Without the ending of a compression.
    data
        Unpacked.
    packing
        ``gzip``, ``bzip2``, ``xz``, ``zip`` or "".
    """

    path: Path
    name: str
    data: bytes
    packing: str = ""

    @property
    def suffix(self) -> str:
        """The last ending, in lower case."""
        return Path(self.name).suffix.lower()


def name_rows(table: RawTable) -> pd.Index:
    """Return the names of the rows; ``row-1``, ``row-2``, ... where the file has none."""
    if table.has_row_names:
        return table.frame.index.map(str).rename(None)
    count = len(table.frame)
    return pd.Index([f"row-{i:0{len(str(count))}d}" for i in range(1, count + 1)])


def name_features(count: int) -> list[str]:
    """Return names for features of a file that has none."""
    return [f"feature-{j:0{len(str(count))}d}" for j in range(1, count + 1)]
