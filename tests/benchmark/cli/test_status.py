import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmark.plan.key import RunKey
from benchmark.results.expected import write_plan
from benchmark.results.store import Store

Cli = Callable[..., Any]

KEY = RunKey("prostate", "abc", "knn", 1, "{}", repeat=0, fold=0)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Return a folder: knn on prostate with 3 done, 1 failed, 1 missing; mlp on lung done."""
    store = Store(tmp_path / "results")
    store.prepare()
    keys = [replace(KEY, fold=fold) for fold in range(5)]
    other = replace(KEY, dataset="lung", model="mlp")
    for key in [*keys[:3], other]:
        store.write(key, {"status": "ok", "error": ""}, {})
    store.write(keys[3], {"status": "timeout", "error": "stopped after 8 s"}, None)
    write_plan(store.folder, [*keys, other])
    return store.folder


def test_a_row_per_data_set_names_what_is_not_done(cli: Cli, results: Path) -> None:
    answer = cli("status", "--results", results)
    assert answer.code == 0
    lines = [line.split() for line in answer.out.splitlines() if line]
    assert lines[0] == ["data", "set", "methods", "runs", "not", "done"]
    assert lines[1] == ["lung", "1/1", "1/1"]
    assert lines[2] == ["prostate", "0/1", "3/5", "✗1", "knn", "3/5", "✗1"]
    assert "4 done, 1 failed (✗; --failed lists them), 1 missing" in answer.out


def test_failures_are_listed(cli: Cli, results: Path) -> None:
    answer = cli("status", "--results", results, "--failed")
    assert answer.out == "timeout: prostate knn r0-f3-s42: stopped after 8 s\n"


def test_json(cli: Cli, results: Path) -> None:
    content = json.loads(cli("status", "--results", results, "--json").out)
    cells = {(c["dataset"], c["model"]): c for c in content["cells"]}
    knn = cells["prostate", "knn"]
    assert (knn["done"], knn["failed"], knn["missing"]) == (3, 1, 1)
    assert content["failures"][0]["error"] == "stopped after 8 s"
    assert content["stale"] == 0


def test_stale_records_are_mentioned_and_not_counted(cli: Cli, results: Path) -> None:
    newer = replace(KEY, method_version=2)
    write_plan(results, [newer])
    answer = cli("status", "--results", results)
    assert "4 stale records" in answer.out
    assert "0/1" in answer.out


def test_no_folder_is_a_mistake_and_an_empty_one_is_not(cli: Cli, tmp_path: Path) -> None:
    assert cli("status", "--results", tmp_path / "nowhere").code == 2
    empty = cli("status", "--results", tmp_path)
    assert empty.code == 0
    assert "no runs in" in empty.out


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_an_archive_is_not_taken_for_an_empty_folder(
    cli: Cli, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    (tmp_path / "runs.csv").touch()
    answer = cli("status", "--results", tmp_path, *flags)
    assert answer.code == 2
    assert "is an archive" in answer.err


def test_two_numbers_of_folds_make_two_tables(cli: Cli, results: Path) -> None:
    Store(results).write(replace(KEY, folds=10), {"status": "ok", "error": ""}, {})
    answer = cli("status", "--results", results)
    first, second = answer.out.split("10 folds")
    assert "5 folds" in first
    assert "3/5" in first
    assert "1/1" in second
    cells = json.loads(cli("status", "--results", results, "--json").out)["cells"]
    assert [c["folds"] for c in cells if c["model"] == "knn"] == [5, 10]


@pytest.mark.parametrize("command", [("status",), ("results", "export")])
def test_damaged_files_are_counted_and_named(
    cli: Cli, results: Path, command: tuple[str, ...]
) -> None:
    path = next(results.glob("lung/*/*/*.json"))
    path.write_text("{")
    answer = cli(*command, "--results", results)
    assert answer.code == 0
    assert answer.err.startswith(f"1 damaged file left out: {path}: delete")
    assert "prostate" in answer.out
