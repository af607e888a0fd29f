import json
import subprocess
import sys

import pytest


def run_bench(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "benchmark.cli", "bench", *arguments],
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
def test_a_quick_run_prints_ratios_and_writes_json(tmp_path):
    path = tmp_path / "speed.json"
    result = run_bench("--quick", "--features", "200", "--output", str(path))
    assert result.returncode == 0, result.stderr
    assert "ours/floor" in result.stdout
    numbers = json.loads(path.read_text())["speed"]
    assert {row["threads"] for row in numbers["steps"]} >= {1}
    for row in numbers["steps"]:
        assert set(row["milliseconds"]) == {"literal", "plain", "ours", "floor"}
        assert all(value > 0 for value in row["milliseconds"].values())
    assert all(peak > 50 for peak in numbers["peak_memory_mb"]["200"].values())
    assert set(numbers["nmf"]["200"]) == {"ours", "scikit-learn"}


def test_a_wrong_list_of_widths_is_a_users_mistake():
    result = run_bench("--features", "6000;7000")
    assert result.returncode == 2
    assert "is not a list of numbers" in result.stderr
