"""The candidate of a grid that did best on validation data."""

from typing import Any

import pandas as pd

from baselines._shared.registry import get_method
from benchmark.plan.hyperparameters import find_presets, hash_values, list_candidates
from benchmark.report.labels import Labels
from benchmark.report.tuning import drop_unchosen, find_unchosen, find_untuned, select_candidates


def make_row(**changes: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "dataset": "d",
        "dataset_checksum": "c",
        "model": "m",
        "repeat": 0,
        "fold": 0,
        "seed": 42,
        "split_checksum": "s",
        "status": "ok",
        "presets": ("grid",),
        "hyperparameters_hash": "a",
        "cross_entropy_valid": 1.0,
        "balanced_accuracy_valid": 0.5,
        "balanced_accuracy_test": 0.5,
    }
    return row | changes


def test_candidates_are_the_product_of_the_grid() -> None:
    candidates = list_candidates(get_method("random-forest"), "prostate")
    assert len(candidates) == 6
    assert {} in candidates
    assert {"max_depth": 7, "min_samples_leaf": 3} in candidates


def test_a_method_without_a_grid_has_one_candidate() -> None:
    assert list_candidates(get_method("majority"), "prostate") == [{}]


def test_the_lowest_validation_loss_wins_whatever_the_test_says() -> None:
    frame = pd.DataFrame(
        [
            make_row(hyperparameters_hash="a", cross_entropy_valid=0.9, balanced_accuracy_test=0.9),
            make_row(hyperparameters_hash="b", cross_entropy_valid=0.4, balanced_accuracy_test=0.1),
            make_row(hyperparameters_hash="c", cross_entropy_valid=0.6, balanced_accuracy_test=0.8),
        ]
    )
    assert select_candidates(frame)["hyperparameters_hash"].tolist() == ["b"]


def test_the_choice_is_made_per_split_and_not_across() -> None:
    frame = pd.DataFrame(
        [
            make_row(hyperparameters_hash="a", cross_entropy_valid=0.1, fold=0),
            make_row(hyperparameters_hash="b", cross_entropy_valid=0.2, fold=0),
            make_row(hyperparameters_hash="a", cross_entropy_valid=0.9, fold=1),
            make_row(hyperparameters_hash="b", cross_entropy_valid=0.8, fold=1),
        ]
    )
    assert select_candidates(frame)["hyperparameters_hash"].tolist() == ["a", "b"]


def test_ties_do_not_depend_on_the_order_of_rows() -> None:
    rows = [make_row(hyperparameters_hash=h) for h in "cab"]
    for order in (rows, rows[::-1]):
        assert select_candidates(pd.DataFrame(order))["hyperparameters_hash"].tolist() == ["a"]


def test_failed_runs_and_runs_outside_the_grid_are_no_candidates() -> None:
    frame = pd.DataFrame(
        [
            make_row(hyperparameters_hash="a", cross_entropy_valid=0.1, status="failed"),
            make_row(hyperparameters_hash="b", cross_entropy_valid=0.1, presets=("paper",)),
            make_row(hyperparameters_hash="c", cross_entropy_valid=0.7),
        ]
    )
    assert select_candidates(frame)["hyperparameters_hash"].tolist() == ["c"]


def test_without_losses_the_validation_accuracy_decides() -> None:
    nan = float("nan")
    frame = pd.DataFrame(
        [
            make_row(
                hyperparameters_hash="a", cross_entropy_valid=nan, balanced_accuracy_valid=0.4
            ),
            make_row(
                hyperparameters_hash="b", cross_entropy_valid=nan, balanced_accuracy_valid=0.6
            ),
        ]
    )
    assert select_candidates(frame)["hyperparameters_hash"].tolist() == ["b"]


def make_grid_runs() -> pd.DataFrame:
    """Five candidates of ridge on two splits, the default (which stays) the worst of all."""
    method = get_method("ridge")
    rows = []
    for fold in (0, 1):
        for place, values in enumerate(list_candidates(method, "prostate")):
            rows.append(
                make_row(
                    dataset="prostate",
                    model="ridge",
                    fold=fold,
                    hyperparameters=values,
                    hyperparameters_hash=hash_values(values),
                    presets=find_presets(method, "prostate", values),
                    cross_entropy_valid=float(abs(place - fold)) + 5 * (not values),
                )
            )
    return pd.DataFrame(rows).assign(
        candidates=float("nan"), stand_in_for="", hyperparameters_of=""
    )


def test_dropping_what_was_not_chosen_changes_neither_choice_nor_count() -> None:
    frame = make_grid_runs()
    labels = Labels(datasets={})
    kept = drop_unchosen(frame, labels)
    assert len(frame) == 10
    assert len(kept) == 4  # per split the chosen one and the default
    before, after = select_candidates(frame), select_candidates(kept)
    assert after["hyperparameters_hash"].tolist() == before["hyperparameters_hash"].tolist()
    assert after["candidates"].tolist() == [5, 5]
    assert find_untuned(kept, labels) == {}
    assert find_unchosen(kept, labels) == set()
    assert drop_unchosen(kept, labels)["candidates"].max() == 5


def test_runs_of_a_study_are_kept_though_their_values_are_of_a_grid() -> None:
    values = {"sparsity": 3e-4}
    frame = pd.DataFrame(
        [
            make_row(
                dataset="toxicity",
                model="wpfs",
                hyperparameters=values,
                hyperparameters_hash=hash_values(values),
                cross_entropy_valid=2.0,
            ),
            make_row(dataset="toxicity", model="wpfs"),
        ]
    ).assign(candidates=float("nan"), stand_in_for="", hyperparameters_of="")
    assert len(drop_unchosen(frame, Labels(datasets={}))) == 2
