"""Reading published files into data frames: delimited text, Parquet, MATLAB, R, archives."""

import gzip
import io
import re
import tarfile
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

import numpy as np
import pandas as pd

from benchmark.datasets.derive.loaders import SourceError

_DAMAGE = (tarfile.TarError, EOFError, OSError, zlib.error)


@contextmanager
def open_member(archive: Path, patterns: Sequence[str]) -> Iterator[IO[str]]:
    """Open the first member whose file name matches a pattern, patterns tried in order.

    Releases name the same table differently, hence several patterns. An archive with a member
    that points outside of it is refused as a whole, as it may be an attack.
    """
    try:
        with tarfile.open(archive) as tar:
            members = [member for member in tar.getmembers() if _check_inside(member, archive)]
            stream = tar.extractfile(_choose(members, patterns, archive))
            if stream is None:
                raise SourceError(f"{archive.name}: the member is not a regular file")
            with io.TextIOWrapper(stream, encoding="utf-8", errors="replace", newline=None) as text:
                yield text
    except _DAMAGE as error:
        raise SourceError(f"{archive.name} is damaged ({error})") from error


def _check_inside(member: tarfile.TarInfo, archive: Path) -> bool:
    for name in (member.name, member.linkname):
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts:
            raise SourceError(f"{archive.name} is unsafe: its member {name!r} points outside")
    return member.isfile()


def _choose(
    members: Sequence[tarfile.TarInfo], patterns: Sequence[str], archive: Path
) -> tarfile.TarInfo:
    for pattern in patterns:
        for member in members:
            if re.fullmatch(pattern, PurePosixPath(member.name).name):
                return member
    raise SourceError(f"{archive.name} has no member named like {' or '.join(patterns)}")


_SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t", ".tab": "\t"}


#: These hold features and labels apart; the labels become the last column.
LABELLED = (".mat", ".rdata")

FORMATS = ".csv, .tsv, .txt (each also .gz), .parquet, .mat, .RData"


def read_samples(path: Path, called: str | None = None) -> pd.DataFrame:
    """Read a file as a frame with one row per sample and the target among the columns.

    ``called`` is what messages call the file, by default its name without the folder.
    """
    called = called or path.name
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    try:
        if suffix in _SEPARATORS:
            return _read_text(path, _SEPARATORS[suffix], called)
        if suffix == ".parquet":
            return _read_parquet(path)
        if suffix == ".mat":
            return _read_mat(path, called)
        if suffix == ".rdata":
            return _read_r_list(path, called)
    except pd.errors.EmptyDataError:
        raise SourceError(f"{called}: the file is empty") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise SourceError(f"{called} is damaged ({error})") from None
    except ValueError as error:
        raise SourceError(
            f"{called} cannot be read as {suffix[1:]} ({_explain(error, path)})"
        ) from None
    raise SourceError(f"{called} has an unknown format, use one of {FORMATS}")


def _explain(error: ValueError, path: Path) -> str:
    """Return the first line of a reason without the path, which Arrow repeats."""
    lines = str(error).replace(f" '{path}'", "").strip().splitlines()
    return lines[0] if lines else "no reason given"


def _read_text(path: Path, separator: str, called: str) -> pd.DataFrame:
    # Read apart: pandas calls the second of two columns g0 tacitly g0.1.
    header = pd.read_csv(
        path,
        sep=separator,
        header=None,
        nrows=1,
        dtype=str,
        keep_default_na=False,
        encoding="utf-8-sig",
    ).iloc[0]
    repeated = header[header.duplicated() & (header != "")]
    if len(repeated):
        raise SourceError(f"{called}: column {repeated.iloc[0]!r} occurs twice, rename one")
    frame = pd.read_csv(path, sep=separator, low_memory=False, encoding="utf-8-sig")
    if not isinstance(frame.index, pd.RangeIndex):
        # R's write.table gives the column of row names no head.
        more = frame.index.nlevels
        if more > 1 or frame.iloc[:, -1].isna().all():
            raise SourceError(
                f"{called}: rows have {len(header) + more} fields, the header has {len(header)}"
            )
    return _name_index(frame)


def _read_parquet(path: Path) -> pd.DataFrame:
    return _name_index(pd.read_parquet(path))


def _name_index(frame: pd.DataFrame) -> pd.DataFrame:
    """Turn row names into a first column, without a name unless they have one."""
    if isinstance(frame.index, pd.RangeIndex):
        return frame
    return frame.reset_index(names=frame.index.name or "Unnamed: 0")


def _read_mat(path: Path, called: str) -> pd.DataFrame:
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        variables = loadmat(path)
    except NotImplementedError:
        raise SourceError(f"{called} is a MATLAB 7.3 file, save it with -v7") from None
    except (MatReadError, OSError, TypeError) as error:
        raise SourceError(f"{called} is damaged ({error})") from None
    missing = [name for name in ("X", "Y") if name not in variables]
    if missing:
        raise SourceError(f"{called} has no variable {' and no '.join(missing)}")
    values, labels = variables["X"], np.ravel(variables["Y"])
    if values.ndim != 2 or len(values) != len(labels):
        raise SourceError(f"{called}: X is {values.shape}, but Y has {len(labels)} labels")
    width = len(str(values.shape[1]))
    frame = pd.DataFrame(
        values, columns=[f"feature-{j:0{width}d}" for j in range(1, values.shape[1] + 1)]
    )
    frame["Y"] = [label.item() if isinstance(label, np.ndarray) else label for label in labels]
    return frame


def _read_r_list(path: Path, called: str) -> pd.DataFrame:
    """Read an R list of a matrix ``x`` (samples × features) and a factor ``y``, put last."""
    content = read_r_object(path, called)
    if not isinstance(content, dict) or not {"x", "y"} <= content.keys():
        raise SourceError(f"{called} has no R list of x and y")
    frame, labels = _make_frame(content["x"], f"{called}: x"), list(content["y"])
    if len(frame) != len(labels):
        raise SourceError(f"{called}: x has {len(frame)} rows, but y has {len(labels)} labels")
    frame["y"] = labels
    return _name_index(frame)


def read_r_frame(path: Path) -> pd.DataFrame:
    """Read a matrix or data frame of R; rows and columns keep their names."""
    return _make_frame(read_r_object(path, path.name), path.name)


def read_r_object(path: Path, called: str) -> Any:
    """Return the object that an R workspace file is named after, else the only one in it."""
    import rdata

    try:
        with warnings.catch_warnings(action="ignore"):  # what it cannot read is an error below
            objects = rdata.read_rda(path, default_encoding="utf-8")
    except (ValueError, NotImplementedError, LookupError, EOFError, OSError) as error:
        raise SourceError(f"{called} cannot be read as an R file ({error})") from None
    if path.stem in objects:
        return objects[path.stem]
    if len(objects) != 1:
        raise SourceError(f"{called} holds {len(objects)} objects, none called {path.stem!r}")
    return next(iter(objects.values()))


def _make_frame(content: Any, called: str) -> pd.DataFrame:
    """Turn a matrix of R into a frame; columns without names are V1, V2, ..., as R calls them."""
    if isinstance(content, np.ndarray) and content.ndim == 2:
        frame = pd.DataFrame(content)
    elif isinstance(content, pd.DataFrame):
        frame = content
    elif getattr(content, "ndim", 0) == 2:
        frame = content.to_pandas()
    else:
        raise SourceError(f"{called} is not a matrix or data frame")
    if isinstance(frame.columns, pd.RangeIndex):
        frame.columns = [f"V{j}" for j in range(1, frame.shape[1] + 1)]
    if pd.api.types.is_integer_dtype(frame.index):  # R's own numbers for rows without names
        frame = frame.reset_index(drop=True)
    return frame.rename_axis(index=None, columns=None)


def take_ids(frame: pd.DataFrame, id_column: str | None) -> pd.DataFrame:
    """Make the sample ids the index: the column asked for, else a first column without name.

    Without either, samples are called ``row-1``, ``row-2``, ...
    """
    if id_column is None and str(frame.columns[0]).startswith("Unnamed: 0"):
        id_column = str(frame.columns[0])
    if id_column is not None:
        if id_column not in frame.columns:
            raise SourceError(f"there is no column {id_column!r} with the sample ids")
        ids = frame[id_column].astype(str)
        return frame.drop(columns=id_column).set_index(pd.Index(ids, name=None))
    width = len(str(len(frame)))
    return frame.set_index(pd.Index([f"row-{i:0{width}d}" for i in range(1, len(frame) + 1)]))
