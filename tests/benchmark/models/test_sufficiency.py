"""Sufficiency of selected genes: what is compared, and that no test row has a say."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmark.datasets.dataset import Dataset
from benchmark.datasets.loading import DataSource
from benchmark.datasets.own_table.options import TableOptions
from benchmark.datasets.splits import make_split
from benchmark.errors import UserError
from benchmark.genes.selections import Selections, read_selections
from benchmark.models import sufficiency
from benchmark.models.sufficiency import Evaluation, Sufficiency, build_sufficiency
from benchmark.plan.jobs import RunRequest, make_jobs
from benchmark.results.reading import read_results
from benchmark.results.store import Store
from benchmark.run.execute import execute_job

from .conftest import make_cohort


def make_selections(dataset: Dataset, scores: np.ndarray, folds: int = 5) -> Selections:
    """Return five runs with the scores (D,) or (5, D)."""
    rows = [
        {"repeat": 0, "fold": fold, "folds": folds,
         "split_checksum": make_split(dataset.y, 0, fold, folds).checksum}
        for fold in range(5)
    ]  # fmt: skip
    return Selections("made", pd.DataFrame(rows), np.tile(scores, (5, 1)).astype(np.float32), None)


def test_true_genes_are_better_than_random_ones_and_noise_is_not():
    dataset = make_cohort(n=90, **make_names(_make_faint(90)))
    true, noise = np.zeros(200), np.zeros(200)
    true[:6], noise[100:106] = 1, 1
    evaluation = Evaluation(dataset, 6)
    found = [evaluation.measure(make_selections(dataset, scores)) for scores in (true, noise)]
    assert found[0].top.mean() > found[0].drawn.mean() + 0.3
    assert not found[0].is_no_better_than_random
    assert found[1].is_no_better_than_random
    assert found[0].sizes.tolist() == [6] * 5
    # What the methods share is the same for both.
    np.testing.assert_array_equal(found[0].drawn, found[1].drawn)
    np.testing.assert_array_equal(found[0].everything, found[1].everything)
    titles = {"made": "Made"}
    table = build_sufficiency(dataset, [found[0]], 6, titles)
    assert not any("Warning" in note for note in table.notes)
    assert "test balanced accuracy" in table.title
    assert table.rows[0].cells[1].count == "n=5"
    (warning,) = build_sufficiency(dataset, [found[1]], 6, titles).notes[2:]
    assert warning.startswith("Warning: no better than random genes")
    assert warning.endswith(": Made.")


def _make_faint(n: int) -> np.ndarray:
    X = np.random.default_rng(0).normal(0, 1, (n, 200))
    X[:, :6] += 2 * np.eye(3)[np.arange(n) % 3].repeat(2, axis=1)
    return X


def make_names(X: np.ndarray) -> dict:
    return {"X": X, "feature_names": [f"G{j}" for j in range(X.shape[1])]}


def run_here(
    dataset: Dataset, folder: Path, folds: Sequence[int]
) -> tuple[dict[str, Selections], pd.DataFrame]:
    """Do runs of three methods in this process, as ``run`` does them, on some folds."""
    table = folder / "table.csv"
    folder.mkdir()
    frame = pd.DataFrame(dataset.X, columns=dataset.feature_names)
    frame.assign(kind=dataset.class_names[dataset.y]).to_csv(table, index=False)
    options = TableOptions(table, target="kind", classes=tuple(dataset.class_names.tolist()))
    store = Store(folder / "runs")
    store.prepare()
    request = RunRequest(["ridge", "lasso", "linear-svm"], [DataSource(own=options)], repeats=1)
    for job in make_jobs(request):
        if job.key.fold in folds:
            outcome = execute_job(job)
            assert outcome.status == "ok", outcome.record["error"]
            store.write(job.key, outcome.record, outcome.arrays)
    frame, arrays = read_results(store.folder)
    return read_selections(frame, arrays), frame


def test_poisoned_test_rows_change_no_list_and_reach_no_judge(tmp_path, monkeypatch):
    clean = make_cohort(n=60)
    test = make_split(clean.y, 0, 2).test
    poison = clean.X.copy()
    poison[test] = np.random.default_rng(1).normal(0, 1000, (len(test), 20))
    poisoned = make_cohort(n=60, X=poison)
    tops, seen = {}, {}
    for name, dataset in (("clean", clean), ("poisoned", poisoned)):
        selections, _ = run_here(dataset, tmp_path / name, folds=(0, 2))
        tops[name] = {model: of_model.list_top(5) for model, of_model in selections.items()}
        seen[name] = _record_fits(monkeypatch)
        for model, of_model in selections.items():
            assert of_model.runs["fold"].tolist() == [0, 2]
            of_fold = Selections(model, of_model.runs.iloc[[1]], of_model.scores[[1]], None)
            Evaluation(dataset, 5).measure(of_fold)
    assert tops["clean"].keys() == {"ridge", "lasso", "linear-svm"}
    pairs = [(tops["clean"][model], tops["poisoned"][model]) for model in tops["clean"]]
    for one, other in pairs:
        np.testing.assert_array_equal(one[1], other[1])
    # In the other fold these rows are learnt from: the poison is strong enough to show.
    assert any(not np.array_equal(one[0], other[0]) for one, other in pairs)
    assert len(seen["clean"]) == len(seen["poisoned"]) > 0
    for one, other in zip(seen["clean"], seen["poisoned"], strict=True):
        np.testing.assert_array_equal(one, other)


def _record_fits(monkeypatch) -> list[np.ndarray]:
    """Return what every judge from now on learns from."""
    from benchmark.run.execute import build_estimator

    seen: list[np.ndarray] = []

    def build(*arguments):
        judge = build_estimator(*arguments)
        fit = judge.fit
        judge.fit = lambda X, y: (seen.append(np.array(X)), fit(X, y))[1]
        return judge

    monkeypatch.setattr(sufficiency, "build_estimator", build)
    return seen


def test_with_all_genes_it_is_the_stored_linear_svm(tmp_path):
    dataset = make_cohort(n=60, **make_names(_make_faint(60)))
    selections, frame = run_here(dataset, tmp_path / "faint", folds=(1, 4))
    found = Evaluation(dataset, 200).measure(selections["linear-svm"])
    stored = frame[frame["model"] == "linear-svm"].sort_values("fold")["balanced_accuracy_test"]
    np.testing.assert_allclose(found.everything, stored)
    np.testing.assert_allclose(found.top, stored)


def test_a_run_without_genes_is_a_guess():
    dataset = make_cohort(n=60)
    found = Evaluation(dataset, 5).measure(make_selections(dataset, np.zeros(20)))
    np.testing.assert_allclose(found.top, 1 / 3)
    assert found.sizes.tolist() == [0] * 5


def test_the_interval_allows_for_shared_training_rows():
    """By hand: differences 1..5, mean 3, variance 2.5, (1/5 + 1/4) 2.5 = 1.125, t = 2.7764."""
    gains = np.arange(1.0, 6.0)
    found = Sufficiency("x", np.full(5, 5), gains, np.zeros(5), gains, 0.2)
    low, high = found.find_interval()
    assert found.gain == 3
    assert (low, high) == (
        pytest.approx(3 - 2.776445 * np.sqrt(1.125), abs=1e-5),
        pytest.approx(3 + 2.776445 * np.sqrt(1.125), abs=1e-5),
    )


def test_splits_of_another_day_and_short_archives_are_refused():
    dataset = make_cohort(n=60)
    other = make_selections(dataset, np.arange(20.0))
    other.runs["split_checksum"] = "0"
    with pytest.raises(UserError, match="repeat 0, fold 0 was split in another way"):
        Evaluation(dataset, 5).measure(other)
    scores = np.r_[1:6, [np.nan] * 15]
    with pytest.raises(UserError, match="only the 5 best scores are kept: ask for 5 genes"):
        Evaluation(dataset, 6).measure(make_selections(dataset, scores))
    Evaluation(dataset, 5).measure(make_selections(dataset, scores))
