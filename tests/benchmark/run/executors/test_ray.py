"""The same promises on a Ray cluster of this machine."""

import os
from collections.abc import Callable, Iterator

import pytest

from benchmark.errors import UserError
from benchmark.plan.jobs import Job
from benchmark.run.execute import execute_job
from benchmark.run.executors.events import Finished, Limits
from benchmark.run.executors.ray import RayExecutor
from benchmark.run.executors.resources import Resources
from benchmark.run.metrics import SCORE_COLUMNS

MakeJobs = Callable[..., list[Job]]


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    ray = pytest.importorskip("ray")
    before = os.environ.get("RAY_AUTH_MODE")
    os.environ["RAY_AUTH_MODE"] = "disabled"
    ray.init(
        num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=100 * 2**20
    )
    yield
    ray.shutdown()
    if before is None:
        del os.environ["RAY_AUTH_MODE"]
    else:
        os.environ["RAY_AUTH_MODE"] = before


@pytest.mark.slow
@pytest.mark.usefixtures("cluster")
def test_failures_cost_one_run_and_scores_are_those_of_a_local_run(
    make_tiny_jobs: MakeJobs,
) -> None:
    good = make_tiny_jobs("Trees", folds=3)
    bad = [make_tiny_jobs(name)[0] for name in ("Quitter", "Raiser", "Sleeper")]
    with RayExecutor(limits=Limits(seconds=40)) as executor:
        events = [e for e in executor.run([*bad, *good]) if isinstance(e, Finished)]
    records = {e.job.key: e.outcome.record for e in events}
    assert records.keys() == {job.key for job in [*bad, *good]}
    statuses = [records[job.key]["status"] for job in bad]
    assert statuses == ["failed", "failed", "timeout"]
    assert records[bad[0].key]["error"].startswith("the worker crashed (WorkerCrashedError")
    assert records[bad[1].key]["error"] == "ValueError: first line second line"
    for job in good:
        expected = execute_job(job).record
        assert [records[job.key][c] for c in SCORE_COLUMNS] == [expected[c] for c in SCORE_COLUMNS]


def test_flags_that_do_not_go_together() -> None:
    with pytest.raises(UserError, match="choose one of local, ray"):
        Resources(executor="slurm")
    with pytest.raises(UserError, match="say --gpu all"):
        Resources(executor="ray", gpu="0")
    with pytest.raises(UserError, match="only with --executor ray"):
        Resources(ray_address="auto")
    with pytest.raises(UserError, match="Ray watches memory itself"):
        RayExecutor(limits=Limits(memory_mb=100))
