"""Whatever damages a store or an archive: the undamaged rest, or one clear line."""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmark.errors import UserError
from benchmark.plan.key import RunKey
from benchmark.results.archive import write_archive
from benchmark.results.arrays import RunArrays
from benchmark.results.expected import write_plan
from benchmark.results.reading import flatten, read_results
from benchmark.results.record import COLUMNS, RUN_COLUMNS
from benchmark.results.status import count_runs
from benchmark.results.store import Store

KEY = RunKey("prostate", "d" * 64, "wpfs", 1, '{"sparsity":[1,2.5]}', repeat=0, fold=0)

#: Set when a run is read, or says only where it is.
_NOT_RECORDED = ("path", "stale")

Damage = Callable[[Path], None]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a store of four runs, one of them failed, and its archive."""
    root, rng = tmp_path_factory.mktemp("damage"), np.random.default_rng(0)
    store = Store(root / "store")
    keys = [replace(KEY, fold=fold, model=model) for model in ("wpfs", "knn") for fold in (0, 1)]
    record = {
        **dict.fromkeys(("split_checksum", "git_commit", "started", "device"), "text"),
        "threads": 1,
        "status": "ok",
        "error": "",
        "stand_in_for": "",
        "dataset_differences": ["200 other patients."],
        "presets": ["paper"],
        "versions": {"python": "3.11"},
        "cross_entropy_test": 0.4321,
        "seconds": 12.5,
    }
    for key in keys[:3]:
        proba = rng.dirichlet([1, 1], 20)
        arrays = {
            "test_index": np.arange(20),
            "y_true": rng.integers(0, 2, 20),
            "y_pred": proba.argmax(axis=1),
            "proba": proba,
            "importances": rng.random(30).astype(np.float32),
            "selected": np.arange(5, dtype=np.int32),
            **{f"history_{name}": rng.random(9) for name in ("step", "train_loss", "valid_loss")},
        }
        store.write(key, record | {"balanced_accuracy_test": rng.random()}, arrays)
    store.write(keys[3], record | {"status": "failed", "error": "no"}, None)
    write_plan(store.folder, keys)
    frame, stored = read_results(store.folder)
    write_archive(frame, root / "archive", stored, curves=True)
    return {"store": store.folder, "archive": root / "archive"}


@st.composite
def damages(draw: st.DrawFn) -> Damage:
    kind = draw(st.sampled_from(["drop", "truncate", "flip", "retype", "overwrite", "folder"]))
    share, bit = draw(st.floats(0, 0.9999)), draw(st.integers(0, 7))
    noise = draw(st.binary(max_size=20))
    value = draw(
        st.sampled_from([None, True, -1, 7, 1e308, float("nan"), "0.9", "NaN", [], [1], {}, 10**30])
    )

    def damage(path: Path) -> None:
        content = bytearray(path.read_bytes())
        place = int(share * len(content))
        if kind == "truncate":
            content = content[:place]
        elif kind == "flip":
            content[place] ^= 1 << bit
        elif kind == "overwrite":
            content[place : place + len(noise)] = noise
        elif kind == "retype":
            content = bytearray(retype(bytes(content), share, value))
        path.unlink()
        if kind == "folder":
            path.mkdir()
        elif kind != "drop":
            path.write_bytes(content)

    return damage


def retype(content: bytes, share: float, value: Any) -> bytes:
    """Put a value of another type into a field of a JSON file or a cell of a table."""
    try:
        fields = json.loads(content)
    except ValueError:
        cells = content.split(b",")
        cells[int(share * len(cells))] = str(value).encode()
        return b",".join(cells)
    name = list(fields)[int(share * len(fields))]
    return json.dumps(fields | {name: value}).encode()


def list_runs(folder: Path, unreadable: list[Path]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Return name and content, arrays included, of every run that can be read."""
    frame, arrays = read_results(folder, unreadable)
    table = flatten(frame).drop(columns=list(_NOT_RECORDED))
    for run, row in table.iterrows():
        content = {name: value for name, value in row.items() if value == value}
        yield tuple(row[list(RUN_COLUMNS)]), (content, read_arrays(arrays, int(run)))
    unreadable += arrays.unreadable


def read_arrays(arrays: RunArrays, run: int) -> dict[str, list[float]]:
    counts = arrays.read_importance_counts(run)
    found = {**arrays.read_predictions(run), **arrays.read_history(run)}
    if counts is not None:
        found["importance_counts"] = counts
    scores = arrays.read_scores(run)
    if scores is not None and scores.selected is not None:
        found |= {"scores": scores.scores, "selected": scores.selected}
    return {name: values.tolist() for name, values in found.items()}


def damage_copy(source: Path, target: Path, which: float, damage: Damage) -> Path:
    """Damage one file of a copy; return it."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    files = sorted(path for path in target.rglob("*") if path.is_file())
    file = files[int(which * len(files))]
    damage(file)
    return file


def check_message(error: UserError) -> None:
    text = str(error)
    assert "\n" not in text
    assert len(text) < 500


fuzz = settings(max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.slow
@fuzz
@given(which=st.floats(0, 0.9999), damage=damages())
def test_a_damaged_store_gives_the_undamaged_rest(
    folders: dict[str, Path], tmp_path: Path, which: float, damage: Damage
) -> None:
    whole = dict(list_runs(folders["store"], []))
    copy = tmp_path / "copy"
    file = damage_copy(folders["store"], copy, which, damage)
    same = (
        file.is_file()
        and file.read_bytes() == (folders["store"] / file.relative_to(copy)).read_bytes()
    )
    unreadable: list[Path] = []
    try:
        found = dict(list_runs(copy, unreadable))
        status = count_runs(copy)
    except UserError as error:
        check_message(error)
        return
    lost = whole.keys() - found.keys()
    assert not found.keys() - whole.keys()
    assert len(lost) <= 1
    assert set(unreadable) <= {file}
    if lost:
        assert file.suffix == ".json"
        assert unreadable == [file] or not file.exists()
        assert status.unreadable == unreadable
    if same:
        assert found == whole
    for name, (content, arrays) in found.items():
        assert content == whole[name][0]
        expected = whole[name][1]
        assert all(arrays[array] == expected[array] for array in arrays)
        if arrays.keys() < expected.keys():
            assert file.suffix == ".npz"
            assert unreadable == [file] or not file.exists()


@pytest.mark.slow
@pytest.mark.parametrize("manifest", [True, False])
@settings(fuzz, max_examples=125)
@given(which=st.floats(0, 0.9999), damage=damages())
def test_a_damaged_archive_is_read_whole_or_refused(
    folders: dict[str, Path], tmp_path: Path, manifest: bool, which: float, damage: Damage
) -> None:
    whole = dict(list_runs(folders["archive"], []))
    copy, source = tmp_path / "copy", folders["archive"]
    if not manifest:
        source = tmp_path / "early"
        shutil.rmtree(source, ignore_errors=True)
        shutil.copytree(folders["archive"], source)
        (source / "manifest.json").unlink()
    file = damage_copy(source, copy, which, damage)
    try:
        found = dict(list_runs(copy, []))
    except UserError as error:
        check_message(error)
        return
    if manifest:
        assert found == whole
        return
    # Without digests a changed digit of the table cannot be told; everything else can.
    if file.name not in ("runs.csv", "texts.json"):
        for name, (content, arrays) in found.items():
            assert content == whole[name][0]
            if arrays != whole[name][1]:
                assert file.name in ("curves.npz", "genes.npz")
                assert not file.exists()


ODD_ARRAYS = {
    "text": lambda array: array.astype("U"),
    "one more": lambda array: np.append(array, array[-1:], axis=0),
    "one less": lambda array: array[:-1],
    "in rows": lambda array: array[None],
    "negative": lambda array: -1 - array.astype(np.int32),
    "large": lambda array: array + np.full_like(array, 90),
    "backwards": lambda array: array[::-1],
    "a number": lambda array: np.zeros((), array.dtype),
    "none": lambda array: array[:0],
}


@pytest.mark.parametrize("kind", ODD_ARRAYS)
@pytest.mark.parametrize("name", ["predictions.npz", "curves.npz", "genes.npz"])
def test_an_early_archive_with_odd_arrays_is_refused_in_one_line(
    folders: dict[str, Path], tmp_path: Path, name: str, kind: str
) -> None:
    copy = tmp_path / "archive"
    shutil.copytree(folders["archive"], copy)
    (copy / "manifest.json").unlink()
    with np.load(copy / name) as content:
        whole = dict(content)
    refused = 0
    for array, values in whole.items():
        np.savez(copy / name, **whole | {array: ODD_ARRAYS[kind](values)})
        try:
            list(list_runs(copy, []))
        except UserError as error:
            check_message(error)
            refused += 1
    assert refused


@pytest.mark.parametrize("column", COLUMNS)
def test_an_early_archive_without_a_column_has_it_empty_or_is_refused(
    folders: dict[str, Path], tmp_path: Path, column: str
) -> None:
    copy = tmp_path / "archive"
    shutil.copytree(folders["archive"], copy)
    (copy / "manifest.json").unlink()
    runs = pd.read_csv(copy / "runs.csv", dtype=str, keep_default_na=False)
    runs.drop(columns=column, errors="ignore").to_csv(copy / "runs.csv", index=False)
    try:
        frame, _ = read_results(copy)
    except UserError as error:
        check_message(error)
    else:
        assert set(frame) >= set(COLUMNS)
