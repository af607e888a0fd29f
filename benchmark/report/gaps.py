"""Which cells of a report are missing, failed or incomplete."""

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from benchmark.plan.studies import STUDIES
from benchmark.report.report import Report

#: What a gap may be, the gravest first.
KINDS = ("failed", "missing", "incomplete", "untuned")


@dataclass(frozen=True)
class Gap:
    """A cell that is not what it should be.

    Parameters
    ----------
    dataset, model
        The cell; in a study the model is the label of a variant.
    done, failed, expected
        Runs that ended well, that failed or timed out, and that there should be.
    error
        Of the first failed run.
    untuned
        How many candidates of the grid were run, where some are missing.
    study
        Whose table the cell belongs to; empty for the main table.
    """

    dataset: str
    model: str
    done: int
    failed: int
    expected: int
    error: str = ""
    study: str = ""
    untuned: str = ""

    @property
    def kind(self) -> str:
        """``missing`` (no run), ``failed`` (some failed), ``incomplete`` or ``untuned``."""
        if self.failed:
            return "failed"
        if self.untuned and self.done >= self.expected:
            return "untuned"
        return "incomplete" if self.done else "missing"

    def describe(self) -> str:
        """Return one line: what is wrong."""
        where = f"{self.study}, {self.model}" if self.study else self.model
        text = f"{self.kind}: {where} on {self.dataset}, {self.done} of {self.expected} runs"
        if self.failed:
            text += f", {self.failed} failed"
        if self.untuned:
            text += f", {self.untuned}"
        return f"{text}: {self.error}" if self.error else text


def find_gaps(report: Report, table: str = "main") -> list[Gap]:
    """List the cells behind ``--table NAME`` that have failures or lack runs or candidates."""
    study = table if table in STUDIES else ""
    if study:
        found = report.find_study(table)
        scores, runs, by = found.scores, found.runs, "variant"
    else:
        scores, runs, by = report.scores, report.runs.of_main_table, "model"
    expected, failures = report.request.expected, runs[runs["status"] != "ok"]
    gaps = []
    for dataset, model in itertools.product(scores.datasets, scores.methods):
        done = int(scores.n.loc[dataset, model])
        failed = int(scores.failed.loc[dataset, model])
        lacks = "" if study else report.untuned.get((dataset, model), "")
        if done >= expected and not failed and not lacks:
            continue
        of_cell = (failures["dataset"] == dataset) & (failures[by] == model)
        error = _find_error(failures[of_cell])
        gaps.append(Gap(dataset, model, done, failed, expected, error, study, lacks))
    return gaps


def count_kinds(gaps: Sequence[Gap]) -> dict[str, int]:
    """Count gaps by kind, the gravest first; kinds without any are left out."""
    counts = Counter(gap.kind for gap in gaps)
    return {kind: counts[kind] for kind in KINDS if counts[kind]}


def find_every_gap(report: Report) -> list[Gap]:
    """List the gaps of the main table and of the studies, and all failures elsewhere."""
    gaps = find_gaps(report)
    elsewhere = report.runs.of_any_hyperparameters.drop(
        report.runs.of_main_table.index, errors="ignore"
    )
    for study in report.shown_studies:
        gaps += find_gaps(report, study.study.name)
        elsewhere = elsewhere.drop(study.runs.index, errors="ignore")
    return gaps + _list_failures(elsewhere)


def _list_failures(frame: pd.DataFrame) -> list[Gap]:
    """List the failures among runs that no table shows, one per data set and method."""
    gaps = []
    for (dataset, model), runs in frame.groupby(["dataset", "model"], sort=True):
        failures = runs[runs["status"] != "ok"]
        if len(failures):
            error, done = _find_error(failures), len(runs) - len(failures)
            where = "other hyper-parameters"
            gaps.append(Gap(dataset, model, done, len(failures), len(runs), error, where))
    return gaps


def _find_error(failures: pd.DataFrame) -> str:
    """Return the error of the first of some failed runs."""
    return "" if failures.empty else str(failures["error"].iloc[0] or "").strip()
