from pathlib import Path

import pytest

from benchmark.results.store import read_frame
from benchmark.speed.overhead import fill_store, measure_reading, measure_runs


def test_a_made_up_store_is_as_large_as_wanted(tmp_path: Path) -> None:
    fill_store(tmp_path, 60)
    frame = read_frame(tmp_path)
    assert len(frame) == 60
    assert frame.groupby(["dataset", "model"]).size().tolist() == [25, 25, 10]


@pytest.mark.slow
def test_measurements_are_plain_numbers() -> None:
    runs = measure_runs(n_runs=4)
    assert runs["runs"] == 4
    assert runs["store_ms_per_run"] > 0
    assert runs["ms_per_run"] > 0
    reading = measure_reading(n_records=30, attempts=1)
    assert reading["records"] == 30
    assert reading["read_frame_seconds"] > 0
    assert reading["status_seconds"] > 0
    assert reading["report_seconds"] > 0
