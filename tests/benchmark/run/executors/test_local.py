"""Worker processes: what one bad run costs, and what the others get."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmark.plan.jobs import Job
from benchmark.run.devices import Gpu, plan_slots
from benchmark.run.execute import Outcome, execute_job
from benchmark.run.executors.events import Finished, Limits, Started
from benchmark.run.executors.local import LocalExecutor, describe_exit
from benchmark.run.metrics import SCORE_COLUMNS

MakeJobs = Callable[..., list[Job]]

pytestmark = pytest.mark.slow


def run_all(jobs: list[Job], executor: LocalExecutor) -> list[Finished]:
    with executor:
        return [event for event in executor.run(jobs) if isinstance(event, Finished)]


def scores_of(outcome: Outcome) -> list[float]:
    return [outcome.record[name] for name in SCORE_COLUMNS]


def test_every_kind_of_failure_costs_one_run(make_tiny_jobs: MakeJobs, tmp_path: Path) -> None:
    bad = ("Segfault", "Killed", "Quitter", "Raiser", "NotANumber", "OutOfGpuMemory")
    good = make_tiny_jobs("Trees")
    jobs = list(good)
    for position, name in enumerate(bad):
        jobs.insert(2 * position % len(jobs), make_tiny_jobs(name)[0])
    events = run_all(jobs, LocalExecutor(plan_slots([], 2), logs=tmp_path / "logs"))

    assert sorted(str(e.job.key) for e in events) == sorted(str(job.key) for job in jobs)
    errors = {
        e.job.key.model: e.outcome.record["error"] for e in events if e.outcome.arrays is None
    }
    assert errors.keys() == {
        "segfault", "killed", "quitter", "raiser", "not-a-number", "out-of-gpu-memory"
    }  # fmt: skip
    assert errors["segfault"] == "the worker crashed (SIGSEGV)"
    assert errors["killed"] == "the worker was killed (SIGKILL), probably out of memory"
    assert errors["quitter"] == "the worker exited with code 3"
    assert errors["raiser"] == "ValueError: first line second line"
    assert "--jobs-per-gpu" in errors["out-of-gpu-memory"]
    found = {e.job.key: scores_of(e.outcome) for e in events if e.job.key.model == "trees"}
    assert found == {job.key: scores_of(execute_job(job)) for job in good}


def test_a_worker_that_dies_between_two_runs_costs_nothing(make_tiny_jobs: MakeJobs) -> None:
    executor = LocalExecutor(plan_slots([], 1))
    outcomes = []
    with executor:
        for event in executor.run(make_tiny_jobs("Constant")[:2]):
            if isinstance(event, Finished):
                outcomes.append(event.outcome.status)
                for worker in list(executor._workers.values()):
                    worker.process.kill()
                    worker.process.join()
    assert outcomes == ["ok", "ok"]


def test_a_process_whose_gpu_failed_does_no_further_run(make_tiny_jobs: MakeJobs) -> None:
    jobs = [make_tiny_jobs(name)[0] for name in ("OutOfGpuMemory", "Raiser", "Constant")]
    executor, processes = LocalExecutor(plan_slots([], 1)), []
    with executor:
        for event in executor.run(jobs):
            if isinstance(event, Started):
                processes += [worker.process.pid for worker in executor._workers.values()]
    assert processes[0] != processes[1] == processes[2]


def test_time_and_memory_limits_stop_one_run(make_tiny_jobs: MakeJobs) -> None:
    jobs = make_tiny_jobs("Sleeper")[:1] + make_tiny_jobs("Leaker")[:1]
    jobs += make_tiny_jobs("Constant")[:2]
    executor = LocalExecutor(plan_slots([], 2), limits=Limits(seconds=30, memory_mb=900))
    records = {e.job.key.model: e.outcome.record for e in run_all(jobs[1:], executor)}
    assert records["leaker"]["status"] == "failed"
    assert "more than the 900 MB of --memory-limit" in records["leaker"]["error"]
    assert records["constant"]["status"] == "ok"

    executor = LocalExecutor(plan_slots([], 1), limits=Limits(seconds=8))
    records = {e.job.key.model: e.outcome.record for e in run_all([jobs[0], jobs[2]], executor)}
    assert records["sleeper"]["status"] == "timeout"
    assert records["sleeper"]["error"] == "stopped after 8 s (--timeout)"
    assert records["constant"]["status"] == "ok"


def test_jobs_see_only_the_gpu_of_their_worker(make_tiny_jobs: MakeJobs) -> None:
    gpus = [Gpu(0, "4", "fake"), Gpu(1, "7", "fake")]
    slots = plan_slots(gpus, jobs=2)
    events = run_all(make_tiny_jobs("ReportsEnvironment"), LocalExecutor(slots, threads=1))
    for event in events:
        assert event.outcome.arrays is not None, event.outcome.record["error"]
        seen, threads = event.outcome.arrays["importances"][:2]
        assert str(int(seen)) == event.slot.environment["CUDA_VISIBLE_DEVICES"]
        assert threads == 1
    assert events


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (None, "the worker stopped answering"),
        (1, "the worker exited with code 1"),
        (-11, "the worker crashed (SIGSEGV)"),
        (-9, "the worker was killed (SIGKILL), probably out of memory"),
    ],
)
def test_exit_codes_in_words(code: int | None, text: str) -> None:
    assert describe_exit(code) == text
