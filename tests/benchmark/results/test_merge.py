"""Results of several folders and archives become one folder; nothing is overwritten."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmark.errors import UserError
from benchmark.plan.key import RunKey
from benchmark.results.archive import write_archive
from benchmark.results.arrays import read_arrays
from benchmark.results.expected import write_plan
from benchmark.results.merge import merge_results
from benchmark.results.reading import read_results
from benchmark.results.status import count_runs
from benchmark.results.store import Store

KEY = RunKey("prostate", "abc", "lightgbm", 1, '{"hidden":[3,2],"rate":0.1}', repeat=0, fold=1)
OK: dict[str, Any] = {
    "status": "ok",
    "error": "",
    "presets": ["paper", "grid"],
    "stand_in_for": "",
    "dataset_differences": ["one row less"],
    "split_checksum": "s",
    "balanced_accuracy_test": 0.1 + 0.2,
    "cross_entropy_test": 1 / 3,
    "n_selected": 12,
    "seconds": 1.5,
    "device": "cpu",
    "threads": 1,
    "versions": {"python": "3.11"},
    "git_commit": "0" * 40,
    "started": "2026-01-01T00:00:00+00:00",
}
FAILED = OK | {"status": "failed", "error": "ValueError: no", "balanced_accuracy_test": None}


def test_merging_keeps_everything_and_reports_conflicts(tmp_path: Path) -> None:
    ours, left, right = (Store(tmp_path / name) for name in ("ours", "left", "right"))
    for made in (ours, left, right):
        made.prepare()
    keys = [replace(KEY, fold=fold) for fold in range(4)]
    left.write(keys[0], OK, {"proba": np.ones(2)})
    right.write(keys[0], OK | {"seconds": 99.0}, {})  # the same but slower
    left.write(keys[1], FAILED, None)
    right.write(keys[1], OK, {})
    left.write(keys[2], OK, {})
    right.write(keys[2], OK | {"balanced_accuracy_test": 0.9}, {})
    write_plan(right.folder, keys)

    report = merge_results([left.folder, right.folder], ours.folder)

    assert (report.copied, report.same) == (4, 1)
    assert [kept.stem for kept, _ in report.conflicts] == ["r0-f2-s42"]
    assert [ours.read_status(key) for key in keys] == ["ok", "ok", "ok", None]
    frame = read_results(ours.folder)[0]
    assert frame["balanced_accuracy_test"].tolist() == [0.1 + 0.2] * 3
    assert "proba" in read_arrays(frame["path"][0])
    assert count_runs(ours.folder).cells["prostate", "lightgbm", 5].missing == 1
    again = merge_results([left.folder], ours.folder)
    assert (again.copied, len(again.conflicts)) == (0, 0)


def test_names_of_features_come_along(tmp_path: Path) -> None:
    made, names = Store(tmp_path / "made"), np.array(["ESR1", "é"])
    made.prepare()
    made.write(KEY, OK, {"importances": np.ones(2)})
    made.write_names(KEY.dataset_checksum, names)
    write_archive(read_results(made.folder)[0], tmp_path / "archive")
    for source in (made.folder, tmp_path / "archive"):
        merged = tmp_path / f"from-{source.name}"
        merge_results([source], merged)
        found = read_results(merged)[1].read_names(KEY.dataset_checksum)
        assert found is not None
        assert found.tolist() == names.tolist()
        assert count_runs(merged).cells.keys() == count_runs(made.folder).cells.keys()


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Return the archive of a good and a failed run."""
    store = Store(tmp_path / "archived")
    store.prepare()
    proba = np.array([[0.25, 0.75], [0.1, 0.9]])
    arrays = {
        "test_index": np.array([3, 5]),
        "y_true": np.array([1, 0]),
        "y_pred": np.array([1, 1]),
        "proba": proba,
        "importances": np.ones(4),
    }
    store.write(KEY, OK, arrays)
    store.write(replace(KEY, fold=2), FAILED, None)
    write_archive(read_results(store.folder)[0], tmp_path / "archive")
    return tmp_path / "archive"


def test_an_archive_becomes_records_again(archive: Path, tmp_path: Path) -> None:
    before = read_results(tmp_path / "archived")[0]
    report = merge_results([archive], tmp_path / "all")
    assert (report.copied, report.same, report.conflicts) == (2, 0, [])
    after = read_results(tmp_path / "all")[0]
    pd.testing.assert_frame_equal(before.drop(columns="path"), after.drop(columns="path"))
    arrays = read_arrays(after["path"][0])
    assert arrays["test_index"].tolist() == [3, 5]
    np.testing.assert_allclose(arrays["proba"], [[0.25, 0.75], [0.1, 0.9]], atol=1e-3)
    assert read_arrays(after["path"][1]) == {}


def test_archiving_again_changes_nothing(archive: Path, tmp_path: Path) -> None:
    merge_results([archive], tmp_path / "all")
    write_archive(read_results(tmp_path / "all")[0], tmp_path / "again")
    for file in ("runs.csv", "predictions.npz"):
        assert (tmp_path / "again" / file).read_bytes() == (archive / file).read_bytes()


def test_what_is_in_the_archive_is_not_run_again(archive: Path, tmp_path: Path) -> None:
    merge_results([archive], tmp_path / "all")
    store = Store(tmp_path / "all")
    assert store.read_status(KEY) == "ok"
    assert store.read_status(replace(KEY, fold=2)) == "failed"
    assert merge_results([archive], tmp_path / "all").same == 2


def test_a_record_with_more_arrays_replaces_that_of_an_archive(
    archive: Path, tmp_path: Path
) -> None:
    merge_results([archive], tmp_path / "all")
    report = merge_results([tmp_path / "archived", archive], tmp_path / "all")
    assert (report.copied, report.same) == (1, 3)
    assert "importances" in read_arrays(read_results(tmp_path / "all")[0]["path"][0])


def test_records_beside_an_archive_are_taken_too(archive: Path, tmp_path: Path) -> None:
    Store(archive).write(replace(KEY, fold=3), OK, {})
    assert merge_results([archive], tmp_path / "all").copied == 3


def test_predictions_of_other_runs_are_refused(archive: Path, tmp_path: Path) -> None:
    lines = (archive / "runs.csv").read_text().splitlines(keepends=True)
    (archive / "runs.csv").write_text("".join(lines[:2]))
    (archive / "manifest.json").unlink()
    with pytest.raises(UserError, match=r"predictions\.npz is not of the same runs as"):
        merge_results([archive], tmp_path / "all")


def test_loss_curves_of_an_archive_come_back(archive: Path, tmp_path: Path) -> None:
    curve = {f"history_{name}": np.ones(3) for name in ("step", "train_loss", "valid_loss")}
    predictions = read_arrays(read_results(tmp_path / "archived")[0]["path"][0])
    store = Store(tmp_path / "curved")
    store.write(KEY, OK, {**predictions, **curve})
    write_archive(read_results(store.folder)[0], tmp_path / "with-curves", curves=True)
    merge_results([tmp_path / "with-curves"], tmp_path / "all")
    assert curve.keys() <= read_arrays(read_results(tmp_path / "all")[0]["path"][0]).keys()


def test_an_archive_with_other_scores_is_a_conflict(archive: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "all")
    store.write(KEY, OK | {"balanced_accuracy_test": 0.9}, {})
    ((kept, left),) = merge_results([archive], store.folder).conflicts
    assert kept.stem == "r0-f1-s42"
    assert left.startswith("prostate lightgbm[")
    assert left.endswith("r0-f1-s42 of " + str(archive / "runs.csv"))
    assert read_results(store.folder)[0]["balanced_accuracy_test"][0] == 0.9


@pytest.mark.parametrize("damage", ["record", "directory", "plan", "archive"])
def test_what_is_damaged_is_refused_by_name(archive: Path, tmp_path: Path, damage: str) -> None:
    source = Store(tmp_path / "damaged")
    path = source.write(KEY, OK, {})
    write_plan(source.folder, [KEY])
    folder = source.folder
    if damage == "record":
        path.write_text(path.read_text().replace("0.3", "3.0"))
    elif damage == "directory":
        path.unlink()
        path.mkdir()
    elif damage == "plan":
        (path,) = folder.glob(".plans/*.json")
        path.write_text("{}")
    else:
        folder, path = archive, archive / "runs.csv"
        path.write_text(path.read_text().replace(",1,cpu", ",2,cpu") + "\n")
    with pytest.raises(UserError, match=re.escape(f"{path} is ")):
        merge_results([folder], tmp_path / "all")
    assert not list((tmp_path / "all").rglob("*.json"))
