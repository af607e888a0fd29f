from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmark.datasets import TableOptions
from benchmark.datasets.dataset import Dataset
from benchmark.datasets.loading import DataSource
from benchmark.datasets.splits import make_split
from benchmark.plan.jobs import Job
from benchmark.plan.key import RunKey
from benchmark.run import execute
from benchmark.run.execute import Outcome, execute_job, take_parts
from benchmark.run.provenance import name_processor

MakeJobs = Callable[..., list[Job]]


def make_dataset(**changes: Any) -> Dataset:
    rng = np.random.default_rng(0)
    y = np.tile([0, 1, 2], 20)
    X = rng.normal(size=(60, 12)).astype(np.float32)
    X[:, 0] += y
    fields: dict[str, Any] = {
        "name": "made-up",
        "X": X,
        "y": y,
        "feature_names": [f"g{i}" for i in range(12)],
        "sample_ids": [f"s{i}" for i in range(60)],
        "class_names": ["a", "b", "c"],
    }
    return Dataset(**(fields | changes))


@pytest.fixture
def run_on(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """Return a function that runs a method on a given data set."""

    def run(method: str, dataset: Dataset, **changes: Any) -> Outcome:
        monkeypatch.setattr(execute, "load_dataset", lambda source: dataset)
        fields: dict[str, Any] = {
            "dataset": dataset.name,
            "dataset_checksum": dataset.checksum,
            "model": method,
            "method_version": 1,
            "hyperparameters_text": "{}",
            "repeat": 0,
            "fold": 0,
        }
        key = RunKey(**(fields | changes))
        return execute_job(Job(key, method, DataSource(dataset.name)))

    return run


def test_a_record_holds_scores_and_arrays(run_on: Callable[..., Outcome]) -> None:
    dataset = make_dataset()
    outcome = run_on("random-forest", dataset, hyperparameters_text='{"n_estimators":20}')
    assert outcome.status == "ok", outcome.record["error"]
    assert outcome.record["processor"] == name_processor()
    for column in ("balanced_accuracy_test", "auroc_test", "macro_f1_test", "accuracy_test"):
        assert 0 <= outcome.record[column] <= 1
    assert outcome.arrays is not None
    split = make_split(dataset.y, 0, 0)
    np.testing.assert_array_equal(outcome.arrays["test_index"], split.test)
    np.testing.assert_array_equal(outcome.arrays["y_true"], dataset.y[split.test])
    assert outcome.arrays["proba"].shape == (12, 3)
    assert outcome.arrays["importances"].shape == (12,)
    assert outcome.record["split_checksum"] == split.checksum
    assert outcome.record["peak_memory_mb"] > 10
    assert outcome.record["seconds"] > 0


def test_what_a_method_selects_is_kept(run_on: Callable[..., Outcome]) -> None:
    outcome = run_on("filter-svm", make_dataset(), hyperparameters_text='{"n_selected":3}')
    assert outcome.arrays is not None
    best = np.argsort(-outcome.arrays["importances"])[:3]
    np.testing.assert_array_equal(outcome.arrays["selected"], np.sort(best))
    assert outcome.record["n_selected"] == 3
    unselective = run_on("random-forest", make_dataset(), hyperparameters_text='{"n_estimators":5}')
    assert unselective.arrays is not None
    assert "selected" not in unselective.arrays


def test_history_and_steps_are_kept(run_on: Callable[..., Outcome]) -> None:
    outcome = run_on("lightgbm", make_dataset(), hyperparameters_text='{"n_rounds":30}')
    assert outcome.arrays is not None
    steps = outcome.arrays["history_step"]
    assert len(steps) == len(outcome.arrays["history_valid_loss"]) == outcome.record["steps"]
    best = int(np.argmin(outcome.arrays["history_valid_loss"])) + 1
    assert outcome.record["best_step"] == best


@pytest.mark.parametrize("method", ["random-forest", "lightgbm", "linear-svm"])
def test_no_test_row_influences_anything_before_scoring(
    run_on: Callable[..., Outcome], method: str
) -> None:
    """Garbage in the test rows changes no trained weight and no other score."""
    dataset = make_dataset()
    test = make_split(dataset.y, 0, 0).test
    X = dataset.X.copy()
    X[test] = 1e6 * np.random.default_rng(1).normal(size=(len(test), 12))
    clean, dirty = run_on(method, dataset), run_on(method, make_dataset(X=X))
    for name in ("balanced_accuracy_train", "balanced_accuracy_valid", "cross_entropy_valid"):
        assert clean.record[name] == dirty.record[name]
    assert clean.record.get("best_step") == dirty.record.get("best_step")
    assert clean.arrays is not None
    assert dirty.arrays is not None
    np.testing.assert_array_equal(clean.arrays["importances"], dirty.arrays["importances"])
    assert not np.array_equal(clean.arrays["proba"], dirty.arrays["proba"])


def test_gaps_are_filled_from_training_rows_only(run_on: Callable[..., Outcome]) -> None:
    X = make_dataset().X.copy()
    X[::7, 3] = np.nan
    dataset = make_dataset(X=X, impute="median")
    split = make_split(dataset.y, 0, 0)
    train, valid, test = take_parts(dataset, split)
    median = np.nanmedian(X[split.train, 3])
    for part, rows in ((train, split.train), (valid, split.valid), (test, split.test)):
        gaps = np.isnan(X[rows, 3])
        np.testing.assert_allclose(part.X[gaps, 3], median, rtol=1e-6)
    assert run_on("linear-svm", dataset).status == "ok"


def test_the_same_seed_gives_the_same_run_and_another_one_does_not(
    run_on: Callable[..., Outcome],
) -> None:
    text = '{"n_estimators":5}'
    runs = [
        run_on("random-forest", make_dataset(), hyperparameters_text=text, seed=s)
        for s in (42, 42, 43)
    ]
    losses = [run.record["cross_entropy_test"] for run in runs]
    assert losses[0] == losses[1] != losses[2]


def test_seeds_reach_methods_that_use_the_global_generator(tmp_path: Path) -> None:
    path = tmp_path / "careless.py"
    path.write_text(
        "import numpy as np\n"
        "class Careless:\n"
        "    def fit(self, X, y):\n"
        "        self.classes_ = np.unique(y)\n"
        "        self.p = np.random.dirichlet(np.ones(len(self.classes_)))\n"
        "    def predict(self, X): return np.full(len(X), self.p.argmax())\n"
        "    def predict_proba(self, X): return np.tile(self.p, (len(X), 1))\n"
    )
    from benchmark.plan.jobs import RunRequest, make_jobs

    source = DataSource("synthetic:samples=60,features=10,informative=2")
    job = make_jobs(RunRequest([f"{path}:Careless"], [source], repeats=1))[0]
    assert execute_job(job).record["brier_test"] == execute_job(job).record["brier_test"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Raiser", "ValueError: first line second line"),
        ("Exiter", "the method called sys.exit(4)"),
        ("NotANumber", "predict_proba returned NaN or infinity on 43 train rows"),
        ("OutOfGpuMemory", "GPU out of memory: use --jobs-per-gpu 1 or a smaller batch"),
    ],
)
def test_what_a_method_does_wrong_is_recorded_in_one_line(
    make_tiny_jobs: MakeJobs, name: str, reason: str
) -> None:
    outcome = execute_job(make_tiny_jobs(name)[0])
    assert outcome.status == "failed"
    assert outcome.record["error"].startswith(reason)
    assert "\n" not in outcome.record["error"]
    assert outcome.arrays is None


def test_data_that_changed_meanwhile_are_noticed(make_tiny_jobs: MakeJobs) -> None:
    job = make_tiny_jobs("Trees")[0]
    outcome = execute_job(replace(job, key=replace(job.key, dataset_checksum="older")))
    assert "changed while" in outcome.record["error"]


def test_a_classifier_without_probabilities_has_no_losses(tmp_path: Path) -> None:
    from benchmark.plan.jobs import RunRequest, make_jobs

    path = tmp_path / "plain.py"
    path.write_text("from sklearn.svm import LinearSVC\n")
    source = DataSource("synthetic:samples=60,features=10,informative=2")
    outcome = execute_job(make_jobs(RunRequest([f"{path}:LinearSVC"], [source], repeats=1))[0])
    assert outcome.status == "ok", outcome.record["error"]
    assert "cross_entropy_test" not in outcome.record
    assert outcome.record["balanced_accuracy_test"] > 0


@pytest.mark.realdata
@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "mean", "deviation"),
    [("Prostate_GE.mat", 91.56, 6.02), ("TOX_171.mat", 95.35, 4.15)],
)
def test_the_protocol_reproduces_known_results(
    mirror: Path, file: str, mean: float, deviation: float
) -> None:
    """A linear SVM with C = 0.01 on the 25 splits, measured independently of this code."""
    from benchmark.plan.jobs import RunRequest, make_jobs

    jobs = make_jobs(RunRequest(["linear-svm"], [DataSource(own=TableOptions(mirror / file))]))
    found = [100 * execute_job(job).record["balanced_accuracy_test"] for job in jobs]
    assert len(found) == 25
    assert np.mean(found) == pytest.approx(mean, abs=0.005)
    assert np.std(found, ddof=1) == pytest.approx(deviation, abs=0.005)
