"""Fetching published files: mirrors, resumed downloads, digests."""

import errno
import gzip
import hashlib
import json
import os
import shutil
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import IO, TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from benchmark.datasets.cache import DataFolder
from benchmark.datasets.registry import Entry, SourceFile

if TYPE_CHECKING:
    import requests


def join_reasons(reasons: Iterable[str]) -> str:
    """Join reasons of the form ``where: what`` to one line, each ``what`` only once."""
    places: dict[str, list[str]] = {}
    for reason in reasons:
        where, colon, what = reason.partition(": ")
        places.setdefault(what if colon else where, []).append(where if colon else "")
    return "; ".join(
        f"{', '.join(dict.fromkeys(where))}: {what}" if any(where) else what
        for what, where in places.items()
    )


class FetchError(Exception):
    """No mirror gave the file.

    ``reasons`` holds one per mirror, of the form ``where: what``.
    """

    def __init__(self, *reasons: str) -> None:
        super().__init__(join_reasons(reasons))
        self.reasons = reasons


class DigestError(FetchError):
    """A file has other bytes than the registry says."""


class StorageError(Exception):
    """The data folder cannot take the file; no other mirror would help."""


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def git_blob_of(path: Path) -> str:
    """Return the id git gives to a file's content: sha1 of "blob", its size, and the bytes."""
    digest = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def verify(path: Path, file: SourceFile) -> None:
    """Compare a file with the digests that are known; sha256 is preferred to git's sha1."""
    if file.sha256:
        kind, expected, found = "sha256", file.sha256, sha256_of(path)
    elif file.git_blob:
        kind, expected, found = "git blob id", file.git_blob, git_blob_of(path)
    else:
        return
    if found != expected:
        raise DigestError(
            f"{file.name} has the wrong content: {kind} {found[:12]}…, expected {expected[:12]}…"
        )


#: Seconds to wait for a connection.
CONNECT_TIMEOUT = 8.0


class Reachability:
    """Why hosts cannot be reached; each is asked once.

    Parameters
    ----------
    expected
        Addresses that may be needed: their hosts are asked together with the first one, at the
        same time, so that a machine without network waits only once.
    timeout
        Seconds to wait for an answer.
    """

    def __init__(self, expected: Iterable[str] = (), timeout: float = CONNECT_TIMEOUT) -> None:
        self.timeout = timeout
        self._expected = tuple(expected)
        self._problems: dict[str, str | None] = {}

    def problem(self, url: str) -> str | None:
        """Return why the host of a web address cannot be reached, None if it can."""
        if host_of(url) not in self._problems:
            self._ask({host_of(u): u for u in (*self._expected, url) if is_web(u)})
        return self._problems[host_of(url)]

    def _ask(self, addresses: dict[str, str]) -> None:
        waiting = {h: url for h, url in addresses.items() if h not in self._problems}
        threads = [Thread(target=self._connect, args=i, daemon=True) for i in waiting.items()]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + self.timeout + 1
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        for host in waiting:
            # The search for a name has no time limit of its own; its thread is left behind.
            self._problems.setdefault(host, f"no answer in {self.timeout:.0f} s")

    def _connect(self, host: str, url: str) -> None:
        import requests

        problem = None
        try:
            requests.head(url, timeout=self.timeout)
        except requests.ReadTimeout:
            pass  # It is there, only slow.
        except requests.RequestException as error:
            problem = _explain(error)
        self._problems[host] = problem


def host_of(url: str) -> str:
    """Return the host of an address, for messages."""
    return urlsplit(url).hostname or url


def is_web(url: str) -> bool:
    """Return whether something is a web address and not a path."""
    return urlsplit(url).scheme in ("http", "https")


def addresses_of(entries: Iterable[Entry]) -> list[str]:
    """Return the web addresses of the files of these data sets."""
    files = (file for entry in entries for file in entry.files)
    return sorted({url for file in files for url in file.urls if is_web(url)})


#: Seconds without a byte after which a server is given up.
READ_TIMEOUT = 30.0

# Small, because what a cut connection had sent of a block is lost.
_BLOCK = 1 << 15

_ATTEMPTS = 10

_USER_AGENT = "wpfs-bench (data set downloader; python-requests)"

#: Called with file name, bytes so far and bytes in all (None: not known).
Report = Callable[[str, int, int | None], None]


@dataclass
class Fetcher:
    """Fetches files into a data folder.

    Parameters
    ----------
    folder
        Where files go.
    mirrors
        Folders or addresses to try first; the file's name is appended.
    report
        Called with the progress.
    reachability
        Hosts known not to answer are not asked again.
    read_timeout
        Seconds without a byte after which a server is given up.
    """

    folder: DataFolder
    mirrors: Sequence[str] = ()
    report: Report = lambda name, done, total: None
    reachability: Reachability = field(default_factory=Reachability)
    read_timeout: float = READ_TIMEOUT

    def fetch(self, file: SourceFile, force: bool = False) -> Path:
        """Return the path of the file in the raw folder, fetching it where needed.

        A file already there, perhaps placed by hand, is taken if its digest is right. Without a
        digest it is taken too, unless ``force`` is set or it is a copy of a file on this machine.
        """
        from filelock import FileLock

        path = self.folder.raw(file.name)
        self.folder.create(path.parent)
        with FileLock(self.folder.lock(file.name)):
            reasons: list[str] = []
            if path.exists() and (file.verifiable or not (force or file.stamp)):
                try:
                    _check(path, file)
                    return path
                except FetchError as error:
                    reasons.append(f"raw folder: {error}")
            for url in self.candidates(file):
                try:
                    self._fetch_from(url, file, path)
                    return path
                except FetchError as error:
                    reasons.append(str(error))
        raise FetchError(*reasons)

    def candidates(self, file: SourceFile) -> list[str]:
        """Return the places to look for a file, mirrors first."""
        own = [
            f"{mirror.rstrip('/')}/{quote(file.name)}"
            if is_web(mirror)
            else str(Path(mirror).expanduser() / file.name)
            for mirror in self.mirrors
        ]
        return [*own, *file.urls]

    def _fetch_from(self, url: str, file: SourceFile, path: Path) -> None:
        part = _Part(path.with_name(f"{path.name}.part"))
        try:
            if is_web(url):
                problem = self.reachability.problem(url)
                if problem:
                    raise FetchError(problem)
                try:
                    self._download(url, file, part)
                    _check(part.path, file)
                except DigestError:
                    if not part.resumed:
                        raise
                    # What another mirror or an older run had left may be at fault.
                    part.discard()
                    self._download(url, file, part)
                    _check(part.path, file)
            else:
                self._copy(url, file, part)
                _check(part.path, file)
            part.move_to(path)
        except FetchError as error:
            if isinstance(error, DigestError):
                part.discard()
            raise type(error)(f"{_name_place(url, file)}: {error}") from None
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise StorageError(f"the disk of {path.parent} is full") from None
            raise StorageError(f"cannot write to {path.parent} ({error})") from None

    def _copy(self, url: str, file: SourceFile, part: "_Part") -> None:
        source = Path(unquote(urlsplit(url).path)) if url.startswith("file://") else Path(url)
        try:
            stream = source.open("rb")
        except OSError as error:
            raise FetchError(f"{source}: {(error.strerror or str(error)).lower()}") from None
        part.discard()
        with stream:
            self._write(iter(lambda: stream.read(_BLOCK), b""), file, part, source.stat().st_size)

    def _download(self, url: str, file: SourceFile, part: "_Part") -> None:
        """Download into the part file, going on after a cut as long as bytes still come."""
        import requests

        with requests.Session() as session:
            for _ in range(_ATTEMPTS):
                before = part.size()
                try:
                    self._request(session, url, file, part)
                    return
                except requests.RequestException as error:
                    if part.size() <= before:
                        raise FetchError(_explain(error)) from None
                    cause = error
            raise FetchError(f"cut off {_ATTEMPTS} times ({_explain(cause)})")

    def _request(
        self, session: "requests.Session", url: str, file: SourceFile, part: "_Part"
    ) -> None:
        headers = {
            "Accept-Encoding": "identity",
            "User-Agent": _USER_AGENT,
            **part.range_headers(url, file.verifiable),
        }
        with session.get(
            url,
            headers=headers,
            stream=True,
            timeout=(self.reachability.timeout, self.read_timeout),
        ) as response:
            if response.status_code == 416 and "Range" in headers:
                part.discard()
                return self._request(session, url, file, part)
            if response.status_code not in (200, 206):
                raise FetchError(f"HTTP {response.status_code}")
            if response.headers.get("Content-Type", "").startswith("text/html"):
                raise FetchError("sent a web page instead of the file")
            start = f"bytes {part.size()}-"
            part.resumed = response.headers.get("Content-Range", "").startswith(start)
            if response.status_code == 206 and not part.resumed:
                raise FetchError("sent another piece than was asked for")
            if not part.resumed:
                part.discard()
            length = response.headers.get("Content-Length")
            total = part.size() + int(length) if length and length.isdigit() else None
            if total and total - part.size() > shutil.disk_usage(part.path.parent).free:
                raise OSError(errno.ENOSPC, "not enough room")
            part.remember(
                url, response.headers.get("ETag") or response.headers.get("Last-Modified")
            )
            self._write(response.iter_content(_BLOCK), file, part, total)
            return None

    def _write(
        self, blocks: Iterator[bytes], file: SourceFile, part: "_Part", total: int | None
    ) -> None:
        with part.open() as stream:
            done = part.size()
            self.report(file.name, done, total)
            for block in blocks:
                stream.write(block)
                done += len(block)
                self.report(file.name, done, total)


class _Part:
    """A file that is not whole yet, and a note of where its bytes came from."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.note = path.with_name(f"{path.name}.json")
        self.resumed = False

    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def open(self) -> IO[bytes]:
        return self.path.open("ab")

    def remember(self, url: str, validator: str | None) -> None:
        self.note.write_text(json.dumps({"url": url, "validator": validator}))

    def range_headers(self, url: str, verifiable: bool) -> dict[str, str]:
        """Ask for the rest only if it will be seen whether the pieces fit: by digest or ETag."""
        if not self.size():
            return {}
        headers = {"Range": f"bytes={self.size()}-"}
        try:
            note = json.loads(self.note.read_text())
        except (OSError, ValueError):
            note = {}
        if note.get("url") == url and note.get("validator"):
            return {**headers, "If-Range": note["validator"]}
        return headers if verifiable else {}

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)

    def move_to(self, path: Path) -> None:
        with self.path.open("rb") as stream:
            os.fsync(stream.fileno())
        self.path.replace(path)
        self.note.unlink(missing_ok=True)


def _name_place(url: str, file: SourceFile) -> str:
    if is_web(url):
        return host_of(url)
    return "local file" if url in file.urls else "mirror folder"


def _check(path: Path, file: SourceFile) -> None:
    """Verify the digest; where none is known, at least see that a gzip file is whole."""
    verify(path, file)
    if file.verifiable or not file.name.endswith(".gz"):
        return
    try:
        with gzip.open(path) as stream:
            while stream.read(1 << 20):
                pass
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DigestError(f"{file.name} is damaged ({error})") from None


def _explain(error: Exception) -> str:
    """Return in a few words what requests says in many."""
    import requests

    text = str(error)
    if isinstance(error, requests.exceptions.ProxyError):
        return "the proxy refused the connection"
    if isinstance(error, requests.exceptions.SSLError):
        return "its certificate is not accepted"
    if isinstance(error, requests.Timeout) or "timed out" in text:
        return "timed out"
    if "NameResolutionError" in text:
        return "name not resolved"
    if "Connection refused" in text:
        return "connection refused"
    if isinstance(error, requests.exceptions.ChunkedEncodingError) or "IncompleteRead" in text:
        return "connection cut"
    return "connection failed"
