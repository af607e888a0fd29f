import functools
import json

import pytest


@pytest.fixture
def bench(cli):
    """Return a function that runs the command."""
    return functools.partial(cli, "bench")


@pytest.mark.slow
def test_a_quick_run_prints_ratios_and_writes_json(bench, tmp_path):
    path = tmp_path / "speed.json"
    result = bench("--quick", "--features", "200", "--output", str(path))
    assert result.code == 0, result.err
    assert "ours/floor" in result.out
    assert "peak memory at 200 features" in result.err
    numbers = json.loads(path.read_text())["speed"]
    assert {row["threads"] for row in numbers["steps"]} >= {1}
    for row in numbers["steps"]:
        assert set(row["milliseconds"]) == {"literal", "plain", "ours", "floor", "floor-openblas"}
        assert all(value > 0 for value in row["milliseconds"].values())
    assert all(peak > 50 for peak in numbers["peak_memory_mb"]["200"].values())


def test_a_wrong_list_of_widths_is_a_users_mistake(bench):
    result = bench("--features", "6000;7000")
    assert result.code == 2
    assert "is not a list of numbers" in result.err


def test_numbers_are_read_back(bench, tmp_path):
    path = tmp_path / "speed.json"
    jobs = {"1": {"runs": 8, "seconds": 80.0}, "2": {"runs": 8, "seconds": 40.0}}
    scaling = {"features": 6000, "steps": 200, "cores": 2, "jobs": jobs}
    path.write_text(json.dumps({"scaling": scaling}))
    result = bench("--read", str(path), "--format", "markdown")
    assert result.code == 0, result.err
    assert "| 2 | 2.00× |" in result.out
    other = bench("--read", str(path), "--table", "ratios")
    assert other.code == 2
    assert "--table ratios: not measured, there are scaling" in other.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not what `wpfs-bench bench --output` writes"),
        ("[]", "not what"),
        ('{"speed": {}}', "not what"),
        (None, "No such file"),
    ],
)
def test_a_file_that_is_no_measurement_is_a_users_mistake(bench, tmp_path, content, message):
    path = tmp_path / "speed.json"
    if content is not None:
        path.write_text(content)
    result = bench("--read", str(path))
    assert result.code == 2
    assert message in result.err


def test_mistakes_are_found_before_measuring(bench, tmp_path):
    nowhere = bench("--output", str(tmp_path / "none" / "speed.json"))
    assert nowhere.code == 2
    assert "there is no folder" in nowhere.err
    useless = bench("--suite", "scaling", "--results", str(tmp_path))
    assert useless.code == 2
    assert "needs measured training steps" in useless.err
    ignored = bench("--read", "speed.json", "--quick")
    assert ignored.code == 2
    assert "--quick: for measuring, leave out with --read" in ignored.err


def test_widths_are_refused_where_no_training_step_is_measured(bench):
    result = bench("--suite", "profile", "--features", "20000")
    assert result.code == 2
    assert "--features is for training steps and fits" in result.err
