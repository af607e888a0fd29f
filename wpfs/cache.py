"""A folder of arrays named by a digest of what they were computed from."""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

#: Environment variable with the cache folder; without it nothing is kept.
CACHE_VARIABLE = "WPFS_BENCH_CACHE"


def load_or_compute(
    compute: Callable[[], npt.NDArray[np.float32]], content: npt.NDArray, *parameters: object
) -> npt.NDArray[np.float32]:
    """Return ``compute()``, from the cache folder when it is there already.

    Parameters
    ----------
    compute
        A pure function of ``content`` and ``parameters``.
    content
        The data it reads.
    parameters
        Everything else its result depends on.
    """
    folder = os.environ.get(CACHE_VARIABLE)
    if not folder:
        return compute()
    digest = hashlib.sha256(repr((content.shape, content.dtype.str, *parameters)).encode())
    digest.update(np.ascontiguousarray(content).data)
    path = Path(folder) / f"{digest.hexdigest()[:40]}.npy"
    kept = _load(path)
    if kept is not None:
        return kept
    result = compute()
    try:
        _save(result, path)
    except OSError as error:
        warnings.warn(f"cannot keep {path}: {error.strerror or error}", stacklevel=2)
    return result


def _load(path: Path) -> npt.NDArray[np.float32] | None:
    """Return what is kept, None if there is nothing or the file is damaged."""
    try:
        return np.load(path)
    except FileNotFoundError:
        return None
    except (EOFError, ValueError, OSError) as error:
        warnings.warn(f"{path} is damaged ({error}): computing it again", stacklevel=3)
        return None


def _save(array: npt.NDArray, path: Path) -> None:
    """Write under a temporary name and rename, so that a reader never sees half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            np.save(stream, array)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
