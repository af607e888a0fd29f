"""Reading published files: tables in any format, and members of archives."""

import io
import re
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

import pandas as pd

from benchmark.datasets.derive.loaders import LabelledTable, SourceError
from benchmark.datasets.formats.raw_table import FormatError, RawTable, name_rows
from benchmark.datasets.formats.read import read_file

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


def read_labelled(
    path: Path, target: str | None = None, id_column: str | None = None, groups: str | None = None
) -> LabelledTable:
    """Read a published table; its label is the target, else the format's own or the last column."""
    raw = read_raw(path)
    frame = take_ids(raw, id_column)
    facts = None if raw.samples is None else raw.samples.set_axis(frame.index, axis=0)
    if facts is not None and target in (None, *facts.columns):
        labels = facts[target or raw.target]
    else:
        labels = _pop(frame, target or str(frame.columns[-1]), path)
    group_of = None if groups is None else _pop(frame, groups, path)
    return LabelledTable(frame, labels, group_of)


def read_raw(path: Path) -> RawTable:
    """Read a file in any format of ``benchmark.datasets.formats``."""
    try:
        return read_file(path)
    except FormatError as error:
        raise SourceError(f"{path.name}: {error}") from None


def take_ids(raw: RawTable, id_column: str | None = None) -> pd.DataFrame:
    """Make the sample ids the index: the column asked for, else row names.

    Without either, samples are called ``row-1``, ``row-2``, ...
    """
    if id_column is not None:
        frame = raw.frame.copy(deep=False)
        ids = _pop(frame, id_column, "the table")
        return frame.set_axis(pd.Index(ids.astype(str), name=None), axis=0)
    return raw.frame.set_axis(name_rows(raw), axis=0)


def _pop(frame: pd.DataFrame, column: str, where: Path | str) -> pd.Series:
    if column not in frame.columns:
        name = where.name if isinstance(where, Path) else where
        raise SourceError(f"{name} has no column {column!r}")
    return frame.pop(column)
