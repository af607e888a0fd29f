"""From what is asked for to jobs."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from benchmark.datasets.loading import DataSource
from benchmark.errors import UserError
from benchmark.plan.jobs import RunRequest, make_jobs, parse_seeds, parse_shard

TINY = DataSource("synthetic:samples=60,features=30,informative=3")


def test_every_combination_is_one_job() -> None:
    other = DataSource("synthetic:samples=60,features=20,informative=3")
    request = RunRequest(["knn", "majority"], [TINY, other], repeats=2, folds=3, seeds=(1, 2))
    keys = [job.key for job in make_jobs(request)]
    assert len(set(keys)) == len(keys) == 2 * 2 * 2 * 3 * 2
    cells = Counter((key.dataset, key.model) for key in keys)
    assert list(cells) == [(s.name, m) for s in (TINY, other) for m in ("knn", "majority")]
    assert set(cells.values()) == {12}
    assert {key.folds for key in keys} == {3}


def test_what_is_asked_for_twice_is_done_once() -> None:
    once = make_jobs(RunRequest(["knn"], [TINY]))
    assert make_jobs(RunRequest(["knn", "knn"], [TINY, TINY])) == once
    assert len(once) == 25


def test_shards_are_disjoint_and_together_everything() -> None:
    jobs = make_jobs(RunRequest(["knn"], [TINY], repeats=2))
    shards = [jobs[parse_shard(f"{part}/3")] for part in (1, 2, 3)]
    assert [len(shard) for shard in shards] == [4, 3, 3]
    assert {job.key for shard in shards for job in shard} == {job.key for job in jobs}


def test_seeds_are_taken_as_they_are_each_once() -> None:
    assert parse_seeds("7, 42,7") == (7, 42)
    assert parse_seeds("0") == (0,)


@pytest.mark.parametrize("text", ["", ",", "-1", "4294967296", "1.5"])
def test_what_is_not_a_seed_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="write whole numbers"):
        parse_seeds(text)


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "1/0", "a/b"])
def test_what_is_not_a_shard_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="write it as i/n"):
        parse_shard(text)


def test_overrides_replace_values_of_the_preset_and_defaults_are_left_out() -> None:
    request = RunRequest(["random-forest"], [TINY], overrides={"max_depth": 3, "n_estimators": 500})
    assert {job.key.hyperparameters_text for job in make_jobs(request)} == {'{"max_depth":3}'}


def test_tuned_is_every_point_of_the_grid_and_the_record_names_the_presets() -> None:
    jobs = make_jobs(RunRequest(["random-forest"], [TINY], preset="tuned", repeats=1, folds=2))
    presets = {job.key.hyperparameters_text: job.description["presets"] for job in jobs}
    assert len(jobs) == 2 * len(presets) == 12
    assert presets["{}"] == ["paper", "default", "grid"]
    assert presets['{"max_depth":3}'] == ["grid"]


def test_a_study_chooses_methods_and_hyperparameters() -> None:
    jobs = make_jobs(RunRequest([], [TINY], study="spn", repeats=1, folds=2))
    assert {job.method for job in jobs} == {"wpfs"}
    assert {job.key.hyperparameters_text for job in jobs} == {"{}", '{"sparsity_network":false}'}


def test_a_study_is_refused_on_data_sets_it_is_not_meant_for() -> None:
    with pytest.raises(UserError, match="not meant for the data set"):
        make_jobs(RunRequest([], [TINY], study="dataset-size"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sources": []}, "no data set: name one with --dataset"),
        ({"methods": []}, "no method: name one with --model"),
        ({"preset": "best"}, "--hyperparameters best: choose one of paper, default, tuned"),
        ({"preset": "tuned", "overrides": {"metric": "x"}}, "--set and --hyperparameters tuned"),
        ({"study": "spn"}, "--study chooses the methods itself"),
        ({"study": "spn", "methods": [], "preset": "tuned"}, "leave --hyperparameters out"),
        ({"study": "nonsense", "methods": []}, "there is no study 'nonsense'"),
        ({"study": "lambda", "methods": [], "overrides": {"sparsity": 1}}, "varies it itself"),
        ({"methods": ["mlp"], "overrides": {"dropout": 2}}, "mlp: dropout must be"),
        ({"methods": ["nonsense"]}, "no method 'nonsense'"),
        ({"folds": 50}, "50 folds need at least"),
    ],
)
def test_what_cannot_be_run_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        make_jobs(replace(RunRequest(["knn"], [TINY]), **changes))
