"""Archives hold what the store held."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest

from benchmark.errors import UserError
from benchmark.plan.key import RunKey
from benchmark.results.archive import check_nothing_is_lost, write_archive
from benchmark.results.arrays import count_importances
from benchmark.results.merge import merge_results
from benchmark.results.reading import read_results
from benchmark.results.record import LATER_COLUMNS
from benchmark.results.store import Store

EMPTY = {
    "status": "failed",
    "error": "",
    "presets": [],
    "dataset_differences": [],
    "versions": {},
}
KEY = ["dataset", "model", "repeat", "fold"]


@pytest.fixture
def store_folder(tmp_path):
    """Six runs: importances of one method are gates, one run failed."""
    store, rng = Store(tmp_path / "store"), np.random.default_rng(0)
    texts = ("split_checksum", "device", "git_commit", "started")
    record = {
        **dict.fromkeys(texts, "text"),
        "threads": 1,
        "status": "ok",
        "error": "",
        "stand_in_for": "",
        "dataset_differences": ["200 other patients."],
        "presets": ["paper", "default"],
        "versions": {"python": "3.11"},
    }
    for model, fold in itertools.product(("wpfs", "knn"), range(3)):
        key = RunKey("prostate", "d" * 64, model, 1, '{"a":[1,2]}', repeat=0, fold=fold)
        if (model, fold) == ("knn", 1):
            store.write(key, record | {"status": "failed", "error": "ValueError: no"}, None)
            continue
        proba = rng.dirichlet([1, 1], 20)
        arrays = {
            "test_index": np.arange(20),
            "y_true": rng.integers(0, 2, 20),
            "y_pred": proba.argmax(axis=1),
            "proba": proba,
        }
        if model == "wpfs":
            names = ("step", "train_loss", "valid_loss")
            arrays |= {f"history_{name}": rng.random(10).round(1) for name in names}
            arrays["history_step"] = np.arange(10)
            arrays["importances"] = rng.beta(0.4, 0.8, 50).astype(np.float32)
            arrays["selected"] = np.flatnonzero(arrays["importances"] > 0.9)
        store.write(key, record | {"balanced_accuracy_test": rng.random()}, arrays)
    return store.folder


@pytest.fixture
def archive(store_folder, tmp_path):
    frame, arrays = read_results(store_folder)
    write_archive(frame, tmp_path / "archive", arrays, curves=True)
    return tmp_path / "archive"


def test_the_frame_comes_back(store_folder, archive):
    ours, _ = read_results(store_folder)
    back, _ = read_results(archive)
    ours, back = (frame.sort_values(KEY).reset_index(drop=True) for frame in (ours, back))
    columns = [name for name in ours.columns if name != "path"]
    pd.testing.assert_frame_equal(ours[columns], back[columns], check_dtype=False)


def test_archives_of_early_runs_lack_columns(archive):
    file, later = archive / "runs.csv", list(LATER_COLUMNS)
    early = pd.read_csv(file, dtype=str).drop(columns=[*later, "auroc_test"])
    early.to_csv(file, index=False)
    (archive / "manifest.json").unlink()
    frame, _ = read_results(archive)
    assert frame[later].eq("").all(axis=None)
    assert frame["auroc_test"].isna().all()


def test_arrays_come_back_for_every_run(store_folder, archive):
    ours, stored = read_results(store_folder)
    back, archived = read_results(archive)
    places = {tuple(row[KEY]): run for run, row in back.iterrows()}
    for run, row in ours.iterrows():
        there = places[tuple(row[KEY])]
        expected, found = stored.read_predictions(run), archived.read_predictions(there)
        assert expected.keys() == found.keys()
        for name in ("test_index", "y_true", "y_pred"):
            if expected:
                np.testing.assert_array_equal(expected[name], found[name])
        if expected:
            np.testing.assert_allclose(expected["proba"], found["proba"], atol=1e-3)
        history, copy = stored.read_history(run), archived.read_history(there)
        assert history.keys() == copy.keys()
        for name in history:
            np.testing.assert_allclose(history[name], copy[name], rtol=2e-3)
        counts, copied = stored.read_importance_counts(run), archived.read_importance_counts(there)
        assert (counts is None) == (copied is None)
        if counts is not None:
            np.testing.assert_array_equal(counts, copied)
        scores, kept = stored.read_scores(run), archived.read_scores(there)
        assert (scores is None) == (kept is None)
        if scores is not None:
            np.testing.assert_array_equal(scores.scores, kept.scores)
            np.testing.assert_array_equal(scores.selected, kept.selected)


def test_curves_are_left_out_unless_asked_for(store_folder, tmp_path):
    frame, arrays = read_results(store_folder)
    write_archive(frame, tmp_path / "small", arrays)
    assert sorted(path.name for path in (tmp_path / "small").iterdir()) == [
        "genes.npz",
        "manifest.json",
        "predictions.npz",
        "runs.csv",
        "texts.json",
    ]
    _, archived = read_results(tmp_path / "small")
    assert archived.read_history(0) == {}
    assert archived.read_importance_counts(0) is None


def test_writing_twice_gives_the_same_bytes(store_folder, tmp_path):
    frame, arrays = read_results(store_folder)
    for name in ("one", "two"):
        write_archive(frame.sample(frac=1, random_state=0), tmp_path / name, arrays)
    for file in ("runs.csv", "texts.json", "predictions.npz"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_a_broken_archive_is_named(tmp_path):
    (tmp_path / "runs.csv").write_text("dataset,model\nprostate,wpfs\n")
    with pytest.raises(UserError, match=r"runs\.csv is not an archive of runs"):
        read_results(tmp_path)


def test_long_texts_are_kept_once_and_checked(archive):
    (versions,) = json.loads((archive / "texts.json").read_text())["versions"].values()
    assert versions not in (archive / "runs.csv").read_text()
    text = (archive / "texts.json").read_text()
    (archive / "texts.json").write_text(text.replace("python", "pyrhon", 1))
    with pytest.raises(UserError, match=r"texts\.json is damaged: it is not the file"):
        read_results(archive)
    (archive / "texts.json").unlink()
    with pytest.raises(UserError, match=r"texts\.json is missing"):
        read_results(archive)


def test_a_truncated_archive_is_told_by_its_counts(archive):
    lines = (archive / "runs.csv").read_text().splitlines(keepends=True)
    (archive / "runs.csv").write_text("".join(lines[:3]))
    with pytest.raises(UserError, match=r"it has 2 lines of runs and .* of 6 runs"):
        read_results(archive)
    (archive / "runs.csv").unlink()
    with pytest.raises(UserError, match=r"runs\.csv: No such file"):
        read_results(archive)


def test_a_changed_digit_of_an_archive_is_found(archive):
    text = (archive / "runs.csv").read_text()
    (archive / "runs.csv").write_text(text.replace("prostate,", "prostata,", 1))
    with pytest.raises(UserError, match="is not the file of 6 runs"):
        read_results(archive)


@pytest.mark.parametrize("name", ["predictions.npz", "curves.npz"])
@pytest.mark.parametrize("manifest", [True, False])
def test_damaged_arrays_of_an_archive_are_named(archive, name, manifest):
    if not manifest:
        (archive / "manifest.json").unlink()
    content = (archive / name).read_bytes()
    (archive / name).write_bytes(content[:99] + b"?" + content[100:])
    _, arrays = read_results(archive)
    read = arrays.read_predictions if name == "predictions.npz" else arrays.read_history
    with pytest.raises(UserError, match=rf"{name} is damaged .*fetch the archive again|describes"):
        read(0)


@pytest.mark.parametrize("content", ["", "[]", '{"runs": "six", "sha256": {}}'])
def test_a_damaged_manifest_is_named(archive, content):
    (archive / "manifest.json").write_text(content)
    with pytest.raises(UserError, match=r"manifest\.json is damaged"):
        read_results(archive)


def test_lines_of_an_early_archive_are_checked(archive):
    (archive / "manifest.json").unlink()
    text = (archive / "runs.csv").read_text()
    (archive / "runs.csv").write_text(text.replace(",ok,", ",fine,", 1))
    with pytest.raises(UserError, match=r'line 2: status is "fine", not one of ok'):
        read_results(archive)


def test_curves_of_before_do_not_stay_beside_other_runs(store_folder, archive):
    frame, arrays = read_results(store_folder)
    write_archive(frame.iloc[1:], archive, arrays)
    _, archived = read_results(archive)
    assert archived.read_history(0) == {}


def test_a_data_set_may_be_called_na(store_folder, tmp_path):
    frame, arrays = read_results(store_folder)
    write_archive(frame.assign(dataset="NA"), tmp_path / "archive", arrays)
    assert set(read_results(tmp_path / "archive")[0]["dataset"]) == {"NA"}


def test_runs_of_other_folds_are_other_runs(tmp_path):
    """Those of --folds 3 would be lost where those of --folds 10 are written in their place."""
    keys = {folds: RunKey("prostate", "d" * 64, "knn", 1, "{}", 0, 1, folds) for folds in (3, 10)}
    for folds, key in keys.items():
        Store(tmp_path / str(folds)).write(key, EMPTY, None)
        Store(tmp_path / "both").write(key, EMPTY, None)
    write_archive(read_results(tmp_path / "3")[0], tmp_path / "archive")
    with pytest.raises(UserError, match="holds 1 runs that would be lost"):
        check_nothing_is_lost(read_results(tmp_path / "10")[0], tmp_path / "archive")
    both = read_results(tmp_path / "both")[0]
    check_nothing_is_lost(both, tmp_path / "archive")
    write_archive(both, tmp_path / "archive")
    assert set(read_results(tmp_path / "archive")[0]["folds"]) == {3, 10}
    assert merge_results([tmp_path / "archive"], tmp_path / "merged").copied == 2


def test_a_missing_predictions_file_is_named(archive):
    (archive / "predictions.npz").unlink()
    _, arrays = read_results(archive)
    with pytest.raises(UserError, match=r"predictions\.npz is missing"):
        arrays.read_predictions(0)


@pytest.mark.parametrize("make", [False, True])
def test_a_folder_without_runs_says_what_to_do(tmp_path, make):
    folder = tmp_path / "nothing"
    if make:
        folder.mkdir()
    with pytest.raises(UserError, match="start with `wpfs-bench run`"):
        read_results(folder)


def test_importances_outside_the_unit_interval_are_not_gates():
    assert count_importances(np.array([0.2, 3.0])) is None
    assert count_importances(np.array([])) is None
    assert count_importances(np.array([0.0, 0.96, 1.0]))[-1] == 2


def write_run(folder, importances, **fields):
    """Write a store of one run with these importances."""
    key = RunKey("prostate", "d" * 64, "wpfs", 1, "{}", repeat=0, fold=0)
    arrays = {
        "test_index": np.arange(2),
        "y_true": np.array([0, 1]),
        "y_pred": np.array([0, 1]),
        "proba": np.eye(2),
        "importances": importances,
    }
    Store(folder).write(key, EMPTY | {"status": "ok"} | fields, arrays)
    return read_results(folder)


def test_an_archive_keeps_the_best_scores_and_the_whole_selection(tmp_path):
    importances = np.random.default_rng(0).random(1000).astype(np.float32)
    frame, arrays = write_run(tmp_path / "store", importances, n_selected=300)
    write_archive(frame, tmp_path / "archive", arrays)
    kept = read_results(tmp_path / "archive")[1].read_scores(0)
    best = np.argsort(-importances)
    np.testing.assert_array_equal(kept.scores[best[:100]], importances[best[:100]])
    assert np.isnan(kept.scores[best[100:]]).all()
    # Early runs, as this one, only say how many were selected: the best.
    np.testing.assert_array_equal(np.flatnonzero(kept.selected), np.sort(best[:300]))


def test_all_that_share_the_last_score_are_kept(tmp_path):
    """Saturated gates: otherwise those kept would be the first of the table."""
    rng = np.random.default_rng(0)
    importances = rng.random(1000).astype(np.float32)
    importances[rng.choice(1000, 300, replace=False)] = 1
    frame, arrays = write_run(tmp_path / "store", importances)
    write_archive(frame, tmp_path / "archive", arrays)
    kept = read_results(tmp_path / "archive")[1].read_scores(0)
    np.testing.assert_array_equal(kept.scores == 1, importances == 1)
    assert np.isnan(kept.scores[importances < 1]).all()


def test_what_is_not_kept_of_few_scores_is_zero(tmp_path):
    importances = np.zeros(1000, dtype=np.float32)
    importances[[7, 900]] = 2.5, 0.1
    frame, arrays = write_run(tmp_path / "store", importances)
    write_archive(frame, tmp_path / "archive", arrays)
    kept = read_results(tmp_path / "archive")[1].read_scores(0)
    np.testing.assert_array_equal(kept.scores, importances)
    assert kept.selected is None


def test_names_are_kept_through_archives_of_archives(tmp_path):
    frame, arrays = write_run(tmp_path / "store", np.ones(3, dtype=np.float32))
    names = {"d" * 64: np.array(["ESR1", "GATA3", "é"])}
    write_archive(frame, tmp_path / "one", arrays, names=names)
    frame, arrays = read_results(tmp_path / "one")
    write_archive(frame, tmp_path / "two", arrays)
    found = read_results(tmp_path / "two")[1]
    assert found.read_names("d" * 64).tolist() == ["ESR1", "GATA3", "é"]
    assert found.read_names("e" * 64) is None


def test_early_archives_have_no_scores(archive):
    (archive / "genes.npz").unlink()
    manifest = json.loads((archive / "manifest.json").read_text())
    del manifest["sha256"]["genes.npz"]
    (archive / "manifest.json").write_text(json.dumps(manifest))
    _, arrays = read_results(archive)
    assert arrays.read_scores(3) is None
    assert arrays.read_names("d" * 64) is None


def test_scores_come_back_from_a_store_made_of_an_archive(store_folder, archive, tmp_path):
    """And a run with all its scores replaces it there."""
    merged = tmp_path / "merged"
    assert merge_results([archive], merged).copied == 6
    assert merge_results([archive], merged).copied == 0
    frame, arrays = read_results(merged)
    ours, stored = read_results(store_folder)
    for run in frame.index[frame["model"] == "wpfs"]:
        (there,) = ours.index[(ours[KEY] == frame.loc[run, KEY]).all(axis=1)]
        scores, back = stored.read_scores(there), arrays.read_scores(run)
        np.testing.assert_array_equal(scores.scores, back.scores)
        np.testing.assert_array_equal(scores.selected, back.selected)
    assert merge_results([store_folder], merged).copied == 3
    assert merge_results([archive], merged).copied == 0
