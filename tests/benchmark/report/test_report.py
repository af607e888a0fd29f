"""Tables of a report, format aside."""

from dataclasses import replace

import numpy as np
import pytest

from benchmark.errors import UserError
from benchmark.plan.studies import STUDIES
from benchmark.report.formats.registry import render_tables
from benchmark.report.gaps import find_gaps
from benchmark.report.report import Report
from benchmark.report.request import ReportRequest
from benchmark.report.tables.published import build_published
from benchmark.report.tables.registry import TABLES, build_tables
from benchmark.results.reading import read_results
from benchmark.run.metrics import METRICS


def cells_of(table, label):
    row = next(row for row in table.rows if row.label == label)
    return dict(zip(table.columns, row.cells, strict=True))


def test_main_table_has_the_papers_order_and_marks(runs):
    (table,) = build_tables(Report(runs), "main")
    assert table.columns == ("wpfs", "mlp", "random-forest", "linear-svm")
    assert [row.label + row.mark for row in table.rows] == [
        "prostate",
        "tcga-2ysurvival-standin†",
        "toxicity",
        "average rank",
    ]
    assert any(note.startswith("† tcga-2ysurvival-standin stands in") for note in table.notes)


def test_failed_missing_and_incomplete_cells_say_so(runs):
    (table,) = build_tables(Report(runs), "main")
    assert cells_of(table, "toxicity")["linear-svm"].state == "missing"
    assert cells_of(table, "tcga-2ysurvival-standin")["random-forest"].state == "failed"
    assert cells_of(table, "prostate")["random-forest"].count == "n=24"
    assert cells_of(table, "prostate")["wpfs"].count == ""
    assert any("random-forest (prostate 1, tcga-2ysurvival-standin 25)" in n for n in table.notes)


def test_scores_of_a_method_without_probabilities_are_not_available(runs):
    runs = runs.copy()
    runs["auroc_test"] = np.where(runs["model"] == "mlp", np.nan, runs["balanced_accuracy_test"])
    report = Report(runs, ReportRequest(metric=METRICS["auroc"]))
    (table,) = build_tables(report, "main")
    assert {row.cells[1].number for row in table.rows} == {"—"}
    note = "Not available (—): AUROC (one against the rest) of runs that give no probabilities"
    assert any(text.startswith(note) and "mlp (prostate 25" in text for text in table.notes)
    assert "1 cell has no run (—) and is left empty." in table.notes
    summary = build_tables(report, "summary")[0]
    assert [cell.number for cell in cells_of(summary, "mlp").values()][1:4] == ["—", "75", "0"]
    assert build_tables(report, "statistics")


def test_a_data_set_without_any_run_says_so_and_names_the_command(runs):
    request = ReportRequest(datasets=("prostate", "cll", "lung"), models=("wpfs", "mlp"))
    (table,) = build_tables(Report(runs, request), "main")
    assert [cell.number for cell in table.rows[1].cells] == ["not run", "not run"]
    (note,) = (note for note in table.notes if note.startswith("Not run here: cll, lung."))
    assert "`wpfs-bench run --model wpfs,mlp --dataset cll,lung`" in note
    assert not any("Left out" in note or "left empty" in note for note in table.notes)


def test_transposed_tables_have_methods_as_rows(runs):
    (table,) = build_tables(Report(runs), "main")
    flipped = table.transpose()
    assert flipped.head == "method"
    assert flipped.columns[1] == "tcga-2ysurvival-standin†"
    assert cells_of(flipped, "wpfs")["prostate"] == cells_of(table, "prostate")["wpfs"]


def test_the_digest_follows_scores_and_not_the_order_of_runs(runs):
    digest = Report(runs).runs.digest
    assert Report(runs.sample(frac=1, random_state=0)).runs.digest == digest
    changed = runs.copy()
    changed.loc[3, "balanced_accuracy_test"] += 0.01
    assert Report(changed).runs.digest != digest


def test_a_metric_younger_than_the_runs_does_not_change_their_digest(runs, monkeypatch):
    digest = Report(runs).runs.digest
    younger = replace(METRICS["accuracy"], name="younger")
    monkeypatch.setitem(METRICS, "younger", younger)
    assert Report(runs.assign(younger_test=np.nan)).runs.digest == digest
    assert Report(runs.assign(younger_test=0.5)).runs.digest != digest


def test_best_is_bold_and_second_underlined(runs):
    (table,) = build_tables(Report(runs), "main")
    places = {name: cell.place for name, cell in cells_of(table, "prostate").items()}
    assert places == {"wpfs": "second", "mlp": "", "random-forest": "", "linear-svm": "best"}


def test_ranks_are_over_the_largest_part_without_an_empty_cell(runs):
    (table,) = build_tables(Report(runs), "main")
    assert [cell.number for cell in table.rows[-1].cells] == ["1", "2", "—", "—"]
    assert table.notes[1] == (
        "Ranked are 3 data sets and 2 methods with enough runs in every cell, not random-forest, "
        "linear-svm."
    )


def test_methods_asked_for_are_all_ranked(runs):
    request = ReportRequest(models=("wpfs", "mlp", "random-forest", "linear-svm"))
    (table,) = build_tables(Report(runs, request), "main")
    assert [cell.number for cell in table.rows[-1].cells] == ["2", "3", "4", "1"]
    assert table.notes[1].endswith("every cell, not tcga-2ysurvival-standin, toxicity.")


def test_the_method_to_compare_with_is_ranked(runs):
    report = Report(runs, ReportRequest(against="linear-svm"))
    assert "linear-svm" in report.complete.methods
    (table,) = build_tables(report, "rank-intervals")
    assert "linear-svm" in [row.label for row in table.rows]
    assert "Data sets: prostate, tcga-2ysurvival-standin†." in table.notes


def test_filters_give_rows_and_columns_in_the_order_asked_for(runs):
    request = ReportRequest(models=("mlp", "wpfs"), datasets=("toxicity", "prostate"))
    (table,) = build_tables(Report(runs, request), "main")
    assert table.columns == ("mlp", "wpfs")
    assert [row.label for row in table.rows[:-1]] == ["toxicity", "prostate"]


def test_no_common_data_set_means_no_rank(runs):
    partial = runs[(runs["dataset"] == "toxicity") & (runs["model"] == "wpfs")
                   | (runs["dataset"] == "prostate") & (runs["model"] == "mlp")]  # fmt: skip
    tables = build_tables(Report(partial), "summary")
    assert all(cell.state == "missing" for cell in tables[1].rows[-1].cells)
    assert "no average rank" in tables[1].notes[0]


def test_summary_of_one_data_set_is_a_ranked_list(runs):
    request = ReportRequest(datasets=("prostate",))
    (table,) = build_tables(Report(runs, request), "summary")
    assert [row.label for row in table.rows] == ["linear-svm", "wpfs", "mlp", "random-forest"]
    first = cells_of(table, "linear-svm")
    assert first["rank"].number == "1"
    assert first["runs"].value == 25
    assert first["balanced accuracy"].spread
    assert first["median time per run"].number == "12 s"
    assert cells_of(table, "random-forest")["failed"].value == 1


def test_lower_is_better_metrics_rank_the_other_way(runs):
    request = ReportRequest(metric=METRICS["brier"], datasets=("prostate",))
    (table,) = build_tables(Report(runs, request), "summary")
    assert table.rows[0].label == "linear-svm"
    assert cells_of(table, "linear-svm")["Brier score"].number.startswith("0.")


def test_comparison_counts_cells_and_sets_stand_ins_apart(runs):
    (table,) = build_tables(Report(runs), "comparison")
    verdict = table.notes[0]
    assert "cells on the paper's data sets" in verdict
    assert "of 2 cells on stand-ins" in verdict
    assert {row.mark for row in table.rows} == {"", "†"}
    assert all(row.cells[0].value != "linear-svm" for row in table.rows)


def test_comparison_of_another_metric_is_refused(runs):
    with pytest.raises(UserError, match="balanced accuracy only"):
        build_tables(Report(runs, ReportRequest(metric=METRICS["auroc"])), "comparison")


def test_every_table_builds(store_folder):
    frame, arrays = read_results(store_folder)
    needs_other_runs = {"selected", "stand-ins", "lambda-bias"}
    for name in TABLES.keys() - needs_other_runs:
        assert build_tables(Report(frame, stored_arrays=arrays), name)


def test_unknown_table_lists_tables_and_studies(runs):
    with pytest.raises(UserError, match=r"main, full.*lambda"):
        build_tables(Report(runs), "tables")


def test_statistics_against_a_method_that_is_not_shown(runs):
    with pytest.raises(UserError, match="--against nobody"):
        build_tables(Report(runs, ReportRequest(against="nobody")), "statistics")


@pytest.mark.parametrize("name", ["runtime", "parameters"])
def test_costs_tell_failed_from_not_run(runs, name):
    (table,) = build_tables(Report(runs), name)
    assert cells_of(table, "tcga-2ysurvival-standin")["random-forest"].state == "failed"
    assert cells_of(table, "toxicity")["linear-svm"].state == "missing"


def test_costs_of_a_method_that_failed_everywhere(runs):
    lost = runs[(runs["model"] != "random-forest") | (runs["status"] != "ok")]
    for name in ("runtime", "parameters"):
        (table,) = build_tables(Report(lost), name)
        assert cells_of(table, "prostate")["random-forest"].state == "failed"
    totals = cells_of(build_tables(Report(lost), "runtime")[0], "all runs together")
    assert totals["random-forest"].number == "failed"


def test_times_say_on_which_processors_they_were_taken(runs):
    def note(frame):
        return build_tables(Report(frame), "runtime")[0].notes[0]

    assert "processor: AMD EPYC (cpu family 25, model 1). Times" in note(runs)
    mixed = runs.copy()
    mixed.loc[mixed.index[:3], "processor"] = ""
    counts = f"AMD EPYC (cpu family 25, model 1) ({len(runs) - 3} runs), not recorded (3 runs)."
    assert f"processor: {counts}" in note(mixed)


def test_datasets_count_failed_runs_apart(runs):
    (table,) = build_tables(Report(runs), "datasets")
    cells = cells_of(table, "prostate")
    assert (cells["runs"].value, cells["failed"].value) == (99, 1)


def test_statistics_show_methods_without_common_runs_as_such(runs):
    tables = {table.name: table for table in build_tables(Report(runs), "statistics")}
    assert cells_of(tables["t-test-prostate"], "random-forest")["common runs"].value == 24
    failed = cells_of(tables["t-test-tcga-2ysurvival-standin"], "random-forest")
    assert (failed["p"].number, failed["common runs"].value) == ("failed", 0)
    assert cells_of(tables["t-test-toxicity"], "linear-svm")["p"].state == "missing"


def test_tests_over_data_sets_name_those_they_leave_out(runs):
    request = ReportRequest(models=("wpfs", "mlp", "linear-svm"))
    tables = {table.name: table for table in build_tables(Report(runs, request), "statistics")}
    assert tables["rank-intervals"].notes[1].endswith("every cell, not toxicity.")
    compared = {row.label: row.cells[0].value for row in tables["against"].rows}
    assert compared == {"mlp": 3, "linear-svm": 2}, "each pair on the data sets both have"


def test_cells_with_fewer_runs_are_named_where_they_are_ranked(runs):
    (table,) = build_tables(Report(runs[runs["model"] != "linear-svm"]), "rank-intervals")
    assert not any(note.startswith("Fewer runs") for note in table.notes)
    request = ReportRequest(models=("wpfs", "random-forest"))
    (table,) = build_tables(Report(runs, request), "rank-intervals")
    assert "Fewer runs than the others: random-forest on prostate (24)." in table.notes


def test_against_counts_data_sets_higher_better_and_worse(make_row, make_frame):
    offsets = {"a": 0.3, "b": -0.3, "c": 0.0001}
    frame = make_frame(
        make_row(dataset, model, repeat, fold, 0.5 + 0.01 * fold + (model == "wpfs") * offset)
        for dataset, offset in offsets.items()
        for model in ("wpfs", "mlp")
        for repeat in range(5)
        for fold in range(5)
    )
    frame.loc[(frame["dataset"] == "c") & (frame["model"] == "wpfs"), "balanced_accuracy_test"] += (
        np.random.default_rng(0).normal(0, 0.2, 25)
    )
    (table,) = build_tables(Report(frame), "against")
    cells = cells_of(table, "mlp")
    assert [cells[name].value for name in ("data sets", "better", "worse")] == [3, 1, 1]
    assert "no difference could be significant" in table.notes[-1]


def test_a_data_set_without_the_reference_says_so(runs):
    tables = build_tables(Report(runs, ReportRequest(against="linear-svm")), "statistics")
    test = next(table for table in tables if table.name == "t-test-toxicity")
    assert test.rows == ()
    assert test.notes == ("No test: linear-svm was not run on toxicity.",)
    for format in ("markdown", "latex", "csv", "json"):
        assert render_tables([test], format)
    assert "No test" in render_tables([test], "latex")
    assert "tabular" not in render_tables([test], "latex")


def test_parameters_say_how_much_smaller_wpfs_is(runs):
    (table,) = build_tables(Report(runs), "parameters")
    assert "WPFS trains 10% as many parameters as the MLP (median)." in table.notes


def test_gaps_name_kind_count_and_error(runs):
    gaps = {(gap.model, gap.dataset): gap for gap in find_gaps(Report(runs))}
    assert gaps["linear-svm", "toxicity"].kind == "missing"
    failed = gaps["random-forest", "prostate"]
    assert failed.describe() == (
        "failed: random-forest on prostate, 24 of 25 runs, 1 failed: ValueError: boom"
    )
    assert ("wpfs", "prostate") not in gaps


def test_a_store_of_studies_only_says_so(make_row, make_frame):
    frame = make_frame([make_row(presets=())])
    with pytest.raises(UserError, match="a study with --table"):
        build_tables(Report(frame), "main")


@pytest.mark.parametrize("name", ["main", "full", "ranks", "datasets", "lambda", "embedding-size"])
def test_published_tables_build(name):
    (table,) = build_published(name, ReportRequest())
    assert len([row for row in table.rows if not row.footer]) == 9


def test_published_table_takes_our_names_of_methods():
    (table,) = build_published("main", ReportRequest(models=("random-forest", "wpfs")))
    assert table.columns == ("Random Forest", "WPFS")


def test_unpublished_table_is_refused():
    with pytest.raises(UserError, match="--source paper has no table 'wpn'"):
        build_published("wpn", ReportRequest())


def test_published_names_of_studies_are_studies():
    from benchmark.report.paper import read_paper

    for name, table in read_paper().tables.items():
        if name in ("main", "full"):
            continue
        labels = tuple(variant.label for variant in STUDIES[name].variants)
        assert table.columns == labels
        assert table.metric == STUDIES[name].metric


def test_published_table_7_keeps_every_digit_and_its_average():
    (table,) = build_published("embedding-size", ReportRequest())
    cell = cells_of(table, "metabric-pam50")["50"]
    assert (cell.number, cell.spread) == ("0.00032", "0.00092")
    average = cells_of(table, "average (as printed)")["50"]
    assert (average.number, average.spread) == ("0.3083", "0.1436")


def test_an_average_over_all_data_sets_does_not_stand_under_some():
    (table,) = build_published("embedding-size", ReportRequest(datasets=("cll",)))
    assert [row.label for row in table.rows] == ["cll"]


def test_published_full_table_says_whose_ranks_it_shows():
    (table,) = build_published("full", ReportRequest())
    assert "Ranks: ours, of these means; Table 10 prints none." in table.notes
    assert "sample" not in table.title
    (table,) = build_published("embedding-type", ReportRequest())
    assert table.notes[0].startswith("The paper's Tables 5 and 6:")


def test_results_that_take_no_part_in_the_ranks_say_so(runs):
    (table,) = build_tables(Report(runs), "ranks")
    numbers = {name: cell.number for name, cell in cells_of(table, "toxicity").items()}
    assert numbers == {
        "wpfs": "1",
        "mlp": "2",
        "random-forest": "left out",
        "linear-svm": "—",
    }
