import itertools

import pytest

from benchmark.speed import scaling


@pytest.fixture
def clock(monkeypatch):
    """Let every look at the clock be one second after the last."""
    ticks = itertools.count()
    monkeypatch.setattr(scaling.time, "perf_counter", lambda: float(next(ticks)))


@pytest.mark.slow
def test_the_runs_that_warm_workers_up_do_not_count(clock):
    found = scaling.measure_scaling([1, 2], n_features=150, steps=5, n_runs=3)
    # One look at the clock per finished run: three runs after the warm-up take three ticks.
    assert found == {1: {"runs": 3, "seconds": 3.0}, 2: {"runs": 3, "seconds": 3.0}}
