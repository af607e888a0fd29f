"""Worker processes: when one is replaced, and which GPU it sees."""

from collections.abc import Callable

import pytest

from benchmark.plan.jobs import Job
from benchmark.run.devices import Gpu, plan_slots
from benchmark.run.executors.events import Finished, Started
from benchmark.run.executors.local import LocalExecutor, describe_exit

MakeJobs = Callable[..., list[Job]]

pytestmark = pytest.mark.slow


def run_all(jobs: list[Job], executor: LocalExecutor) -> list[Finished]:
    with executor:
        return [event for event in executor.run(jobs) if isinstance(event, Finished)]


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
