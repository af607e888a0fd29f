"""Telling whether a file is the right one."""

import hashlib
from pathlib import Path

from benchmark.datasets.problems import DigestError
from benchmark.datasets.registry import SourceFile


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
