"""Work cut into chunks of rows, on as many threads as PyTorch may use.

What is computed for a chunk depends on the chunk alone, and what chunks gather is joined in their
order: so results depend neither on the number of threads nor on who did which chunk.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache, partial
from queue import SimpleQueue
from threading import Thread

import torch

from wpfs.kernels import CHUNK

#: Chunks a thread must have to do: with fewer, waking it and sharing the memory cost more.
_LEAST = 3

_reserved: ContextVar[int | None] = ContextVar("_reserved", default=None)


@dataclass(frozen=True, slots=True)
class Work:
    """Something to do for every row.

    Parameters
    ----------
    function
        Called with ``start`` and ``stop``, which are limits of chunks; must leave the GIL.
    rows
        How many there are.
    chunk
        Rows of a chunk.
    """

    function: Callable[[int, int], None]
    rows: int
    chunk: int = CHUNK

    @property
    def chunks(self) -> int:
        """How many there are."""
        return count_chunks(self.rows, self.chunk)


#: Work in stages: asked for the next, an iterator may count on the last one being done.
Stages = Iterator[Work]


def count_chunks(rows: int, chunk: int = CHUNK) -> int:
    """Return into how many chunks rows are cut."""
    return -(-rows // chunk)


@contextmanager
def reserved_threads() -> Iterator[None]:
    """Leave PyTorch's threads to ``finish`` inside a ``with`` block.

    After a loop of PyTorch's own, however short, its threads wait for the next one without
    sleeping, on the cores that ours need.
    """
    threads = torch.get_num_threads()
    token = _reserved.set(threads)
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        _reserved.reset(token)


def count_threads() -> int:
    """Return how many threads ``finish`` may use."""
    return _reserved.get() or torch.get_num_threads()


def finish(*staged: Stages) -> None:
    """Do all stages of all works; with several threads, works that are independent side by side."""
    threads = count_threads()
    if threads == 1:
        # One after the other: what a stage leaves in the cache is what the next one reads.
        for stages in staged:
            for work in stages:
                work.function(0, work.rows)
        return
    waiting = list(staged)
    while waiting:
        works = [next(stages, None) for stages in waiting]
        waiting = [stages for stages, work in zip(waiting, works, strict=True) if work]
        _do_together([work for work in works if work], threads)


def _do_together(works: list[Work], threads: int) -> None:
    total = sum(work.chunks for work in works)
    threads = min(threads, total // _LEAST)
    if threads <= 1:
        for work in works:
            work.function(0, work.rows)
        return
    shares = [partial(_do_share, works, part, threads) for part in range(threads)]
    _team(os.getpid(), count_threads()).do(shares)


def _do_share(works: list[Work], part: int, parts: int) -> None:
    """Do one part of each work: some take longer per row than others."""
    for position, work in enumerate(works):
        # Where parts are not equal, who has the larger one of this has the smaller of the next.
        place = part if position % 2 == 0 else parts - 1 - part
        first, last = (round(work.chunks * end / parts) for end in (place, place + 1))
        if first < last:
            work.function(first * work.chunk, min(last * work.chunk, work.rows))


class _Team:
    """Threads that wait for something to do, so that handing it over takes microseconds."""

    def __init__(self, helpers: int) -> None:
        self._tasks: SimpleQueue[tuple[Callable[[], None], SimpleQueue]] = SimpleQueue()
        for _ in range(helpers):
            Thread(target=self._serve, name="wpfs", daemon=True).start()

    def do(self, shares: Sequence[Callable[[], None]]) -> None:
        """Do the first share on this thread and the others beside it."""
        ends: SimpleQueue[BaseException | None] = SimpleQueue()
        for share in shares[1:]:
            self._tasks.put((share, ends))
        try:
            shares[0]()
        finally:
            errors = [ends.get() for _ in shares[1:]]
        for error in errors:
            if error is not None:
                raise error

    def _serve(self) -> None:
        torch.set_flush_denormal(True)  # as ``flushed_subnormals`` does on the other threads
        while True:
            share, ends = self._tasks.get()
            try:
                share()
            except BaseException as error:  # raised where the work came from
                ends.put(error)
            else:
                ends.put(None)


@lru_cache
def _team(process: int, threads: int) -> _Team:
    """Return the threads of this process; those of a parent did not come along when it forked."""
    return _Team(threads - 1)
