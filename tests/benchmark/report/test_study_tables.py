"""Ablation tables find their runs among all others."""

import csv
import io
import re
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest

from baselines._shared.registry import get_method
from benchmark.errors import UserError
from benchmark.plan.studies import STUDIES
from benchmark.report.formats.registry import render_tables
from benchmark.report.gaps import find_gaps
from benchmark.report.html.page import render_page
from benchmark.report.labels import DatasetLabel, Labels
from benchmark.report.report import Report
from benchmark.report.request import ReportRequest
from benchmark.report.study_runs import StudyRuns, find_runs
from benchmark.report.tables.registry import build_comparisons, build_tables
from benchmark.report.tables.selected import build_selected_table, build_step_table

LAMBDAS = ("0", "3e-6", "3e-5", "3e-4", "3e-3", "1e-2")


@pytest.fixture
def lambda_runs(make_row, make_frame):
    """Two folds of every lambda on prostate; the best on test is not the best on validation."""
    rows = []
    for place, label in enumerate(LAMBDAS):
        values = {"validation_interval": 4, "sparsity": float(label)}
        if not values["sparsity"]:
            del values["sparsity"]
        for fold in range(2):
            rows.append(
                make_row(
                    fold=fold,
                    score=0.80 + 0.01 * place,
                    presets=("paper",) if label == "3e-3" else ("grid",),
                    hyperparameters=values,
                    cross_entropy_valid=0.1 if label == "3e-5" else 0.5,
                )
            )
    rows.append(make_row(hyperparameters={"dropout": 0.5}, presets=()))
    return make_frame(rows)


def test_runs_are_recognised_by_their_hyper_parameters(lambda_runs):
    found = find_runs(lambda_runs, STUDIES["lambda"], Labels())
    assert list(found["variant"]) == [label for label in LAMBDAS for _ in range(2)]


def test_a_stand_in_takes_the_values_of_its_original(lambda_runs):
    frame = lambda_runs.assign(dataset="prostate-standin")
    labels = {"prostate-standin": DatasetLabel("prostate-standin", "prostate")}
    assert len(find_runs(frame, STUDIES["lambda"], Labels(datasets=labels))) == 12


def test_table_has_the_variants_as_columns_and_shows_n(lambda_runs):
    (table,) = build_tables(Report(lambda_runs), "lambda")
    assert table.columns == LAMBDAS
    assert [cell.number for cell in table.rows[0].cells][:2] == ["80.00", "81.00"]
    assert table.rows[0].cells[0].count == "n=2"


@pytest.fixture
def six_splits(lambda_runs):
    """The runs of every lambda on two folds of three repeats."""
    return pd.concat([lambda_runs.assign(repeat=r) for r in range(3)], ignore_index=True)


def find_lambdas(frame, labels=MappingProxyType({})):
    return StudyRuns(STUDIES["lambda"], frame, Labels(datasets=labels))


def test_a_lambda_best_on_test_is_set_beside_those_chosen_on_validation(six_splits):
    # On the first fold 1e-2 has the lowest loss: it is chosen there, 3e-5 on the second.
    first = (six_splits["fold"] == 0) & (six_splits["balanced_accuracy_test"] > 0.845)
    frame = six_splits.assign(
        cross_entropy_valid=six_splits["cross_entropy_valid"].mask(first, 0.05)
    )
    (table,) = build_tables(Report(frame), "lambda-bias")
    (row,) = table.rows
    numbers = [cell.number for cell in row.cells]
    assert numbers == [
        "6",
        "85.00 (λ = 1e-2)",
        "83.50",
        "+1.50",
        "82.00 (λ = 3e-5)",
        "+3.00",
    ]
    # Six differences of 0 and 3 in turn: Nadeau and Bengio's error by hand.
    assert row.cells[3].std == pytest.approx(np.sqrt((1 / 6 + 1 / 4) * 2.7))
    assert "is +1.50 ± 1.06 on average over 1 data set." in table.notes[0]


def test_the_choice_of_lambda_is_judged_on_common_splits(six_splits, make_row, make_frame):
    more = make_row(
        fold=2,
        score=0.2,
        presets=("grid",),
        hyperparameters={"validation_interval": 4, "sparsity": 1e-2},
        cross_entropy_valid=0.5,
    )
    frame = pd.concat([six_splits, make_frame([more])], ignore_index=True)
    tables = [build_tables(Report(runs), "lambda-bias") for runs in (frame, six_splits)]
    assert tables[0] == tables[1]


@pytest.mark.parametrize("kept", [slice(None), [0, 3], slice(2, None)])
def test_the_choice_of_lambda_needs_all_of_them_on_five_splits(lambda_runs, kept):
    with pytest.raises(UserError, match=r"every λ on 5 common splits: .* --study lambda"):
        build_tables(Report(lambda_runs.iloc[kept]), "lambda-bias")


def test_no_variant_is_best_while_they_rest_on_different_numbers_of_runs(lambda_runs):
    (even,) = build_tables(Report(lambda_runs), "lambda")
    (uneven,) = build_tables(Report(lambda_runs.drop(index=1)), "lambda")
    assert {cell.place for cell in even.rows[0].cells} == {"", "best", "second"}
    assert {cell.place for cell in uneven.rows[0].cells} == {""}


def test_the_gain_of_the_second_variant_is_paired(make_row, make_frame):
    rows = []
    for fold, (without, with_spn) in enumerate([(0.5, 0.6), (0.8, 0.88), (0.9, None)]):
        for score, values in ((without, {"sparsity_network": False}), (with_spn, {})):
            if score is not None:
                values = {"validation_interval": 4, **values}
                rows.append(
                    make_row(fold=fold, score=score, presets=("grid",), hyperparameters=values)
                )
    (table,) = build_tables(Report(make_frame(rows)), "spn")
    assert "with SPN minus without SPN on prostate +9.00 ± 1.22 (n=2)." in table.notes[-2]


def test_runs_with_the_hyper_parameters_of_another_data_set_are_found(make_row, make_frame):
    rows = [
        make_row(
            dataset="mine",
            hyperparameters_of="prostate",
            presets=("grid",),
            hyperparameters={"validation_interval": 4, **more},
        )
        for more in ({}, {"sparsity_network": False})
    ]
    (table,) = build_tables(Report(make_frame(rows)), "spn")
    assert [row.label for row in table.rows] == ["mine"]


def test_a_mirrored_variant_is_paired_with_its_own_method(make_row, make_frame):
    rows = [
        make_row(
            model=model,
            fold=fold,
            score=score + 0.01 * fold * bool(changes),
            presets=("grid",),
            hyperparameters={"validation_interval": 4, **changes},
        )
        for fold in range(2)
        for model, score, changes in (
            ("diet-networks", 0.8, {}),
            ("diet-networks", 0.85, {"mirrored": True}),
            ("fsnet", 0.6, {}),
            ("fsnet", 0.5, {"mirrored": True}),
        )
    ]
    report = Report(make_frame(rows), ReportRequest(models=("diet-networks", "fsnet")))
    (table,) = build_tables(report, "mirrored")
    gains = table.notes[-2]
    assert "diet-networks, mirrored minus diet-networks on prostate +5.50 ± 0.61" in gains
    assert "fsnet, mirrored minus fsnet on prostate -9.50 ± 0.61" in gains
    assert gains.count("minus") == 2


def test_models_narrow_the_variants_of_a_study(make_row, make_frame):
    rows = [
        make_row(model=model, presets=("grid",), hyperparameters={"validation_interval": 4, **more})
        for model in ("diet-networks", "fsnet")
        for more in ({}, {"mirrored": True})
    ]
    frame = make_frame(rows)
    (table,) = build_tables(Report(frame, ReportRequest(models=("fsnet",))), "mirrored")
    assert table.columns == ("fsnet", "fsnet, mirrored")
    with pytest.raises(UserError, match="the study mirrored is about wpfs, diet-networks, fsnet"):
        build_tables(Report(frame, ReportRequest(models=("mlp",))), "mirrored")


@pytest.mark.parametrize(
    "request_", [ReportRequest(models=("fsnett",)), ReportRequest(datasets=("prostat",))]
)
def test_misspelt_names_are_refused_by_studies_too(lambda_runs, request_):
    with pytest.raises(UserError, match=r"no runs of (fsnett|prostat); there are runs of"):
        Report(lambda_runs, request_).runs.for_studies  # noqa: B018


def test_choices_the_paper_leaves_open_stand_beside_its_main_table(make_row, make_frame):
    rows = [
        make_row(
            model="cae",
            fold=fold,
            score=0.8 + 0.01 * fold,
            presets=("grid",),
            hyperparameters={"validation_interval": 4, **changes},
        )
        for fold in range(2)
        for changes in ({}, {"learning_rate": 3e-3})
    ]
    (table,) = build_comparisons(Report(make_frame(rows)), "cae")
    assert "Table 10" in table.title
    assert [row.cells[0].value for row in table.rows] == ["1e-3", "1e-4", "3e-3"]
    assert {row.cells[2].number for row in table.rows} == {"87.60"}
    assert [row.cells[1].state for row in table.rows] == ["ok", "missing", "ok"]
    assert "for 0 of 1 such numbers at least one" in table.notes[0]


def test_one_split_has_no_standard_error_of_a_gain(make_row, make_frame):
    rows = [
        make_row(presets=("grid",), hyperparameters={"validation_interval": 4, **values})
        for values in ({}, {"sparsity_network": False})
    ]
    (table,) = build_tables(Report(make_frame(rows)), "spn")
    assert not any("Paired" in note for note in table.notes)


def test_selected_features_are_counted_on_splits_that_every_lambda_has(lambda_runs):
    frame = lambda_runs.assign(n_selected=[597 - 50 * (i // 2) for i in range(13)])
    frame = frame.drop(index=1)  # lambda 0 has only the first fold left
    frame.loc[2, "n_selected"], frame.loc[3, "n_selected"] = 5966, 0
    table, _ = build_tables(Report(frame), "selected")
    assert table.columns == ("statistic", "splits", *LAMBDAS)
    shown = [cell.number for cell in table.rows[0].cells]
    assert shown[:4] == ["mean", "1", "10.01%", "100.00%"]


def test_mean_and_median_of_selected_features_have_lines_of_their_own_as_data(lambda_runs):
    tables = build_tables(Report(lambda_runs.assign(n_selected=9.0)), "selected")
    lines = list(csv.DictReader(io.StringIO(render_tables(tables, "csv"))))
    names = [(line["table"], line["row"], line["key"], line["column"]) for line in lines]
    assert len(set(names)) == len(names)


def test_a_run_stopped_early_moves_the_mean_and_not_the_median_of_selected_features(lambda_runs):
    third = lambda_runs.iloc[0:12:2].assign(fold=2, best_step=100)
    frame = pd.concat([lambda_runs.assign(best_step=101), third], ignore_index=True)
    frame = frame.assign(n_selected=[90.0] * 13 + [1200.0] * 6)
    table = build_selected_table(find_lambdas(frame), {})
    assert [row.cells[2].number for row in table.rows] == ["460", "90"]
    assert any("6 of 18 runs on prostate" in note for note in table.notes)
    late = build_selected_table(find_lambdas(frame.assign(best_step=101)), {})
    assert not any("first 100 steps" in note for note in late.notes)


def test_a_step_of_lambda_is_measured_on_all_splits_that_its_two_have(six_splits):
    frame = six_splits.assign(n_selected=[600.0 - 50 * (i % 13 // 2) for i in range(39)])
    zeros = frame.index[frame["hyperparameters"].map(lambda values: "sparsity" not in values)]
    frame = frame.drop(index=zeros[2:])
    frame.loc[frame["hyperparameters"].map(lambda v: v.get("sparsity") == 1e-2), "n_selected"] = [
        348.0, 352.0, 350.0, 350.0, 350.0, 350.0,
    ]  # fmt: skip
    table = build_step_table(find_lambdas(frame), {"prostate": 5000})
    assert table.columns[0] == "0 → 3e-6"
    first, *_, last = table.rows[0].cells
    assert (first.number, first.count) == ("-1.00", "n=2")
    assert (last.number, last.spread, last.count) == ("-1.00", "0.02", "n=6")
    assert build_step_table(find_lambdas(frame), {}).rows[0].cells[0].number == "-50.0"


def test_a_step_without_a_common_split_is_empty(lambda_runs):
    frame = lambda_runs.assign(n_selected=10.0).drop(index=[0, 3])
    assert build_step_table(find_lambdas(frame), {}).rows[0].cells[0].state == "missing"


@pytest.mark.parametrize(
    ("labels", "widths"),
    [
        ({}, {}),
        ({"prostate": DatasetLabel("prostate", differences=("Other genes.",))}, {"prostate": 80}),
    ],
)
def test_features_of_a_data_set_of_unknown_width_are_counted(lambda_runs, labels, widths):
    table = build_selected_table(find_lambdas(lambda_runs.assign(n_selected=40.0), labels), widths)
    assert table.rows[0].cells[2].number == "40"


def test_a_data_set_with_one_lambda_is_not_in_the_table_of_selected_features(lambda_runs):
    other = lambda_runs.iloc[:1].assign(dataset="prostate-two")
    frame = pd.concat([lambda_runs, other], ignore_index=True).assign(n_selected=40.0)
    labels = {"prostate-two": DatasetLabel("prostate-two", "prostate")}
    assert "prostate-two" in set(find_lambdas(frame, labels).runs["dataset"])
    table = build_selected_table(find_lambdas(frame, labels), {})
    assert {row.label for row in table.rows} == {"prostate"}


def test_features_are_selected_by_wpfs_only(lambda_runs):
    frame = lambda_runs.assign(n_selected=40.0)
    with pytest.raises(UserError, match="the study lambda is about wpfs, not mlp"):
        build_tables(Report(frame, ReportRequest(models=("mlp",))), "selected")


def test_a_table_of_selected_features_needs_runs_that_compare(lambda_runs):
    alone = lambda_runs.iloc[[0, 3]].assign(n_selected=40.0)  # two lambdas, no common fold
    with pytest.raises(UserError, match="no data set with two λ on the same split"):
        build_tables(Report(alone), "selected")


def test_comparison_with_the_papers_table(lambda_runs):
    (table,) = build_comparisons(Report(lambda_runs), "lambda")
    assert [row.cells[0].value for row in table.rows] == list(LAMBDAS)
    assert table.rows[0].cells[2].number == "89.00"


def test_a_study_the_paper_has_no_table_of(lambda_runs):
    with pytest.raises(UserError, match="no table for the study wpn"):
        build_comparisons(Report(lambda_runs), "wpn")


def test_a_study_without_runs_says_how_to_start_it(make_row, make_frame):
    with pytest.raises(UserError, match="wpfs-bench run --study schedule"):
        build_tables(Report(make_frame([make_row(model="mlp")])), "schedule")


def test_sample_sizes_become_columns(make_row, make_frame):
    base = get_method("wpfs").paper_hyperparameters("metabric-pam50")
    rows = [
        make_row(dataset="metabric-pam50:samples=60", hyperparameters=base, score=0.24),
        make_row(dataset="metabric-pam50", hyperparameters=base, score=0.8),
    ]
    (table,) = build_tables(Report(make_frame(rows)), "dataset-size")
    shown = dict(zip(table.columns, table.rows[0].cells, strict=True))
    assert table.rows[0].label == "metabric-pam50"
    assert shown["wpfs, n = 60"].number == "24.00"
    assert shown["wpfs, n = all"].number == "80.00"
    assert shown["mlp, n = 60"].state == "missing"


def test_samples_of_a_data_set_stay_out_of_the_main_table(make_row, make_frame):
    names = ["metabric-dr", "metabric-dr:samples=50", "metabric-dr:samples=100", "prostate"]
    report = Report(make_frame([make_row(dataset=name) for name in names]))
    (table,) = build_tables(report, "main")
    assert [row.label for row in table.rows] == ["metabric-dr", "prostate", "average rank"]
    assert "2 samples of data sets are shown by --table dataset-size only." in table.notes


def test_a_single_sample_is_a_data_set_like_any_other(make_row, make_frame):
    report = Report(make_frame([make_row(dataset="synthetic:samples=60")]))
    assert report.datasets == ["synthetic:samples=60"]


def test_data_sets_a_study_is_not_meant_for_are_left_out(make_row, make_frame):
    rows = [make_row(model=model, hyperparameters={}) for model in ("wpfs", "mlp")]
    rows = [row | {"dataset": "toxicity"} for row in rows]
    assert find_runs(make_frame(rows), STUDIES["dataset-size"], Labels()).empty


@pytest.fixture
def failing_lambda_runs(lambda_runs):
    """All but one lambda failed on a second data set: its row has a single result."""
    other = lambda_runs[lambda_runs["hyperparameters_hash"].duplicated(keep=False)].copy()
    other["dataset"] = "prostate-standin"
    other["stand_in_for"] = "prostate"
    lost = other["hyperparameters"].map(lambda values: values.get("sparsity", 0) != 3e-3)
    other.loc[lost, ["status", "error"]] = ["failed", "ValueError: boom"]
    other.loc[lost, "balanced_accuracy_test"] = float("nan")
    return pd.concat([lambda_runs, other], ignore_index=True)


def test_a_data_set_whose_variants_failed_stays_in_the_table(failing_lambda_runs):
    (table,) = build_tables(Report(failing_lambda_runs), "lambda")
    assert [row.label for row in table.rows] == ["prostate", "prostate-standin"]
    states = [cell.state for cell in table.rows[1].cells]
    assert states == ["failed"] * 4 + ["ok", "failed"]


def test_gaps_of_a_study_are_those_of_its_table(failing_lambda_runs):
    report = Report(failing_lambda_runs, ReportRequest(expected=2))
    gaps = [gap.describe() for gap in find_gaps(report, "lambda")]
    assert len(gaps) == 5
    assert gaps[0] == (
        "failed: lambda, 0 on prostate-standin, 0 of 2 runs, 2 failed: ValueError: boom"
    )
    assert find_gaps(report) == []


def test_the_page_counts_failed_runs_of_studies_and_of_other_hyperparameters(failing_lambda_runs):
    frame = failing_lambda_runs
    frame.loc[frame["presets"].map(len) == 0, ["status", "error"]] = ["timeout", "too slow"]
    report = Report(frame, ReportRequest(expected=2))
    page = render_page(report, "results")
    assert re.search(r"<dt>failed runs[^<]*</dt><dd>11</dd>", page)
    gaps = page[page.index('id="gaps"') :]
    assert "too slow" in gaps
    assert gaps.count("ValueError: boom") == 5
