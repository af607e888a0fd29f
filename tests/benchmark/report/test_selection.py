"""Which runs a report shows."""

import pytest

from benchmark.errors import UserError
from benchmark.report.selection import drop_superseded, select_names, select_setting


def test_paper_setting_keeps_the_runs_whose_presets_say_so(make_row, make_frame):
    frame = make_frame([make_row(), make_row(presets=("grid",), hyperparameters={"sparsity": 1})])
    assert list(select_setting(frame, "paper")["hyperparameters"]) == [{}]


def test_a_setting_nobody_ran_names_those_there_are(make_row, make_frame):
    frame = make_frame([make_row(presets=("default", "grid"))])
    with pytest.raises(UserError, match="the store has default, grid"):
        select_setting(frame, "paper")


def test_tuned_takes_the_candidate_with_the_lowest_validation_loss(make_row, make_frame):
    frame = make_frame(
        [
            make_row(
                presets=("grid",), hyperparameters={"a": 1}, score=0.9, cross_entropy_valid=0.5
            ),
            make_row(
                presets=("grid",), hyperparameters={"a": 2}, score=0.7, cross_entropy_valid=0.1
            ),
        ]
    )
    assert list(select_setting(frame, "tuned")["balanced_accuracy_test"]) == [0.7]


def test_tuned_still_shows_splits_on_which_every_candidate_failed(make_row, make_frame):
    frame = make_frame(
        [
            make_row(fold=0, presets=("grid",)),
            make_row(fold=1, presets=("grid",), status="failed", hyperparameters={"a": 1}),
            make_row(fold=1, presets=("grid",), status="failed", hyperparameters={"a": 2}),
        ]
    )
    assert list(select_setting(frame, "tuned")["status"]) == ["ok", "failed"]


def test_tuned_without_a_grid_says_how_to_get_one(make_row, make_frame):
    with pytest.raises(UserError, match="--hyperparameters tuned"):
        select_setting(make_frame([make_row()]), "tuned")


def test_a_name_without_runs_is_an_error(make_row, make_frame):
    with pytest.raises(UserError, match=r"--models: no runs of mpl; there are runs of wpfs"):
        select_names(make_frame([make_row()]), "model", ["mpl"], "--models")


def test_stale_and_superseded_runs_are_left_out_and_counted(make_row, make_frame):
    frame = make_frame(
        [
            make_row(started="2026-01-01", score=0.1),
            make_row(started="2026-01-02", score=0.2),
            make_row(fold=1, stale=True),
        ]
    )
    kept, notes = drop_superseded(frame)
    assert list(kept["balanced_accuracy_test"]) == [0.2]
    assert notes == ("1 stale runs are left out.", "1 runs were superseded by newer ones.")
