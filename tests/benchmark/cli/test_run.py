import errno
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmark.results import store as store_module
from benchmark.results.reading import read_results
from benchmark.run.metrics import SCORE_COLUMNS

TINY = "synthetic:samples=60,features=30,informative=3"

Cli = Callable[..., Any]


@pytest.fixture
def trees(methods_file: Path) -> list[str]:
    """Return the flags of nine quick runs of a third party's method."""
    method = f"{methods_file}:Trees"
    return ["run", "--method", method, "-d", TINY, "--repeats", "3", "--folds", "3"]


def read_scores(folder: Path) -> dict[str, list[float]]:
    frame = read_results(folder)[0]
    return {
        Path(row["path"]).relative_to(folder).as_posix(): [row[c] for c in SCORE_COLUMNS]
        for _, row in frame.iterrows()
    }


@pytest.mark.slow
def test_a_run_is_stored_skipped_and_forced(cli: Cli, trees: list[str], tmp_path: Path) -> None:
    results = tmp_path / "results"
    flags = [*trees, "--results", results, "--jobs", "1"]
    plan = cli(*flags, "--dry-run")
    assert plan.code == 0
    assert "9 runs to do" in plan.out
    assert not results.exists()

    first = cli(*flags)
    assert first.code == 0, first.out + first.err
    assert "9 runs to do, 1 at a time" in first.out
    assert "[9/9]" in first.out
    assert str(results) in first.out.replace("\n", "")
    before = {path: path.read_bytes() for path in results.glob("*/*/*/*.json")}
    assert len(before) == 9

    again = cli(*flags)
    assert again.code == 0
    assert "0 runs to do, 9 done already" in again.out
    assert {path: path.read_bytes() for path in results.glob("*/*/*/*.json")} == before

    forced = cli(*flags, "--force", "--quiet", "--set", "max_depth=3", "--repeats", "1")
    assert forced.code == 0
    assert forced.out == ""
    changed = [path for path in before if path.read_bytes() != before[path]]
    assert sorted(path.stem for path in changed) == ["r0-f0-s42", "r0-f1-s42", "r0-f2-s42"]


@pytest.mark.slow
def test_jobs_and_shards_do_not_change_a_score(cli: Cli, trees: list[str], tmp_path: Path) -> None:
    for name, flags in {
        "one": ["--jobs", "1"],
        "two": ["--jobs", "2"],
        "left": ["--jobs", "1", "--shard", "1/2"],
        "right": ["--jobs", "1", "--shard", "2/2"],
    }.items():
        answer = cli(*trees, "--results", tmp_path / name, *flags)
        assert answer.code == 0, answer.out + answer.err
    merged = tmp_path / "merged"
    joined = cli("results", "merge", tmp_path / "left", tmp_path / "right", "--results", merged)
    assert joined.code == 0
    assert "9 records copied" in joined.out
    one = read_scores(tmp_path / "one")
    assert len(one) == 9
    assert read_scores(tmp_path / "two") == one
    assert read_scores(merged) == one


@pytest.mark.slow
def test_failures_are_told_and_can_be_retried_alone(
    cli: Cli, methods_file: Path, tmp_path: Path
) -> None:
    raiser, constant = f"{methods_file}:Raiser", f"{methods_file}:Constant"
    results = tmp_path / "results"
    flags = ["run", "-m", f"{raiser},{constant}", "-d", TINY, "--results", results]
    flags += ["--repeats", "1", "--folds", "2", "--jobs", "1"]
    first = cli(*flags)
    assert first.code == 1
    assert "raiser r0-f1-s42: failed: ValueError: first line second line" in first.out
    assert "failed 2×: " in first.out
    assert "2 of 4 runs failed; --retry-failed runs only what failed" in first.out
    assert f"results are in {results}; next:\n" in first.out
    report, failures = (shlex.split(line)[1:] for line in first.out.splitlines()[-2:])
    assert "constant" in cli(*report).out
    assert cli(*failures).out.count("ValueError: first line second line") == 2

    status = cli("status", "--results", results, "--failed")
    assert status.out.count("ValueError: first line second line") == 2

    methods_file.write_text(methods_file.read_text())  # the same text: still the same version
    retried = cli(*flags, "--retry-failed")
    assert retried.code == 1
    assert "2 runs to do" in retried.out
    assert "\n2 runs to do, 2 done" in cli(*flags, "--retry-failed", "--dry-run").out
    assert "\n4 runs to do, 2 done" in cli(*flags, "--force", "--dry-run").out
    nothing = cli(*flags, "--retry-failed", "--seeds", "7")
    assert nothing.code == 0
    assert nothing.out == "nothing failed before\n"


@pytest.mark.slow
def test_a_disk_that_fills_up_stops_with_one_line_and_loses_nothing(
    cli: Cli, trees: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = store_module.write_atomically
    written: list[Path] = []

    def fill_up(path: Path, content: bytes) -> None:
        if path.suffix == ".json" and len(written) == 4:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        original(path, content)
        if path.suffix == ".json":
            written.append(path)

    monkeypatch.setattr(store_module, "write_atomically", fill_up)
    flags = [*trees, "--results", tmp_path, "--jobs", "1"]
    answer = cli(*flags)
    assert answer.code == 2
    assert "No space left on device; all finished runs are kept" in answer.err
    assert answer.err.count("\n") == 1
    monkeypatch.undo()
    assert len(read_results(tmp_path)[0]) == 4


def test_a_results_folder_in_the_way_is_an_error_before_work(
    cli: Cli, trees: list[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    answer = cli(*trees, "--results", tmp_path / "file" / "results")
    assert answer.code == 2
    assert answer.err.startswith("error: cannot write results to")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["-d", TINY], "no method: name one with --model"),
        (["-m", "majority"], "no data set: name one with --dataset"),
        (["-m", "majorty", "-d", TINY], "no method 'majorty' (did you mean 'majority'?)"),
        (["-m", "majority", "-d", "prostat"], "no data set 'prostat' (did you mean 'prostate'?)"),
        (["-m", "majority", "-d", TINY, "--gpu", "3"], "--gpu 3: no GPU is available"),
        (["-m", "majority", "-d", TINY, "--gpu", "x"], "--gpu x: write 0, 0,1 or all"),
        (["-m", "mine.py", "-d", TINY], "no method 'mine.py': write mine.py:ClassName"),
        (["-m", "none", "-d", "none", "--seeds", "a"], "--seeds a: write whole numbers"),
        (["-m", "none", "-d", "none", "--shard", "0/2"], "--shard 0/2: write it as i/n"),
        (["-m", "majority", "-d", TINY, "--shard", "3/2"], "--shard 3/2: write it as i/n"),
        (["-m", "majority", "-d", TINY, "--timeout", "soon"], "--timeout soon: write a duration"),
        (
            ["-m", "majority", "-d", TINY, "--memory-limit", "4"],
            "--memory-limit 4: write an amount",
        ),
        (["-m", "majority", "-d", TINY, "--seeds", "a"], "--seeds a: write whole numbers"),
        (["-m", "majority", "-d", TINY, "--hyperparameters", "best"], "choose one of paper, def"),
        (["-m", "knn", "-d", TINY, "--set", "depth=3"], "knn has no hyper-parameter 'depth'"),
        (["-m", "linear-svm", "-d", TINY, "--set", "C=abc"], "linear-svm: C must be a number"),
        (["-m", "majority", "-d", TINY, "--force", "--retry-failed"], "contradict each other"),
        (["-m", "majority", "-d", TINY, "--folds", "50"], "50 folds"),
        (["--method", "nowhere.py:Class", "-d", TINY], "nowhere.py:Class: there is no such file"),
        (["-m", "majority", "-d", TINY, "--target", "y"], "--target: only with --data FILE"),
        (["-m", "majority", "-d", TINY, "--study", "spn"], "--study chooses the methods itself"),
        (["-d", TINY, "--study", "nonsense"], "there is no study 'nonsense': choose one of"),
        (["-d", TINY, "--study", "spn", "--hyperparameters", "tuned"], "leave --hyperparameters"),
        (["-d", TINY, "--study", "lambda", "--set", "sparsity=1"], "the study lambda varies it"),
        (
            ["-m", "knn", "-d", TINY, "--hyperparameters", "tuned", "--set", "metric=x"],
            "choose one",
        ),
        (["-m", "", "-d", TINY], "no method: name one with --model"),
        (["-m", "mlp", "-d", TINY, "--set", "dropout=2"], "mlp: dropout must be a number from 0"),
        (["-m", "mlp", "-d", TINY, "--set", "schedule=cosine"], "schedule must be one of expon"),
        (
            ["-m", "fsnet", "-d", TINY, "--set", "hidden_sizes=[9]", "--set", "reconstruction=1"],
            "two layers or more",
        ),
        (["-m", "wpfs", "-d", TINY, "--set", "hidden_sizes=[9]"], "last layer (100) must be as"),
        (["-m", "knn", "-d", TINY, "--set", "metric=2020-01-01"], "metric must be a number, a wo"),
        (["-m", "knn", "-d", TINY, "--set", "metric=[.nan]"], "metric must be finite"),
        (["-m", "knn", "-d", "synthetic:seed=-1"], "seed must be a whole number from 0"),
        (["-m", "knn", "-d", "synthetic:noise=nan"], "noise must be a number from 0"),
        (["-m", "knn", "-d", TINY, "--jobs-per-gpu", "3"], "--jobs-per-gpu 3: only with --gpu"),
        (["-m", "knn", "-d", TINY, "--seeds", "4294967296"], "whole numbers from 0 to 4294967295"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(
    cli: Cli, tmp_path: Path, flags: list[str], message: str
) -> None:
    answer = cli("run", *flags, "--results", tmp_path / "results")
    assert answer.code == 2
    assert message in answer.err
    assert answer.err.count("\n") == 1
    assert not (tmp_path / "results").exists()


def test_two_classes_of_one_name_are_not_mixed(
    cli: Cli, methods_file: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.py"
    other.write_text(methods_file.read_text())
    both = f"{methods_file}:Trees,{other}:Trees"
    answer = cli("run", "-m", both, "-d", TINY, "--results", tmp_path, "--dry-run")
    assert answer.code == 2
    assert "other.py:Trees would both be called 'trees': rename one" in answer.err


@pytest.mark.parametrize("command", [["run", "-d", TINY, "-m"], ["models", "check"]])
def test_a_class_that_is_no_classifier(cli: Cli, tmp_path: Path, command: list[str]) -> None:
    path = tmp_path / "m.py"
    path.write_text("class Nothing: pass")
    answer = cli(*command, f"{path}:Nothing")
    assert answer.code == 2
    assert "Nothing is not a classifier: it has no fit()" in answer.err


def test_flags_win_over_the_configuration_file(cli: Cli, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    content = {
        "model": ["majority", "knn"],
        "dataset": TINY,
        "repeats": 2,
        "folds": 3,
        "seeds": [1, 2],
        "set": [],
        "retry-failed": False,
        "results": str(tmp_path / "results"),
    }
    config.write_text(yaml.safe_dump(content))
    assert "24 runs to do" in cli("run", "--config", config, "--dry-run").out
    assert "12 runs to do" in cli("run", "--config", config, "--repeats", 1, "--dry-run").out
    assert "12 runs to do" in cli("run", "-m", "knn", "--config", config, "--dry-run").out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("modle: knn", "line 1: unknown flag 'modle' in the configuration, did you mean 'model'?"),
        ("force: sometimes", "force must be true or false"),
        ("model: {a: 1}", "model must be a value or a list of values"),
        (
            "xyzzy: knn",
            "line 1: unknown flag 'xyzzy' in the configuration, use one of",
        ),
        ("- knn", "the configuration must be a mapping, not a list"),
        ("folds: 3\nmodel: [", "line 3: not YAML"),
        ("folds: 3\nrepeats: two", "line 2: repeats 'two': "),
        ("folds: 3\nrepeats: 0", "line 2: repeats '0': "),
        ("repeats: 2\nrepeats: 3", "line 2: key 'repeats' is given twice"),
    ],
)
def test_mistakes_in_a_configuration_file(
    cli: Cli, tmp_path: Path, content: str, message: str
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(content)
    answer = cli("run", "--config", config)
    assert answer.code == 2
    assert answer.err.startswith(f"error: {config}")
    assert message in answer.err


def test_the_demo_is_a_valid_configuration(cli: Cli, tmp_path: Path) -> None:
    demo = Path(__file__).parents[3] / "demo.yaml"
    answer = cli("run", "--config", demo, "-m", "knn", "--results", tmp_path, "--dry-run")
    assert answer.code == 0, answer.err
    assert "runs to do" in answer.out


def test_tuned_runs_the_whole_grid(cli: Cli, tmp_path: Path) -> None:
    flags = ["run", "-m", "random-forest", "-d", TINY, "--results", tmp_path, "--dry-run"]
    assert "150 runs to do" in cli(*flags, "--hyperparameters", "tuned").out


@pytest.mark.slow
def test_the_commands_to_go_on_with_show_the_runs_just_made(cli: Cli, tmp_path: Path) -> None:
    results = tmp_path / "my results"
    flags = ["run", "-m", "knn", "-d", TINY, "--results", results, "--repeats", "1", "--jobs", "1"]
    answer = cli(*flags, "--set", "n_neighbors=3", columns=60)
    report, page = (shlex.split(line)[1:] for line in answer.out.splitlines()[-2:])
    assert "knn" in cli(*report).out
    assert page[-4:] == ["--format", "html", "--output", "report.html"]
    assert cli(*page[:-1], tmp_path / "report.html").code == 0
    assert "k-NN" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.fixture
def own_table(tmp_path: Path) -> Path:
    """Return a table of 60 samples, 12 patients per class, and a constant feature."""
    lines = ["id,g1,g2,same,label,patient"]
    lines += [f"s{i},{i % 7}.5,{i % 11},1,{'ab'[i % 2]},p{i % 24}" for i in range(60)]
    table = tmp_path / "my-table.csv"
    table.write_text("\n".join(lines))
    return table


def test_a_table_of_ones_own(cli: Cli, own_table: Path, tmp_path: Path) -> None:
    flags = ["run", "-m", "knn", "--data", own_table, "--target", "label", "--id", "id"]
    flags += ["--groups", "patient", "--results", tmp_path / "results", "--dry-run"]
    answer = cli(*flags)
    assert answer.code == 0, answer.err
    described = "my-table: 60 samples × 3 features, classes a 30 / b 30; 24 groups; "
    assert answer.out.startswith(f"{described}1 constant feature kept\n")
    assert "25 runs to do" in answer.out
    assert "mine" in cli(*flags, "--name", "mine").out


@pytest.mark.parametrize(
    ("labels", "folds", "code"),
    [("abb", 31, 2), ("abb", 5, 0), ("a" + 14 * "b", 5, 2), ("a" + 14 * "b", 3, 0)],
)
def test_folds_are_checked_against_the_flag(
    cli: Cli, tmp_path: Path, labels: str, folds: int, code: int
) -> None:
    lines = ["g1,g2,label"]
    lines += [f"{i % 7}.5,{i % 11},{labels[i % len(labels)]}" for i in range(60)]
    table = tmp_path / "mine.csv"
    table.write_text("\n".join(lines))
    flags = ["run", "-m", "knn", "--data", table, "--target", "label", "--results", tmp_path]
    answer = cli(*flags, "--folds", folds, "--dry-run")
    assert answer.code == code, answer.err
    if code:
        assert "mine: class 'a' has" in answer.err
        assert f"{folds} folds" in answer.err


def test_groups_are_checked_against_the_flag(cli: Cli, own_table: Path, tmp_path: Path) -> None:
    flags = ["run", "-m", "knn", "--data", own_table, "--target", "label", "--id", "id"]
    flags += ["--results", tmp_path / "results", "--groups", "patient", "--dry-run"]
    assert cli(*flags, "--folds", 12).code == 0
    answer = cli(*flags, "--folds", 13)
    assert answer.code == 2
    assert "class 'a' has 12 groups, 13 folds need" in answer.err


def test_all_data_sets_that_are_to_be_downloaded_are_named(cli: Cli, tmp_path: Path) -> None:
    answer = cli("run", "-m", "knn", "-d", "paper", "--data-dir", tmp_path, "--dry-run")
    assert answer.code == 2
    assert "9 data sets are not ready" in answer.err
    assert "wpfs-bench download cll lung" in answer.err


def test_a_plan_shows_hyper_parameters_in_full_on_a_narrow_terminal(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    changed = ["dropout=0.5", "patience=50", "max_steps=100", "validation_interval=3"]
    options = [part for text in changed for part in ("--set", text)]
    answer = cli("run", "-m", "mlp", "-d", "synthetic", *options, "--dry-run", "--results",
                 tmp_path, columns=80)  # fmt: skip
    assert answer.code == 0
    assert all(text in answer.out for text in changed)


def test_the_time_on_many_workers_needs_no_tables(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``--dry-run --workers`` plans data sets that are not here, by the registry's sizes."""
    monkeypatch.setattr("benchmark.results.durations.REFERENCE_RUNS", tmp_path / "runs.csv")
    (tmp_path / "runs.csv").write_text(
        "model,dataset,status,seconds\nknn,prostate,ok,30\nknn,prostate,ok,42\n"
        "knn,prostate,failed,1\nmajority,toxicity,ok,1\n"
    )
    flags = ["run", "-m", "knn,linear-svm", "-d", "prostate,smk", "--data-dir", tmp_path / "none"]
    flags += ["--results", tmp_path / "results"]
    answer = cli(*flags, "--dry-run", "--workers", "1,25,100")
    assert answer.code == 0, answer.err
    # smk has 6.14 times as many values as prostate: 25 runs of 36 s and 25 of 221.2 s.
    cells = [line.split() for line in answer.out.splitlines()]
    assert ["knn", "50", "128.6", "1.8"] in cells
    assert ["1", "1", "h", "47", "min", "1.0", "100%"] in cells
    assert ["25", "4", "min", "17", "s", "25.0", "100%"] in cells
    assert ["100", "3", "min", "41", "s", "29.1", "29%"] in cells
    assert "scaled by samples × features from other data sets: smk" in answer.out
    assert "50 runs of methods without reference runs: linear-svm" in " ".join(answer.out.split())
    assert not (tmp_path / "results").exists()
    assert cli(*flags, "--dry-run").code == 2  # without the sizes' help the tables must be there
    assert "only with --dry-run" in cli(*flags, "--workers", 8).err
    assert "write numbers above 0" in cli(*flags, "--dry-run", "--workers", "8,none").err
