"""Measures what the suite itself costs: per run, and per look at a large store."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmark.datasets.loading import DataSource
from benchmark.plan.jobs import Request, make_jobs
from benchmark.plan.key import RunKey
from benchmark.results.store import Store, read_frame
from benchmark.run.devices import plan_slots
from benchmark.run.executors.events import Finished
from benchmark.run.executors.local import LocalExecutor

_NO_OP = f"{Path(__file__).with_name('noop.py')}:NoOpClassifier"

_TINY = "synthetic:samples=60,features=20,informative=2"


def measure_runs(n_runs: int = 1000, jobs: int = 1) -> dict[str, Any]:
    """Time no-op runs from the end of the first to the end of the last.

    Parameters
    ----------
    n_runs
        Number of runs.
    jobs
        Worker processes.

    Returns
    -------
    dict
        ``runs``, ``jobs``, ``ms_per_run`` and its part ``store_ms_per_run``.
    """
    request = Request(
        methods=[_NO_OP], sources=[DataSource(_TINY)], repeats=-(-n_runs // 5), folds=5
    )
    todo = make_jobs(request)[:n_runs]
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        store.prepare()
        ends: list[float] = []
        writing = 0.0
        with LocalExecutor(plan_slots([], jobs)) as executor:
            for event in executor.run(todo):
                if not isinstance(event, Finished):
                    continue
                if event.outcome.status != "ok":
                    raise RuntimeError(f"a no-op run failed: {event.outcome.record['error']}")
                begin = time.perf_counter()
                store.write(event.job.key, event.outcome.record, event.outcome.arrays)
                ends.append(time.perf_counter())
                writing += ends[-1] - begin
    return {
        "runs": n_runs,
        "jobs": jobs,
        "ms_per_run": 1000 * (ends[-1] - ends[0]) / (len(ends) - 1),
        "store_ms_per_run": 1000 * writing / len(ends),
    }


def measure_reading(n_records: int = 10_000, attempts: int = 3) -> dict[str, Any]:
    """Time ``wpfs-bench status``, ``report`` and ``read_frame`` over a made-up store.

    Returns
    -------
    dict
        ``records``, ``status_seconds`` and ``report_seconds`` (whole processes),
        ``read_frame_seconds``: medians over the attempts.
    """
    with tempfile.TemporaryDirectory() as folder:
        fill_store(Path(folder), n_records)
        whole = {
            name: median(_time_command(name, "--results", folder) for _ in range(attempts))
            for name in ("status", "report")
        }
        reading = []
        for _ in range(attempts):
            begin = time.perf_counter()
            read_frame(folder)
            reading.append(time.perf_counter() - begin)
    return {
        "records": n_records,
        "status_seconds": whole["status"],
        "report_seconds": whole["report"],
        "read_frame_seconds": median(reading),
    }


def fill_store(folder: Path, n_records: int) -> None:
    """Write made-up records of 25 runs for as many methods as it takes, for measuring only."""
    from benchmark.plan.jobs import Job
    from benchmark.run.execute import execute_job

    job = make_jobs(Request(methods=[_NO_OP], sources=[DataSource(_TINY)], repeats=1))[0]
    record = execute_job(Job(job.key, job.method, job.source, job.description)).record
    store = Store(folder)
    for number in range(n_records):
        cell, run = divmod(number, 25)
        key = RunKey(
            dataset=f"data-{cell % 9}",
            dataset_checksum=job.key.dataset_checksum,
            model=f"model-{cell // 9}",
            method_version=1,
            settings="{}",
            repeat=run // 5,
            fold=run % 5,
        )
        store.write(key, record, None)


def _time_command(*arguments: str) -> float:
    command = [sys.executable, "-m", "benchmark.cli", *arguments]
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin
