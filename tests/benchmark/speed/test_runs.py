import itertools
import time

import pytest

from benchmark.results.store import Store
from benchmark.run.devices import plan_slots
from benchmark.run.executors.events import Finished
from benchmark.run.executors.local import LocalExecutor
from benchmark.run.outcome import Outcome
from benchmark.speed import runs


@pytest.fixture
def clock(monkeypatch):
    """Let every look at the clock be one second after the last."""
    ticks = itertools.count()
    monkeypatch.setattr(runs.time, "perf_counter", lambda: float(next(ticks)))


@pytest.mark.slow
def test_the_runs_that_warm_workers_up_do_not_count(clock):
    found = runs.measure_scaling([1, 2], n_features=150, steps=5, n_runs=3)
    # One look at the clock per finished run: three runs after the warm-up take three ticks.
    assert found == {1: {"runs": 3, "seconds": 3.0}, 2: {"runs": 3, "seconds": 3.0}}


@pytest.mark.slow
def test_the_overhead_holds_the_writing_and_leaves_the_start_out(monkeypatch):
    write = Store.write

    def write_slowly(*arguments):
        time.sleep(0.2)
        return write(*arguments)

    monkeypatch.setattr(Store, "write", write_slowly)
    executors = {name: LocalExecutor(plan_slots([], 1)) for name in ("one", "other")}
    found = runs.measure_overhead(3, executors)
    assert list(found) == ["one", "other"]
    for part in found.values():
        assert 200 <= part["store_ms_per_run"] < part["ms_per_run"] < 1000


@pytest.mark.slow
def test_whole_runs_are_of_one_split_after_one_that_loads_everything():
    (found,) = runs.measure_rivals(quick=True)
    assert found["dataset"].startswith("synthetic")
    assert list(found["methods"]) == list(runs.RIVALS)
    for of_method in found["methods"].values():
        (seconds,), (steps,) = of_method["seconds"], of_method["steps"]
        assert seconds > 0
        assert steps > 0


def test_whole_runs_take_turns_on_the_splits_of_each_data_set(monkeypatch):
    done = []

    def finish(jobs, executor):
        (slot,) = plan_slots([], 1)
        for job in jobs:
            done.append((job.key.dataset, job.key.fold, job.key.model))
            record = {"seconds": 1.0 + job.key.fold, "steps": len(done)}
            yield Finished(job, slot, Outcome(record, {}), seconds=0.0)

    monkeypatch.setattr(runs, "_run", finish)
    monkeypatch.setattr(runs.DataSource, "is_ready", lambda self: self.name == "toxicity")
    synthetic, toxicity = runs.measure_rivals(quick=False)
    assert (synthetic["dataset"][:9], toxicity["dataset"]) == ("synthetic", "toxicity")
    assert toxicity["methods"]["stg"]["seconds"] == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert done[-5:] == [("toxicity", 4, model) for model in runs.RIVALS]
