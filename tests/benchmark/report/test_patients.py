"""Scores by patient, and their errors."""

import dataclasses
import math

import numpy as np
import pytest

from benchmark.datasets.registry import list_stand_ins
from benchmark.errors import UserError
from benchmark.report.patients import average_hits, measure_patient_error, score_patients
from benchmark.report.report import Report
from benchmark.report.request import ReportRequest
from benchmark.report.tables.registry import build_tables
from benchmark.results.reading import read_results


def make_run(hits, labels=(0, 0, 1, 1), patients=(0, 1, 2, 3)):
    """Return predictions of two classes that are right where ``hits`` says so."""
    labels = np.array(labels)
    return {
        "test_index": np.array(patients),
        "y_true": labels,
        "y_pred": np.where(hits, labels, 1 - labels),
    }


def test_the_error_by_hand():
    # Shares of hits 1, 0 in class 0 (variance 1/2) and 1, 1/2 in class 1 (variance 1/8), two
    # patients each: sqrt(1/4 + 1/16) / 2.
    runs = [make_run([1, 0, 1, 0]), make_run([1, 0, 1, 1])]
    assert measure_patient_error(average_hits(runs)) == pytest.approx(math.sqrt(1 / 4 + 1 / 16) / 2)


def test_patients_of_different_folds_are_told_apart():
    together = make_run([1, 0, 1, 0, 1, 1], labels=[0, 0, 0, 1, 1, 1], patients=range(6))
    folds = [
        make_run([1, 0], labels=[0, 1], patients=[0, 3]),
        make_run([0, 1, 1, 1], labels=[0, 0, 1, 1], patients=[1, 2, 4, 5]),
    ]
    assert measure_patient_error(average_hits(folds)) == pytest.approx(
        measure_patient_error(average_hits([together]))
    )


def test_repeating_the_same_predictions_is_no_new_evidence():
    run = make_run([1, 0, 1, 1])
    assert measure_patient_error(average_hits([run] * 5)) == pytest.approx(
        measure_patient_error(average_hits([run]))
    )


@pytest.mark.parametrize(
    "runs", [[], [{}], [make_run([1, 0, 1], labels=[0, 0, 1], patients=range(3))]]
)
def test_too_few_patients_have_no_error(runs):
    assert math.isnan(measure_patient_error(average_hits(runs)))


def test_it_has_the_spread_of_scores_over_samples_of_patients():
    """Samples of 60 patients drawn anew: their scores scatter as the error of one says."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], [20, 40])
    scores, errors = [], []
    for _ in range(400):
        chances = rng.beta(2, 1, 60)
        hits = rng.random((5, 60)) < chances
        runs = [make_run(row, labels, range(60)) for row in hits]
        shares = hits.mean(axis=0)
        scores.append((shares[:20].mean() + shares[20:].mean()) / 2)
        errors.append(measure_patient_error(average_hits(runs)))
    assert np.mean(errors) == pytest.approx(np.std(scores), rel=0.1)


def test_the_comparison_allows_for_other_patients_on_stand_ins_only(store_folder):
    frame, arrays = read_results(store_folder)
    (table,) = build_tables(Report(frame, stored_arrays=arrays), "comparison")
    assert table.columns[-1] == "in std. errors over patients"
    known = {row.label for row in table.rows if row.cells[-1].value}
    assert known == {"tcga-2ysurvival-standin"}
    assert "over patients" in table.notes[0]
    (plain,) = build_tables(
        Report(frame[frame["dataset"] == "prostate"], stored_arrays=arrays), "comparison"
    )
    assert plain.columns[-1] == "in std. errors"


def test_classes_count_alike_in_the_score_of_patients():
    run = make_run([1, 1, 0, 1, 0, 0], labels=[0, 0, 0, 0, 1, 1], patients=range(6))
    assert score_patients(average_hits([run])) == pytest.approx((3 / 4 + 0) / 2)


REPLACED = (0, 3, 4, 11, 17)


def change_stand_in(monkeypatch, differences):
    """Let the registry say of the stand-in of the runs what its table differs in."""
    entry = dataclasses.replace(
        list_stand_ins()["tcga-2ysurvival-standin"],
        replaced_samples=REPLACED,
        differences=differences,
    )
    monkeypatch.setattr("benchmark.datasets.registry.list_stand_ins", lambda: {entry.name: entry})


def test_shared_patients_are_scored_apart_from_the_others(store_folder, monkeypatch):
    change_stand_in(monkeypatch, differences=("200 other patients.",))
    frame, arrays = read_results(store_folder)
    report = Report(frame, ReportRequest(models=("wpfs",)), stored_arrays=arrays)
    (table,) = build_tables(report, "stand-ins")
    (row,) = table.rows
    chosen = frame[(frame["dataset"] == row.label) & (frame["model"] == "wpfs")]
    hits = average_hits(arrays.read_predictions(int(run)) for run in chosen.index)
    patient = hits.index.get_level_values("patient")
    whole, theirs, others, gap = (cell.value for cell in row.cells[1:])
    assert whole == pytest.approx(100 * score_patients(hits))
    assert theirs == pytest.approx(100 * score_patients(hits[~patient.isin(REPLACED)]))
    assert others == pytest.approx(100 * score_patients(hits[patient.isin(REPLACED)]))
    assert gap == pytest.approx(theirs - others)


def test_runs_on_an_older_stand_in_of_the_same_name_are_left_out(store_folder, monkeypatch):
    change_stand_in(monkeypatch, differences=("Other patients today.",))
    frame, arrays = read_results(store_folder)
    with pytest.raises(UserError, match="no run on a stand-in as it is today"):
        build_tables(Report(frame, stored_arrays=arrays), "stand-ins")


def test_without_stand_ins_there_is_nothing_to_tell_apart(store_folder):
    frame, arrays = read_results(store_folder)
    report = Report(frame[frame["dataset"] == "prostate"], stored_arrays=arrays)
    with pytest.raises(UserError, match="no run on a stand-in"):
        build_tables(report, "stand-ins")
