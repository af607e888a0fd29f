"""What every executor promises: one bad run costs one run, and the others get what they need."""

import time
from collections.abc import Callable

import psutil
import pytest

from benchmark.plan.jobs import Job
from benchmark.run.execute import execute_job
from benchmark.run.executors.events import Event, Executor, Finished, Limits, Started
from benchmark.run.metrics import SCORE_COLUMNS
from benchmark.run.outcome import Outcome

MakeJobs = Callable[..., list[Job]]
MakeExecutor = Callable[..., Executor]

pytestmark = pytest.mark.slow


def run_all(jobs: list[Job], executor: Executor) -> list[Event]:
    with executor:
        return list(executor.run(jobs))


def records_of(events: list[Event]) -> dict[str, dict]:
    return {e.job.key.model: e.outcome.record for e in events if isinstance(e, Finished)}


def scores_of(outcome: Outcome) -> list[float]:
    return [outcome.record[name] for name in SCORE_COLUMNS]


def test_every_kind_of_failure_costs_one_run_and_events_come_in_order(
    make_tiny_jobs: MakeJobs, make_executor: MakeExecutor
) -> None:
    bad = ("Segfault", "Killed", "Quitter", "Raiser", "NotANumber", "OutOfGpuMemory")
    good = make_tiny_jobs("Trees")
    jobs = list(good)
    for position, name in enumerate(bad):
        jobs.insert(2 * position % len(jobs), make_tiny_jobs(name)[0])
    events = run_all(jobs, make_executor())

    started = [event for event in events if isinstance(event, Started)]
    finished = [event for event in events if isinstance(event, Finished)]
    assert [e.job.key for e in started] == [job.key for job in jobs]
    assert sorted(str(e.job.key) for e in finished) == sorted(str(job.key) for job in jobs)
    slots = {e.job.key: e.slot.index for e in started}
    busy: set[int] = set()
    for event in events:
        if isinstance(event, Started):
            assert event.slot.index not in busy
            busy.add(event.slot.index)
            assert len(busy) <= 2
        elif isinstance(event, Finished):
            busy.remove(slots[event.job.key])
            assert event.slot.index == slots[event.job.key]

    errors = {
        e.job.key.model: e.outcome.record["error"] for e in finished if e.outcome.arrays is None
    }
    assert errors.keys() == {
        "segfault", "killed", "quitter", "raiser", "not-a-number", "out-of-gpu-memory"
    }  # fmt: skip
    assert errors["segfault"] == "the worker crashed (SIGSEGV)"
    assert errors["killed"] == "the worker was killed (SIGKILL), probably out of memory"
    assert errors["quitter"] == "the worker exited with code 3"
    assert errors["raiser"] == "ValueError: first line second line"
    assert "NaN" in errors["not-a-number"]
    assert "--jobs-per-gpu" in errors["out-of-gpu-memory"]
    found = {e.job.key: scores_of(e.outcome) for e in finished if e.job.key.model == "trees"}
    assert found == {job.key: scores_of(execute_job(job)) for job in good}


def test_time_and_memory_limits_stop_one_run_and_free_its_place(
    make_tiny_jobs: MakeJobs, make_executor: MakeExecutor
) -> None:
    leaker, sleeper = make_tiny_jobs("Leaker")[:1], make_tiny_jobs("Sleeper")[:1]
    constant = make_tiny_jobs("Constant")[:2]
    # The first run warms the worker up, so that the second reaches its limit of memory first.
    limits = Limits(seconds=20, memory_mb=900)
    jobs = [constant[0], *leaker, *sleeper, constant[1]]
    events = run_all(jobs, make_executor(limits, places=1))
    records = records_of(events)
    assert records["sleeper"]["status"] == "timeout"
    assert records["sleeper"]["error"] == "stopped after 20 s (--timeout)"
    assert 20 <= records["sleeper"]["seconds"] < 80
    assert records["leaker"]["status"] == "failed"
    assert "more than the 900 MB of --memory-limit" in records["leaker"]["error"]
    constants = [e for e in events if isinstance(e, Finished) and e.job in constant]
    assert [e.outcome.status for e in constants] == ["ok", "ok"]


def test_an_interrupt_ends_runs_at_once(
    make_tiny_jobs: MakeJobs, make_executor: MakeExecutor
) -> None:
    workers: list[psutil.Process] = []

    def interrupt() -> None:
        with make_executor() as executor:
            begun = 0
            for event in executor.run(make_tiny_jobs("Sleeper")):
                begun += isinstance(event, Started)
                if begun == 2:
                    family = psutil.Process().children(recursive=True)
                    workers.extend(p for p in family if "spawn_main" in str(p.cmdline()))
                    raise KeyboardInterrupt

    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        interrupt()
    assert len(workers) >= 2
    _, alive = psutil.wait_procs(workers, timeout=60)
    assert not alive, time.monotonic() - begin
