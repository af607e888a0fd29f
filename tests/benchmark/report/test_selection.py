"""Which runs a report shows."""

import pytest

from baselines._shared.registry import discover
from benchmark.errors import UserError
from benchmark.plan.hyperparameters import list_candidates
from benchmark.report.gaps import find_gaps
from benchmark.report.html.headline import write_headline
from benchmark.report.labels import expand_groups, list_dataset_groups, list_published_models
from benchmark.report.paper import read_paper
from benchmark.report.report import Report
from benchmark.report.request import ReportRequest
from benchmark.report.selection import check_names, drop_superseded, select_preset
from benchmark.report.tables.registry import TABLES, build_tables


def test_paper_preset_keeps_the_runs_whose_presets_say_so(make_row, make_frame):
    frame = make_frame([make_row(), make_row(presets=("grid",), hyperparameters={"sparsity": 1})])
    assert list(select_preset(frame, "paper")["hyperparameters"]) == [{}]


def test_a_preset_nobody_ran_names_those_there_are(make_row, make_frame):
    frame = make_frame([make_row(presets=("default", "grid"))])
    with pytest.raises(UserError, match="the store has default, grid"):
        select_preset(frame, "paper")


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
    assert list(select_preset(frame, "tuned")["balanced_accuracy_test"]) == [0.7]


def test_tuned_still_shows_splits_on_which_every_candidate_failed(make_row, make_frame):
    frame = make_frame(
        [
            make_row(fold=0, presets=("grid",)),
            make_row(fold=1, presets=("grid",), status="failed", hyperparameters={"a": 1}),
            make_row(fold=1, presets=("grid",), status="failed", hyperparameters={"a": 2}),
        ]
    )
    assert list(select_preset(frame, "tuned")["status"]) == ["ok", "failed"]


def test_tuned_without_a_grid_says_how_to_get_one(make_row, make_frame):
    with pytest.raises(UserError, match="--hyperparameters tuned"):
        select_preset(make_frame([make_row()]), "tuned")


def test_a_name_without_runs_is_an_error(make_row, make_frame):
    with pytest.raises(UserError, match=r"--models: no runs of mpl; there are runs of wpfs"):
        check_names(make_frame([make_row()]), "model", ["mpl"], lambda: ["mlp"])


def test_a_known_name_without_runs_is_shown_as_missing(runs):
    request = ReportRequest(datasets=("toxicity", "cll"), models=("linear-svm", "wpfs", "tabnet"))
    report = Report(runs, request)
    (table,) = build_tables(report, "main")
    states = [[cell.state for cell in row.cells] for row in table.rows[:2]]
    assert states == [["missing", "ok", "missing"], ["unrun"] * 3]
    missing = [(g.dataset, g.model) for g in find_gaps(report)]
    assert missing == [
        ("toxicity", "linear-svm"),
        ("toxicity", "tabnet"),
        ("cll", "linear-svm"),
        ("cll", "wpfs"),
        ("cll", "tabnet"),
    ]


#: Of these, one needs the runs of a study and one runs on stand-ins.
OTHER_RUNS = {"selected", "stand-ins", "lambda-bias"}


@pytest.mark.parametrize("table", [name for name in TABLES if name not in OTHER_RUNS])
def test_every_table_builds_with_a_name_without_runs(runs, table):
    request = ReportRequest(
        datasets=("toxicity", "prostate", "cll"), models=("wpfs", "mlp", "tabnet")
    )
    assert build_tables(Report(runs, request), table)


def test_names_of_which_nothing_was_run_are_an_error(runs):
    request = ReportRequest(datasets=("toxicity",), models=("linear-svm",))
    with pytest.raises(UserError, match="no runs of linear-svm on toxicity"):
        build_tables(Report(runs, request), "main")


def test_tuned_runs_of_half_a_grid_are_said_to_be(make_row, make_frame):
    method = discover()["wpfs"]
    candidates = list_candidates(method, "prostate")
    rows = [
        make_row(fold=fold, presets=("grid",), hyperparameters=values)
        for fold in range(2)
        for values in candidates[: 1 if fold else None]
    ]
    report = Report(make_frame(rows), ReportRequest(preset="tuned", expected=2))
    lacks = f"1 of {len(candidates)} candidates run"
    for name in ("summary", "main", "full", "runtime"):
        for table in build_tables(report, name):
            assert table.title.endswith(f"(not fully tuned: {lacks})")
    assert write_headline(report).startswith(f"Not fully tuned: {lacks}. ")
    (table,) = build_tables(report, "main")
    assert f"Not fully tuned: wpfs on prostate: {lacks}." in table.notes
    assert [gap.describe() for gap in find_gaps(report)] == [
        f"untuned: wpfs on prostate, 2 of 2 runs, {lacks}"
    ]
    whole = Report(make_frame(rows[:-1]), ReportRequest(preset="tuned", expected=1))
    assert find_gaps(whole) == []
    assert whole.notes == ()


def test_one_candidate_of_a_grid_is_not_tuned(make_row, make_frame):
    cards = discover()
    rows = [
        make_row(dataset, model, presets=("grid",), hyperparameters=values)
        for dataset, count in (("prostate", 2), ("toxicity", 1))
        for model in ("random-forest", "majority")
        for values in list_candidates(cards[model], dataset)[:count]
    ]
    report = Report(make_frame(rows), ReportRequest(preset="tuned"))
    assert report.scores.n["random-forest"].to_dict() == {"prostate": 1, "toxicity": 0}
    assert report.scores.n["majority"].to_dict() == {"prostate": 1, "toxicity": 1}, "has no grid"
    (table,) = build_tables(report, "main")
    assert "Left out as not tuned, with one candidate of the grid: 1 cell." in table.notes
    alone = Report(make_frame(rows[-2:-1]), ReportRequest(preset="tuned"))
    with pytest.raises(UserError, match="nothing was tuned: start with"):
        build_tables(alone, "main")


def test_a_group_stands_for_its_names():
    assert expand_groups(["wpfs", "paper"], {"paper": ["mlp", "wpfs"]}) == ("wpfs", "mlp")
    groups = list_dataset_groups()
    assert [len(groups[name]) for name in ("paper", "stand-ins", "more")] == [9, 2, 10]
    assert groups["paper"] == list(read_paper().datasets)
    assert {"wpfs", "mlp", "lightgbm"} <= set(list_published_models())


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


@pytest.fixture
def overridden(make_row, make_frame):
    """WPFS with the paper's lambda and with another, an SVM, and a user's own method."""
    paper = {"validation_interval": 4, "sparsity": 3e-3}
    return make_frame(
        [
            make_row(score=0.5, hyperparameters=paper),
            make_row(score=0.9, hyperparameters={**paper, "sparsity": 1e-2}, presets=("grid",)),
            make_row(score=0.7, model="linear-svm"),
            make_row(score=0.6, model="my-own", hyperparameters={"sparsity": 0.01}, presets=()),
        ]
    )


def test_runs_made_with_set_are_shown_by_the_same_option(overridden):
    report = Report(overridden, ReportRequest(overrides={"sparsity": 0.01}))
    means = report.scores.mean.loc["prostate"]
    assert means.to_dict() == {"wpfs": 0.9, "linear-svm": 0.7, "my-own": 0.6}
    assert any("Runs with sparsity=0.01" in note for note in build_tables(report, "main")[0].notes)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"sparsity": 0.5}, "sparsity is set to 0.003, 0.01 in the store"),
        ({"nonsense": 1}, "nonsense is set to nothing in the store"),
    ],
)
def test_values_that_no_run_has_are_told(overridden, overrides, message):
    with pytest.raises(UserError, match=message):
        build_tables(Report(overridden, ReportRequest(overrides=overrides)), "main")


def test_hyperparameters_without_a_preset_are_named(overridden):
    alone = overridden[overridden["model"] == "my-own"]
    with pytest.raises(UserError, match=r"the store has only sparsity=0.01 \(choose with --set"):
        build_tables(Report(alone), "main")


@pytest.fixture
def two_protocols(make_row, make_frame):
    """The same cohort with 10 folds, later with 4."""
    return make_frame(
        [make_row("cohort", fold=fold, folds=10, score=0.65) for fold in range(10)]
        + [
            make_row("cohort", fold=fold, folds=4, score=0.5, started="2026-11-17T00:00:00Z")
            for fold in range(4)
        ]
        + [make_row("prostate", fold=fold) for fold in range(5)]
    )


@pytest.mark.parametrize("table", [name for name in TABLES if name != "stand-ins"])
def test_cross_validations_of_a_data_set_are_never_pooled(two_protocols, table):
    with pytest.raises(
        UserError, match=r"4 folds \(4 runs\) and 10 folds \(10 runs\).* --folds 4 or --folds 10"
    ):
        build_tables(Report(two_protocols), table)


@pytest.mark.parametrize(("folds", "mean"), [(4, 0.5), (10, 0.65)])
def test_folds_choose_one_cross_validation(two_protocols, folds, mean):
    report = Report(two_protocols, ReportRequest(folds=folds))
    assert report.scores.n.loc["cohort", "wpfs"] == folds
    assert report.scores.mean.loc["cohort", "wpfs"] == pytest.approx(mean)
    assert len(report.runs.of_any_hyperparameters) == folds
    assert any("other numbers of folds" in note for note in report.notes)


def test_data_sets_that_are_not_shown_may_have_several_cross_validations(two_protocols):
    assert Report(two_protocols, ReportRequest(datasets=("prostate",))).datasets == ["prostate"]


def test_folds_nobody_ran_names_those_there_are(two_protocols):
    with pytest.raises(UserError, match="there are runs with 4, 5, 10 folds"):
        _ = Report(two_protocols, ReportRequest(folds=3)).scores


def test_an_older_protocol_is_stale(make_row, make_frame):
    frame = make_frame([make_row(fold=0), make_row(fold=1, protocol_version=2)])
    kept, notes = drop_superseded(frame)
    assert list(kept["fold"]) == [1]
    assert notes == ("1 stale runs are left out.",)


def test_other_data_under_the_same_name_is_said_to_be_so(make_row, make_frame):
    old = {"dataset_checksum": "a" * 64, "stale": True}
    frame = make_frame(
        [
            make_row(fold=0, started="2026-11-01T00:00:00Z", **old),
            make_row(fold=1, started="2026-11-03T00:00:00Z", **old),
            make_row(fold=0, dataset_checksum="b" * 64, started="2026-11-05T00:00:00Z"),
        ]
    )
    assert drop_superseded(frame)[1] == (
        "2 stale runs are left out.",
        "2 of them are of other data under the name prostate: left out aaaaaaaa (runs of "
        "2026-11-01 to 2026-11-03); shown bbbbbbbb (runs of 2026-11-05).",
    )


def test_two_tables_of_one_name_are_never_pooled(make_row, make_frame):
    rows = [
        make_row(fold=fold, dataset_checksum=checksum, started=f"2026-0{month}-01")
        for month, (checksum, folds) in enumerate((("old", range(5)), ("new", range(3))), start=1)
        for fold in folds
    ]
    newest, notes = drop_superseded(make_frame(rows))
    assert newest["dataset_checksum"].tolist() == ["new"] * 3
    assert notes[0] == "5 stale runs are left out."
