"""Compiles a function to machine code once per machine; later processes load it from disk."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from numba import njit
from numba.core.caching import FunctionCache

#: Seconds to wait for another process; all kernels together take less.
_PATIENCE = 120.0

_locks: dict[Path, FileLock] = {}


def compiled(
    function: Callable[..., Any] | None = None, *, fastmath: bool | set[str] = False
) -> Any:
    """Compile a function with numba, without Python's global lock and its error checks.

    Parameters
    ----------
    function
        What to compile; a decorator is returned without it.
    fastmath
        Liberties with rounding, as numba takes them.
    """
    if function is None:
        return partial(compiled, fastmath=fastmath)
    options = {"nogil": True, "error_model": "numpy", "boundscheck": False, "fastmath": fastmath}
    dispatcher = njit(**options)(function)
    # What ``cache=True`` does, with a cache that waits for others.
    dispatcher._cache = SharedCache(function)
    return dispatcher


class SharedCache(FunctionCache):
    """Numba's cache on disk, of which one process at a time adds to a folder.

    Workers that start together would otherwise all compile the same.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code, None if this process is the one to make it."""
        found = super().load_overload(sig, target_context)
        if found is None and self._lock():
            found = super().load_overload(sig, target_context)
            if found is not None:
                self._unlock()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the machine code; the next process may go on."""
        try:
            super().save_overload(sig, data)
        finally:
            self._unlock()

    def _lock(self) -> bool:
        """Wait for the process that is compiling; return whether there is a lock to hold."""
        folder = Path(self.cache_path)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = _locks.setdefault(folder, FileLock(folder / ".compiling"))
            lock.acquire(timeout=_PATIENCE)
        except (OSError, Timeout):  # slower, and just as right
            return False
        return True

    def _unlock(self) -> None:
        if lock := _locks.get(Path(self.cache_path)):
            lock.release()
