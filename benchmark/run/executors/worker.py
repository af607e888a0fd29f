"""A worker process: does one job after another until its parent closes the connection.

This module is what a new process imports first. The variables of ``environment_of`` must be set
before it starts: numerical libraries read them when they are loaded.
"""

import faulthandler
import gc
import multiprocessing
import multiprocessing.connection
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

#: Libraries that start threads of their own, and the variable each obeys.
_THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)

_GIGABYTE = str(2**30)

#: New objects after which Python looks for garbage. Its libraries bring hundreds of thousands that
#: stay: looking through them at the usual 700 is a sixth of a worker's start.
_GARBAGE = 50_000

#: What a worker sends once it can take jobs.
READY = "ready"


@dataclass(frozen=True)
class WorkerOptions:
    """What holds for every job of a worker.

    Parameters
    ----------
    device
        Passed to methods that take one.
    threads
        Threads of a run.
    log
        File for whatever methods print; None leaves it where the parent prints.
    """

    device: str = "cpu"
    threads: int = 1
    log: Path | None = None


def environment_of(threads: int, cache: Path | None) -> dict[str, str]:
    """Return the variables a worker must be started with.

    Parameters
    ----------
    threads
        Threads of a run.
    cache
        Folder in which methods may keep embeddings.
    """
    variables = dict.fromkeys(_THREAD_VARIABLES, str(threads))
    # glibc gives memory back to the system and faults it in again at every training step
    # otherwise, which costs 15% of the time.
    variables |= {"MALLOC_MMAP_THRESHOLD_": _GIGABYTE, "MALLOC_TRIM_THRESHOLD_": _GIGABYTE}
    variables["PYTHONHASHSEED"] = "0"
    if cache is not None:
        variables["WPFS_BENCH_CACHE"] = str(cache)
    return variables


def serve(connection: Connection, options: WorkerOptions) -> None:
    """Do jobs until None comes or the parent is gone."""
    if options.log is not None:
        _redirect_output(options.log)
    gc.set_threshold(_GARBAGE)
    faulthandler.enable()
    _end_with_parent()

    from benchmark.run.execute import execute_job

    connection.send(READY)
    while True:
        try:
            job = connection.recv()
        except EOFError:
            return
        if job is None:
            return
        connection.send(execute_job(job, options.device, options.threads))


def _redirect_output(log: Path) -> None:
    """Send standard output and error, also those of compiled libraries, to a file."""
    log.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.close(file)


def _end_with_parent() -> None:
    """End this process when its parent is killed, even in the middle of a run."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, name="watch-parent", daemon=True).start()


@contextmanager
def changed_environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Let this process, and those it starts meanwhile, have these variables."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
