"""Runs jobs in worker processes that persist, and are replaced when one dies or is stopped."""

import multiprocessing
import multiprocessing.connection
import signal
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from benchmark.errors import UserError
from benchmark.run.devices import Slot
from benchmark.run.executors.events import Finished, Limits, RunningJob, Started
from benchmark.run.executors.worker import (
    READY,
    WorkerOptions,
    changed_environment,
    environment_of,
    serve,
)

if TYPE_CHECKING:
    from benchmark.plan.jobs import Job

#: Seconds without a message after which the limits are looked at all the same.
_TICK = 1.0

#: The same under a memory limit: memory grows by gigabytes per second.
_MEMORY_TICK = 0.2

#: Workers that may die before they are ready, one after the other, before the session gives up.
_START_ATTEMPTS = 3


@dataclass
class _Worker:
    slot: Slot
    process: SpawnProcess
    connection: Connection
    ready: bool = False
    running: RunningJob | None = None


class LocalExecutor:
    """A pool of worker processes on this machine.

    Use as a context: leaving it ends all workers at once.

    Parameters
    ----------
    slots
        One worker each.
    threads
        Threads of a run.
    limits
        What a run may use.
    cache
        Folder in which methods may keep embeddings.
    logs
        Folder for what workers print; None leaves it on the terminal.
    """

    def __init__(
        self,
        slots: Sequence[Slot],
        threads: int = 1,
        limits: Limits | None = None,
        cache: Path | None = None,
        logs: Path | None = None,
    ) -> None:
        self._slots = list(slots)
        self._threads = threads
        self._limits = limits or Limits()
        self._cache = cache
        self._logs = logs
        self._workers: dict[int, _Worker] = {}
        self._failed_starts = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in list(self._workers.values()):
            self._remove(worker)

    @property
    def n_places(self) -> int:
        """How many jobs run side by side."""
        return len(self._slots)

    def warm_up(self) -> None:
        """Start a worker and wait until it can take a job."""
        self._fill_slots(1)
        while not any(worker.ready for worker in self._workers.values()):
            for worker in self._wait():
                self._receive(worker)
            self._fill_slots(1)

    def run(self, jobs: Iterable["Job"]) -> Iterator[Started | Finished]:
        """Do the jobs, yielding an event whenever one starts or ends."""
        pending = deque(jobs)
        while pending or any(worker.running for worker in self._workers.values()):
            self._fill_slots(len(pending))
            for worker in list(self._workers.values()):
                if (
                    pending
                    and worker.ready
                    and worker.running is None
                    and self._send(worker, pending[0])
                ):
                    yield Started(pending.popleft(), worker.slot)
            for worker in self._wait():
                event = self._receive(worker)
                if event is not None:
                    yield event
            yield from self._enforce_limits()

    def _fill_slots(self, wanted: int) -> None:
        idle = sum(worker.running is None for worker in self._workers.values())
        for slot in self._slots:
            if idle >= wanted:
                return
            if slot.index not in self._workers:
                self._workers[slot.index] = self._start(slot)
                idle += 1

    def _start(self, slot: Slot) -> _Worker:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        log = None if self._logs is None else self._logs / f"worker-{slot.index}.log"
        process = context.Process(
            target=serve,
            args=(theirs, WorkerOptions(slot.device, self._threads, log)),
            name=f"wpfs-bench-worker-{slot.index}",
            daemon=False,
        )
        variables = {**environment_of(self._threads, self._cache), **slot.environment}
        with changed_environment(variables), _interrupts_held():
            process.start()
        theirs.close()
        return _Worker(slot, process, ours)

    def _send(self, worker: _Worker, job: "Job") -> bool:
        """Send a job to a worker; return whether it was alive to take it."""
        try:
            worker.connection.send(job)
        except OSError:  # it died while idle: no run is lost
            self._remove(worker)
            return False
        worker.running = RunningJob(job, worker.slot, self._threads)
        return True

    def _wait(self) -> list[_Worker]:
        """Return the workers that sent a message or died."""
        tick = _TICK if self._limits.memory_mb is None else _MEMORY_TICK
        if self._limits.seconds is not None:
            now = time.monotonic()
            running = [w.running for w in self._workers.values() if w.running]
            ends = [job.begin + self._limits.seconds for job in running]
            tick = max(0.0, min([tick, *(end - now for end in ends)]))
        by_handle: dict[Any, _Worker] = {}
        for worker in self._workers.values():
            by_handle[worker.connection] = worker
            by_handle[worker.process.sentinel] = worker
        ready = multiprocessing.connection.wait(list(by_handle), timeout=tick)
        return list({id(w): w for w in (by_handle[handle] for handle in ready)}.values())

    def _receive(self, worker: _Worker) -> Finished | None:
        """Read a worker's message; return the event if it ends a job."""
        try:
            if not worker.connection.poll():
                raise EOFError
            message = worker.connection.recv()
        except (EOFError, OSError):
            return self._handle_death(worker)
        if message == READY:
            worker.ready = True
            self._failed_starts = 0
            return None
        assert worker.running is not None
        event = worker.running.finish(message)
        worker.running = None
        if message.spoils_process:
            self._remove(worker)
        return event

    def _handle_death(self, worker: _Worker) -> Finished | None:
        """Remove a worker that died; return the failure of the job it was doing, if any."""
        worker.process.join(timeout=5)
        code = worker.process.exitcode
        event = None
        if worker.running is not None:
            event = worker.running.fail(describe_exit(code))
        elif not worker.ready:
            self._failed_starts += 1
        self._remove(worker)
        if self._failed_starts >= _START_ATTEMPTS:
            where = f": see {self._logs}" if self._logs else ""
            raise UserError(f"workers cannot start ({describe_exit(code)}){where}")
        return event

    def _enforce_limits(self) -> Iterator[Finished]:
        """End workers past the time or memory limit."""
        for worker in list(self._workers.values()):
            event = self._find_excess(worker)
            # A result that arrived meanwhile counts.
            if event is None or worker.connection.poll():
                continue
            self._remove(worker)
            yield event

    def _find_excess(self, worker: _Worker) -> Finished | None:
        """Return the failure of a job that takes more than it may, if it does."""
        running, limits = worker.running, self._limits
        if running is None:
            return None
        if limits.seconds is not None and running.seconds >= limits.seconds:
            return running.time_out(limits.seconds)
        if limits.memory_mb is not None:
            used = _resident_mb(worker.process.pid)
            if used > limits.memory_mb:
                return running.fail(
                    f"used {used:,.0f} MB of memory, more than the "
                    f"{limits.memory_mb:,.0f} MB of --memory-limit"
                )
        return None

    def _remove(self, worker: _Worker) -> None:
        del self._workers[worker.slot.index]
        _kill_tree(worker.process)
        worker.connection.close()


def describe_exit(code: int | None) -> str:
    """Return how a process ended, in words."""
    if code is None:
        return "the worker stopped answering"
    if code >= 0:
        return f"the worker exited with code {code}"
    name = signal.Signals(-code).name
    if name == "SIGKILL":
        return "the worker was killed (SIGKILL), probably out of memory"
    return f"the worker crashed ({name})"


def _resident_mb(pid: int | None) -> float:
    import psutil

    try:
        process = psutil.Process(pid)
        family = [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0.0
    total = 0
    for member in family:
        with suppress(psutil.NoSuchProcess):
            total += member.memory_info().rss
    return total / 2**20


def _kill_tree(process: SpawnProcess) -> None:
    """End a process and whatever it started, now."""
    import psutil

    try:
        children = psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        children = []
    process.kill()
    for child in children:
        with suppress(psutil.NoSuchProcess):
            child.kill()
    process.join()
    process.close()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Start children that never see Ctrl-C, without missing one ourselves.

    A process inherits which signals are blocked; ours is delivered as soon as it is unblocked.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
