"""Kills at random moments: nothing that was finished is lost, nothing is there twice."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from benchmark.plan.jobs import Job
from benchmark.results.reading import read_results
from benchmark.run.execute import execute_job
from benchmark.run.metrics import SCORE_COLUMNS

TINY = "synthetic:samples=60,features=30,informative=3"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals"),
]


@pytest.fixture
def start(methods_file: Path, tmp_path: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Return a function that starts the same fifteen runs of 0.2 s in a process group."""
    started: list[subprocess.Popen[str]] = []

    def begin() -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "benchmark", "run", "-d", TINY]
        command += ["--method", f"{methods_file}:SlowTrees", "--repeats", "3"]
        command += ["--jobs", "2", "--results", str(tmp_path / "results")]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            process_group=0,
            # Tests started in a shell's background inherit that SIGINT is ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def wait_for_records(folder: Path, count: int) -> None:
    deadline = time.monotonic() + 300
    while len(list(folder.glob("*/*/*/*.json"))) < count:
        assert time.monotonic() < deadline, "the runs do not get on"
        time.sleep(0.02)


def wait_for_end(processes: list[psutil.Process]) -> None:
    _, alive = psutil.wait_procs(processes, timeout=30)
    assert not alive


def test_killed_parents_and_workers_cost_nothing_that_was_finished(
    start: Callable[[], subprocess.Popen[str]],
    tmp_path: Path,
    make_tiny_jobs: Callable[..., list[Job]],
) -> None:
    results = tmp_path / "results"
    moments = random.Random(7)

    process = start()
    wait_for_records(results, 2)
    time.sleep(moments.uniform(0, 0.3))
    workers = psutil.Process(process.pid).children(recursive=True)
    finished = {path: path.read_bytes() for path in results.glob("*/*/*/*.json")}
    process.kill()
    process.wait()
    wait_for_end(workers)  # orphans must not go on

    process = start()
    wait_for_records(results, len(finished) + 2)
    time.sleep(moments.uniform(0, 0.2))
    python = [c for c in psutil.Process(process.pid).children() if "spawn_main" in str(c.cmdline())]
    python[0].kill()
    output, _ = process.communicate(timeout=300)
    assert process.returncode in (0, 1)
    if process.returncode == 1:
        assert "killed (SIGKILL), probably out of memory" in output

    process = start()
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, output
    for path, content in finished.items():
        assert path.read_bytes() == content

    reference = make_tiny_jobs("SlowTrees", repeats=3)
    frame = read_results(results)[0]
    assert (frame["status"] == "ok").all()
    found = {
        (row["repeat"], row["fold"]): [row[c] for c in SCORE_COLUMNS] for _, row in frame.iterrows()
    }
    assert len(frame) == len(found) == len(reference) == 15
    for job in reference:
        record = execute_job(job).record
        assert found[job.key.repeat, job.key.fold] == [record[c] for c in SCORE_COLUMNS]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_stops_at_once_and_says_how_to_go_on(
    start: Callable[[], subprocess.Popen[str]], tmp_path: Path, how: signal.Signals
) -> None:
    process = start()
    wait_for_records(tmp_path / "results", 1)
    workers = psutil.Process(process.pid).children(recursive=True)
    if how is signal.SIGINT:
        os.killpg(process.pid, how)  # as a terminal does
    else:
        process.send_signal(how)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Finished runs are kept; give the same command again to go on." in output
    assert "Traceback" not in output
    wait_for_end(workers)
    assert len(read_results(tmp_path / "results")[0]) < 15
