"""Reading members of tar archives, without ever unpacking them to disk."""

import io
import re
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from benchmark.datasets.problems import SourceError

_DAMAGE = (tarfile.TarError, EOFError, OSError, zlib.error)


@contextmanager
def open_member(archive: Path, patterns: Sequence[str]) -> Iterator[IO[str]]:
    """Open the first member whose file name matches a pattern, patterns tried in order.

    Releases name the same table differently, hence several patterns. An archive with a member
    that points outside of it is refused as a whole: whoever made it means harm.
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
