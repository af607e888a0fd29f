import errno
import hashlib
import json
import math
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmark.errors import UserError
from benchmark.plan.key import RunKey
from benchmark.results.arrays import read_arrays
from benchmark.results.expected import write_plan
from benchmark.results.reading import read_results
from benchmark.results.record import COLUMNS, pack_record
from benchmark.results.status import count_runs
from benchmark.results.store import Store, key_of, list_records

KEY = RunKey("prostate", "abc", "lightgbm", 1, '{"hidden":[3,2],"rate":0.1}', repeat=0, fold=1)
OK: dict[str, Any] = {
    "status": "ok",
    "error": "",
    "presets": ["paper", "grid"],
    "stand_in_for": "",
    "dataset_differences": ["one row less"],
    "split_checksum": "s",
    "balanced_accuracy_test": 0.1 + 0.2,
    "seconds": 1.5,
    "device": "cpu",
    "threads": 1,
    "versions": {"python": "3.11"},
}
FAILED = {"status": "failed", "error": "ValueError: no", "seconds": 1.0}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "results")
    made.prepare()
    return made


def test_a_record_comes_back_as_it_was_written(store: Store) -> None:
    proba = np.array([[0.25, 0.75]])
    path = store.write(KEY, OK, {"proba": proba})
    row = read_results(store.folder)[0].iloc[0]
    assert row["balanced_accuracy_test"] == 0.1 + 0.2
    assert row["hyperparameters"] == {"hidden": [3, 2], "rate": 0.1}
    assert row["presets"] == ("paper", "grid")
    assert row["dataset_differences"] == ["one row less"]
    assert np.isnan(row["auroc_test"])
    assert not row["stale"]
    assert row["path"] == str(path)
    assert key_of(row) == KEY
    np.testing.assert_array_equal(read_arrays(row["path"])["proba"], proba)


def test_columns_are_those_of_the_contract_whatever_a_record_holds(store: Store) -> None:
    store.write(KEY, FAILED, None)
    assert list(read_results(store.folder)[0].columns) == list(COLUMNS)


def test_status_of_a_run(store: Store) -> None:
    assert store.read_status(KEY) is None
    store.write(KEY, FAILED, None)
    assert store.read_status(KEY) == "failed"
    store.write(KEY, OK, {})
    assert store.read_status(KEY) == "ok"


def test_a_torn_record_counts_as_missing_and_is_named_when_read(store: Store) -> None:
    path = store.write(KEY, OK, {})
    path.write_text(path.read_text()[:40])
    assert store.read_status(KEY) is None
    with pytest.raises(UserError, match=r"r0-f1-s42.json is not a result record"):
        read_results(store.folder)


def test_a_record_of_a_newer_version_is_refused(store: Store) -> None:
    path = store.write(KEY, OK, {})
    path.write_bytes(pack_record({**json.loads(path.read_text()), "schema": 99}))
    with pytest.raises(UserError, match="upgrade"):
        read_results(store.folder)


@pytest.mark.parametrize("moment", ["write", "fsync", "replace"])
@pytest.mark.parametrize("file_number", [1, 2])
def test_a_full_disk_leaves_the_old_record_whole(
    store: Store, monkeypatch: pytest.MonkeyPatch, moment: str, file_number: int
) -> None:
    """File 1 is the npz, file 2 the JSON."""
    store.write(KEY, FAILED, None)
    before = {p.name: p.read_bytes() for p in store.folder.rglob("*.json")}
    calls = 0

    def fail(*arguments: Any, **_: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == file_number:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return original(*arguments)

    if moment == "fsync":
        original: Any = os.fsync
        monkeypatch.setattr(os, "fsync", fail)
    elif moment == "replace":
        original = Path.replace
        monkeypatch.setattr(Path, "replace", fail)
    else:
        original = Path.open
        monkeypatch.setattr(Path, "open", fail)
    with pytest.raises(UserError, match="No space left on device; all finished runs are kept"):
        store.write(KEY, OK, {"proba": np.ones(3)})
    monkeypatch.undo()
    assert {p.name: p.read_bytes() for p in store.folder.rglob("*.json")} == before
    assert not list(store.folder.rglob("*.tmp"))
    assert store.read_status(KEY) == "failed"


def test_a_folder_that_cannot_be_written_is_an_error_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserError, match=r"cannot write results to .*file"):
        Store(tmp_path / "file" / "results").prepare()


def test_leftovers_of_a_killed_writer_are_not_records(store: Store) -> None:
    path = store.write(KEY, OK, {})
    path.with_name(f".{path.name}.123.tmp").write_text('{"schema"')
    assert list(list_records(store.folder)) == [str(path)]


def test_another_method_version_or_other_data_make_older_records_stale(store: Store) -> None:
    newer = replace(KEY, method_version=2)
    old_data = replace(KEY, model="mlp", dataset="toxicity", dataset_checksum="old")
    new_data = replace(old_data, dataset_checksum="new")
    for key in (KEY, newer, old_data, new_data):
        store.write(key, OK, {})
    write_plan(store.folder, [KEY, old_data])
    write_plan(store.folder, [newer, new_data])
    frame = read_results(store.folder)[0]
    stale = frame.set_index(["dataset", "dataset_checksum", "method_version"])["stale"]
    assert stale.to_dict() == {
        ("prostate", "abc", 1): True,
        ("prostate", "abc", 2): False,
        ("toxicity", "old", 1): True,
        ("toxicity", "new", 1): False,
    }
    assert count_runs(store.folder).stale == 2


def test_missing_is_what_was_asked_for_and_is_not_there(store: Store) -> None:
    keys = [replace(KEY, fold=fold) for fold in range(5)]
    write_plan(store.folder, keys)
    store.write(keys[0], OK, {})
    store.write(keys[1], FAILED, None)
    counts = count_runs(store.folder).cells["prostate", "lightgbm", 5]
    assert (counts.done, counts.failed, counts.missing) == (1, 1, 3)


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("balanced_accuracy_test", "0.9", 'balanced_accuracy_test is "0.9", not a number'),
        ("balanced_accuracy_test", 1e308, "not a number from 0 to 1"),
        ("balanced_accuracy_test", math.nan, "it is not whole JSON"),
        ("cross_entropy_test", 1e308, "cross_entropy_test is 1e"),
        ("seconds", "NaN", 'seconds is "NaN"'),
        ("model", 7, "model is 7, not a text"),
        ("model", None, "model is null, not a text"),
        ("fold", 1.0, "fold is 1.0, not a whole number"),
        ("fold", True, "fold is true, not a whole number"),
        ("fold", 5, "fold is 5 of 5"),
        ("status", "fine", 'status is "fine", not one of ok'),
        ("presets", "paper", 'presets is "paper", not a list'),
        ("versions", [], "versions is [], not a mapping"),
        ("hyperparameters", {"rate": 0.2}, "not those of hyperparameters_hash"),
        ("hyperparameters", {"rate": math.nan}, "it is not whole JSON"),
        ("schema", "1", "no schema number"),
    ],
)
def test_fields_of_wrong_types_are_named(store: Store, field: str, value: Any, reason: str) -> None:
    """As records were before they had a checksum."""
    path = store.write(KEY, OK, {})
    record = json.loads(path.read_text())
    del record["crc32"]
    path.write_text(json.dumps(record | {field: value}))
    assert store.read_status(KEY) is None
    with pytest.raises(UserError, match=re.escape(reason)):
        read_results(store.folder)


def test_a_changed_digit_is_found(store: Store) -> None:
    path = store.write(KEY, OK | {"balanced_accuracy_test": 0.875}, {})
    path.write_text(path.read_text().replace("0.875", "0.975"))
    with pytest.raises(UserError, match="its checksum does not fit"):
        read_results(store.folder)


def test_one_damaged_record_costs_that_record(store: Store) -> None:
    good = store.write(KEY, OK, {})
    torn, folder = (store.write(replace(KEY, fold=fold), OK, {}) for fold in (2, 3))
    torn.write_text("{")
    folder.unlink()
    folder.mkdir()
    write_plan(store.folder, [replace(KEY, fold=fold) for fold in (1, 2, 3)])
    (plan,) = store.folder.glob(".plans/*.json")
    copy = plan.with_name("0" * 16 + ".json")
    copy.write_bytes(plan.read_bytes())

    unreadable: list[Path] = []
    frame = read_results(store.folder, unreadable)[0]
    found = count_runs(store.folder)

    assert frame["path"].tolist() == [str(good)]
    assert unreadable == found.unreadable == [copy, torn, folder]
    counts = found.cells["prostate", "lightgbm", 5]
    assert (counts.done, counts.missing) == (1, 2)
    assert store.read_status(replace(KEY, fold=3)) is None


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"written": 1, "cells": []}'])
def test_a_damaged_plan_is_named(store: Store, content: str) -> None:
    store.write(KEY, OK, {})
    (store.folder / ".plans").mkdir()
    (store.folder / ".plans" / "abc.json").write_text(content)
    with pytest.raises(UserError, match=r"abc\.json is not a plan of runs"):
        read_results(store.folder)


@pytest.mark.parametrize("change", [{"dataset_checksum": None}, {"folds": "5"}, {"runs": 3}])
def test_a_plan_with_a_wrong_field_is_named(store: Store, change: dict[str, Any]) -> None:
    write_plan(store.folder, [KEY])
    (file,) = store.folder.glob(".plans/*.json")
    plan = json.loads(file.read_text())
    plan["cells"][0].update(change)
    name = hashlib.sha256(json.dumps(plan["cells"]).encode()).hexdigest()[:16]
    file.rename(file.with_stem(name)).write_text(json.dumps(plan))
    assert [path.stem for path in count_runs(store.folder).unreadable] == [name]


def test_runs_of_other_folds_are_counted_apart(store: Store) -> None:
    keys = [replace(KEY, fold=fold, folds=folds) for folds in (10, 4) for fold in range(folds)]
    for key in keys[:-1]:
        store.write(key, OK, {})
    write_plan(store.folder, keys)
    found = count_runs(store.folder)
    counts = {folds: found.of_folds(folds)["prostate", "lightgbm"] for folds in found.folds}
    assert {folds: (c.done, c.missing) for folds, c in counts.items()} == {4: (3, 1), 10: (10, 0)}
    assert set(read_results(store.folder)[0]["folds"]) == {4, 10}


def test_early_plans_do_not_say_the_folds(store: Store) -> None:
    keys = [replace(KEY, fold=fold, folds=4) for fold in range(2)]
    write_plan(store.folder, keys)
    (file,) = store.folder.glob(".plans/*.json")
    plan = json.loads(file.read_text())
    for cell in plan["cells"]:
        del cell["folds"]
    name = hashlib.sha256(json.dumps(plan["cells"]).encode()).hexdigest()[:16]
    file.with_stem(name).write_text(json.dumps(plan))
    file.unlink()
    assert count_runs(store.folder).folds == [2]
    store.write(keys[0], OK, {})
    assert count_runs(store.folder).folds == [4]
