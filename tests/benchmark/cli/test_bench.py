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
    assert "NMF at 200 features" in result.stderr
    numbers = json.loads(path.read_text())["speed"]
    assert {row["threads"] for row in numbers["steps"]} >= {1}
    for row in numbers["steps"]:
        assert set(row["milliseconds"]) == {"literal", "plain", "ours", "floor"}
        assert all(value > 0 for value in row["milliseconds"].values())
    assert all(peak > 50 for peak in numbers["peak_memory_mb"]["200"].values())


def test_a_wrong_list_of_widths_is_a_users_mistake():
    result = run_bench("--features", "6000;7000")
    assert result.returncode == 2
    assert "is not a list of numbers" in result.stderr


def test_numbers_are_read_back(tmp_path):
    path = tmp_path / "speed.json"
    jobs = {"1": {"runs": 8, "seconds": 80.0}, "2": {"runs": 8, "seconds": 40.0}}
    scaling = {"features": 6000, "steps": 200, "cores": 2, "jobs": jobs}
    path.write_text(json.dumps({"scaling": scaling}))
    result = run_bench("--read", str(path), "--format", "markdown")
    assert result.returncode == 0, result.stderr
    assert "| 2 | 2.00× |" in result.stdout
    other = run_bench("--read", str(path), "--table", "ratios")
    assert other.returncode == 2
    assert "--table ratios: not measured, there are scaling" in other.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not what `wpfs-bench bench --output` writes"),
        ("[]", "not what"),
        ('{"speed": {}}', "not what"),
        (None, "No such file"),
    ],
)
def test_a_file_that_is_no_measurement_is_a_users_mistake(tmp_path, content, message):
    path = tmp_path / "speed.json"
    if content is not None:
        path.write_text(content)
    result = run_bench("--read", str(path))
    assert result.returncode == 2
    assert message in result.stderr


def test_mistakes_are_found_before_measuring(tmp_path):
    nowhere = run_bench("--output", str(tmp_path / "none" / "speed.json"))
    assert nowhere.returncode == 2
    assert "there is no folder" in nowhere.stderr
    useless = run_bench("--suite", "scaling", "--results", str(tmp_path))
    assert useless.returncode == 2
    assert "needs measured training steps" in useless.stderr
    ignored = run_bench("--read", "speed.json", "--quick")
    assert ignored.returncode == 2
    assert "--quick: for measuring, leave out with --read" in ignored.stderr


def test_widths_are_refused_where_no_training_step_is_measured():
    result = run_bench("--suite", "profile", "--features", "20000")
    assert result.returncode == 2
    assert "--features is for training steps" in result.stderr
