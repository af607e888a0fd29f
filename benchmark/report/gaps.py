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
    expected = report.request.expected
    first = runs[runs["status"] != "ok"].drop_duplicates(["dataset", by])
    cells = zip(first["dataset"], first[by], strict=True)
    errors = dict(zip(cells, map(_clean, first["error"]), strict=True))
    counts = zip(scores.n.to_numpy().flat, scores.failed.to_numpy().flat, strict=True)
    gaps = []
    for cell, (done, failed) in zip(
        itertools.product(scores.datasets, scores.methods), counts, strict=True
    ):
        lacks = "" if study else report.untuned.get(cell, "")
        if done < expected or failed or lacks:
            error = errors.get(cell, "")
            gaps.append(Gap(*cell, int(done), int(failed), expected, error, study, lacks))
    return gaps


def count_kinds(gaps: Sequence[Gap]) -> dict[str, int]:
    """Count gaps by kind, the gravest first; kinds without any are left out."""
    counts = Counter(gap.kind for gap in gaps)
    return {kind: counts[kind] for kind in KINDS if counts[kind]}


def find_every_gap(report: Report) -> list[Gap]:
    """List the gaps of the main table and of the studies, and all failures elsewhere."""
    gaps, shown = find_gaps(report), report.runs.of_main_table.index
    for study in report.shown_studies:
        gaps += find_gaps(report, study.study.name)
        shown = shown.union(study.runs.index)
    runs = report.runs.of_any_hyperparameters
    return gaps + _list_failures(runs[~runs.index.isin(shown)])


def _list_failures(frame: pd.DataFrame) -> list[Gap]:
    """List the failures among runs that no table shows, one per data set and method."""
    gaps = []
    totals = frame.groupby(["dataset", "model"]).size()
    failed = frame[frame["status"] != "ok"]
    for (dataset, model), failures in failed.groupby(["dataset", "model"], sort=True):
        total, n_failed = int(totals[dataset, model]), len(failures)
        error, where = _clean(failures["error"].iloc[0]), "other hyper-parameters"
        gaps.append(Gap(dataset, model, total - n_failed, n_failed, total, error, where))
    return gaps


def _clean(error: str | None) -> str:
    return str(error or "").strip()
