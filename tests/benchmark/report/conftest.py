"""Frames and stores of made-up runs."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest

from benchmark.plan.hyperparameters import hash_values, normalise
from benchmark.plan.key import RunKey
from benchmark.plan.methods import read_method_cards
from benchmark.results.record import COLUMNS, COST_COLUMNS
from benchmark.results.store import Store
from benchmark.run.metrics import SCORE_COLUMNS

MODELS = {"wpfs": 0.88, "mlp": 0.84, "random-forest": 0.78, "linear-svm": 0.93}


def build_row(dataset="prostate", model="wpfs", repeat=0, fold=0, score=0.8, **changes):
    """Return one run with every column of ``store.read_frame``."""
    row = {
        "dataset": dataset,
        "dataset_checksum": "d" * 64,
        "stand_in_for": "",
        "dataset_differences": [],
        "model": model,
        "method_version": 1,
        "hyperparameters": {},
        "hyperparameters_hash": hash_values({}),
        "presets": ("paper", "default"),
        "protocol_version": 1,
        "repeat": repeat,
        "fold": fold,
        "folds": 5,
        "seed": 42,
        "hyperparameters_of": "",
        "split_checksum": f"{repeat}{fold}",
        "status": "ok",
        "error": "",
        **dict.fromkeys(SCORE_COLUMNS, score),
        "cross_entropy_valid": 1 - score,
        "cross_entropy_test": 1 - score,
        "brier_test": 1 - score,
        "n_parameters": 60_000.0 if model == "wpfs" else 600_000.0,
        "best_step": 100.0,
        "steps": 300.0,
        "seconds": 12.0,
        "peak_memory_mb": 300.0,
        "n_selected": np.nan,
        "device": "cpu",
        "threads": 1,
        "processor": "AMD EPYC (cpu family 25, model 1)",
        "versions": {"python": "3.11.9"},
        "git_commit": "abc1234",
        "started": f"2026-11-16T0{repeat}:0{fold}:00Z",
        "stale": False,
        "path": f"runs/{dataset}-{model}-{repeat}-{fold}.json",
    } | changes
    if row["status"] != "ok":
        row |= dict.fromkeys((*SCORE_COLUMNS, *COST_COLUMNS), np.nan)
    if "hyperparameters" in changes:
        row["hyperparameters_hash"] = hash_values(changes["hyperparameters"])
    return row


def build_frame(rows):
    """Make a frame as the store does."""
    return pd.DataFrame(rows, columns=list(COLUMNS))


@pytest.fixture
def make_row():
    return build_row


@pytest.fixture
def make_frame():
    return build_frame


def build_runs():
    """25 runs of four methods on two of the paper's data sets and a stand-in, with gaps.

    random-forest failed everywhere on the stand-in and once on prostate; linear-svm was not run
    on toxicity.
    """
    rng = np.random.default_rng(0)
    rows = []
    standin = {
        "stand_in_for": "tcga-2ysurvival",
        "dataset_differences": ["200 other patients."],
    }
    for dataset, extra, shift in (
        ("prostate", {}, 0.0),
        ("toxicity", {}, -0.02),
        ("tcga-2ysurvival-standin", standin, -0.3),
    ):
        for (model, mean), repeat, fold in itertools.product(MODELS.items(), range(5), range(5)):
            if (dataset, model) == ("toxicity", "linear-svm"):
                continue
            failed = model == "random-forest" and (
                extra != {} or (dataset, repeat, fold) == ("prostate", 0, 0)
            )
            changes = {"status": "failed", "error": "ValueError: boom"} if failed else {}
            score = float(np.clip(mean + shift + rng.normal(0, 0.05), 0, 1))
            rows.append(build_row(dataset, model, repeat, fold, score, **extra, **changes))
    return build_frame(rows)


@pytest.fixture
def runs():
    return build_runs()


@pytest.fixture(scope="session")
def store_folder(tmp_path_factory):
    """Ten of the 25 runs as a store on disk, with predictions, loss curves and importances."""
    folder = tmp_path_factory.mktemp("store") / "runs"
    runs = build_runs()
    cards = read_method_cards()
    # Whoever reads a store looks up today's presets: runs of the paper's have the paper's values.
    runs["hyperparameters"] = [
        normalise(cards[run.model], cards[run.model].paper_hyperparameters(original))
        for run in runs.itertuples()
        for original in [run.stand_in_for or run.dataset]
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda descriptor: None)
        write_store(Store(folder), runs[runs["repeat"] < 2])
    return folder


def write_store(store, frame):
    rng = np.random.default_rng(1)
    store.prepare()
    key_columns = ("dataset", "dataset_checksum", "model", "method_version", "repeat", "fold")
    left_out = {*key_columns, "path", "stale", "folds", "seed", "protocol_version"}
    left_out |= {"hyperparameters", "hyperparameters_hash"}
    for row in frame.to_dict("records"):
        key = RunKey(
            hyperparameters_text=json.dumps(row["hyperparameters"]),
            **{c: row[c] for c in key_columns},
        )
        record = {
            name: None if isinstance(value, float) and np.isnan(value) else value
            for name, value in row.items()
            if name not in left_out
        }
        arrays = None
        if row["status"] == "ok":
            proba = rng.dirichlet([1, 1], 20)
            arrays = {
                "test_index": np.arange(20),
                "y_true": rng.integers(0, 2, 20),
                "y_pred": proba.argmax(axis=1),
                "proba": proba,
            }
            if row["model"] in ("wpfs", "mlp"):
                step = np.arange(5, 55, 5)
                arrays |= {
                    "history_step": step,
                    "history_train_loss": np.exp(-step / 20),
                    "history_valid_loss": 0.5 + step / 100,
                }
            if row["model"] == "wpfs":
                arrays["importances"] = rng.beta(0.4, 0.8, 500)
        store.write(key, record, arrays)
