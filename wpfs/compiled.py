"""Compiles a function to machine code once per machine; later processes load it from disk."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from numba import njit
from numba.core.caching import FunctionCache
from numba.core.dispatcher import Dispatcher

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
    if isinstance(dispatcher, Dispatcher):  # not with NUMBA_DISABLE_JIT=1
        _share(dispatcher, function)
    return dispatcher


def _share(dispatcher: Any, function: Callable[..., Any]) -> None:
    """Do what ``cache=True`` does, with a cache that waits for others."""
    try:
        cache = SharedCache(function)
    except RuntimeError:  # numba's, where it may write nowhere
        warnings.warn(
            "no folder to keep compiled code in, every process compiles it again: "
            "set NUMBA_CACHE_DIR to one",
            stacklevel=1,  # the same place for all functions: shown once
        )
        return
    compile_signature = dispatcher.compile

    @wraps(compile_signature)
    def compile_alone(signature: Any) -> Any:
        try:
            return compile_signature(signature)
        finally:  # also when it fails or is interrupted
            cache.unlock()

    dispatcher._cache, dispatcher.compile = cache, compile_alone


class SharedCache(FunctionCache):
    """Numba's cache on disk, of which one process at a time adds to a folder.

    Workers that start together would otherwise all compile the same. What cannot be read or
    written costs time, never a result.
    """

    _is_locked = False

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code, None if this process is the one to make it."""
        found = self._load(sig, target_context)
        if found is None and self._lock():
            found = self._load(sig, target_context)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the machine code."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            warnings.warn(f"cannot keep compiled code in {self.cache_path}: {error}", stacklevel=2)

    def unlock(self) -> None:
        """Let the next process go on, if this one holds it up."""
        if self._is_locked:
            self._is_locked = False
            _locks[Path(self.cache_path)].release()

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """Tell machine code with other constants apart: numba looks at one source file only."""
        names, values = self._py_func.__code__.co_names, self._py_func.__globals__
        constants = {name: values[name] for name in names if isinstance(values.get(name), int)}
        return (*super()._index_key(sig, codegen), repr(constants))

    def _load(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # a damaged pickle may raise anything
            warnings.warn(
                f"compiled code in {self.cache_path} is damaged ({error}): compiling it again",
                stacklevel=2,
            )
        try:
            self.flush()
        except OSError:  # nor can it be replaced
            self.disable()
        return None

    def _lock(self) -> bool:
        """Wait for the process that is compiling; return whether there is a lock to hold."""
        folder = Path(self.cache_path)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = _locks.setdefault(folder, FileLock(folder / ".compiling"))
            lock.acquire(timeout=_PATIENCE)
        except (OSError, Timeout):  # slower, and just as right
            return False
        self._is_locked = True
        return True
