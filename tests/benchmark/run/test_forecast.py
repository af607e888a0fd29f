import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.run.forecast import DurationEstimator, ReferenceTimes, schedule


def test_expected_time_comes_from_the_most_alike_runs() -> None:
    durations = DurationEstimator()
    assert durations.estimate_all({("mlp", "lung"): 3}, workers=2) is None
    durations.add(("mlp", "lung"), 10)
    durations.add(("mlp", "lung"), 30)
    durations.add(("knn", "smk"), 2)
    assert durations.estimate(("mlp", "lung")) == 20
    assert durations.estimate_all({("mlp", "lung"): 3, ("knn", "smk"): 5}, workers=2) == 35
    assert durations.estimate_all({("mlp", "lung"): 1}, workers=8) == 20


def test_a_slow_method_says_nothing_of_a_quick_one() -> None:
    durations = DurationEstimator()
    durations.add(("wpfs", "cohort"), 50)
    assert durations.estimate(("knn", "cohort")) is None
    assert durations.estimate_all({("wpfs", "cohort"): 4, ("knn", "cohort"): 4}, 1) is None


def test_runs_elsewhere_count_as_much_as_others_took_longer_here() -> None:
    durations = DurationEstimator()
    durations.add_elsewhere(("wpfs", "lung"), 10)
    durations.add_elsewhere(("knn", "lung"), 0.1)
    durations.add_elsewhere(("tabnet", "smk"), 7)
    assert durations.estimate(("knn", "cohort")) is None
    durations.add(("wpfs", "cohort"), 50)
    assert durations.estimate(("knn", "cohort")) == pytest.approx(0.5)
    assert durations.estimate(("tabnet", "cohort")) is None
    durations.add(("knn", "cohort"), 3)
    assert durations.estimate(("knn", "cohort")) == 3


def test_reference_times_are_means_and_scale_with_size_elsewhere() -> None:
    runs = [("mlp", "lung", 10.0), ("mlp", "lung", 30.0), ("mlp", "smk", 80.0), ("knn", "smk", 1)]
    times = ReferenceTimes.from_runs(runs, {"lung": 100, "smk": 200, "cll": 300})
    assert times.estimate(("mlp", "lung")) == 20
    assert times.estimate(("mlp", "cll")) == pytest.approx((3 * 20 + 1.5 * 80) / 2)
    assert times.estimate(("knn", "own")) is None
    assert times.estimate(("tabnet", "smk")) is None
    # From smk lung would take 40 s instead of 20, from lung smk 40 instead of 80.
    assert times.check_sizes({"mlp", "knn"}) == [0.5, 2.0]


def test_workers_take_runs_in_order_when_they_are_free() -> None:
    assert schedule([3, 1, 1, 1], workers=2) == 3
    assert schedule([1, 1, 1, 3], workers=2) == 4
    assert schedule([5], workers=512) == 5
    assert schedule([], workers=4) == 0


@given(st.lists(st.floats(0, 100), max_size=30), st.integers(1, 8))
def test_a_schedule_is_between_the_bounds_of_any(seconds: list[float], workers: int) -> None:
    end = schedule(seconds, workers)
    least = max(sum(seconds) / workers, max(seconds, default=0))
    assert least <= end * (1 + 1e-9)
    # Graham's bound for list scheduling.
    assert end <= (2 - 1 / workers) * least * (1 + 1e-9)
