"""The runs that a report is about."""

import hashlib
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from benchmark.datasets.names import SIZE_MARK, is_made
from benchmark.errors import UserError
from benchmark.report.labels import Labels, label_datasets
from benchmark.report.request import ReportRequest
from benchmark.report.selection import (
    check_names,
    drop_superseded,
    list_datasets,
    list_methods,
    select_folds,
    select_names,
    select_overridden,
    select_preset,
)
from benchmark.report.tuning import find_unchosen, find_untuned
from benchmark.run.metrics import METRICS
from benchmark.text import count_noun


@dataclass(frozen=True)
class ReportedRuns:
    """The runs of a results folder, as a request divides them; one row per run in each frame.

    Parameters
    ----------
    stored
        All runs of the folder.
    request
        What to show.
    """

    stored: pd.DataFrame
    request: ReportRequest

    @cached_property
    def _newest(self) -> tuple[pd.DataFrame, tuple[str, ...]]:
        newest, notes = drop_superseded(self.stored)
        chosen, others = select_folds(newest, self.request.folds, self.request.datasets)
        return chosen, (*notes, *others)

    @property
    def current(self) -> pd.DataFrame:
        """All of one cross-validation that are neither stale nor superseded."""
        return self._newest[0]

    @cached_property
    def of_main_table(self) -> pd.DataFrame:
        """Those with the preset, data sets and methods asked for."""
        self._check_names()
        runs = self.current[~self.current["dataset"].isin(self._samples_of_a_study)]
        preset, overrides = self.request.preset, self.request.overrides
        if overrides:
            runs = select_overridden(runs, preset, overrides, self.labels)
        else:
            runs = select_preset(runs, preset)
        if self.unchosen:
            cells = pd.MultiIndex.from_frame(runs[["dataset", "model"]])
            runs = runs[~cells.isin(list(self.unchosen))]
            if runs.empty:
                raise UserError(
                    "no method has runs with more than one candidate of its grid, so nothing was "
                    "tuned: start with `wpfs-bench run --hyperparameters tuned`"
                )
        return select_names(runs, self.request.datasets, self.request.models)

    @cached_property
    def for_studies(self) -> pd.DataFrame:
        """Those on the data sets asked for and on samples of them: studies find theirs here."""
        self._check_names()
        wanted = self.request.datasets
        if not wanted:
            return self.current
        bases = self.current["dataset"].str.partition(SIZE_MARK)[0]
        return self.current[bases.isin(wanted) | self.current["dataset"].isin(wanted)]

    @property
    def of_any_hyperparameters(self) -> pd.DataFrame:
        """Those of the methods and data sets asked for, whatever their hyper-parameters."""
        wanted = self.request.models
        runs = self.for_studies
        return runs[runs["model"].isin(wanted)] if wanted else runs

    @cached_property
    def labels(self) -> Labels:
        """How the data sets relate to the paper's; methods keep their names."""
        return Labels(datasets=label_datasets(self.current))

    @cached_property
    def unchosen(self) -> set[tuple[str, str]]:
        """(data set, method) left out of tuned runs: a single candidate is no choice."""
        if self.request.preset != "tuned":
            return set()
        return find_unchosen(self.current, self.labels)

    @cached_property
    def untuned(self) -> dict[tuple[str, str], str]:
        """(data set, method) -> how much of its grid was run, where tuned runs lack some of it."""
        if self.request.preset != "tuned":
            return {}
        return find_untuned(self.current, self.labels)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences: what was left out."""
        notes = list(self._newest[1])
        if self.request.overrides:
            values = ", ".join(f"{name}={value}" for name, value in self.request.overrides.items())
            notes.append(f"Runs with {values}, where a method has such a hyper-parameter.")
        if self.unchosen:
            cells = count_noun(len(self.unchosen), "cell")
            notes.append(f"Left out as not tuned, with one candidate of the grid: {cells}.")
        samples = self._samples_of_a_study
        if samples:
            notes.append(
                f"{len(samples)} samples of data sets are shown by --table dataset-size only."
            )
        return tuple(notes)

    @cached_property
    def digest(self) -> str:
        """Of what was asked for and of the runs' keys and scores, whatever their order."""
        names = [*self.request.datasets, *self.request.models]
        columns = ["dataset", "model", "hyperparameters_hash", "seed", "repeat", "fold", "status"]
        # Those of a metric younger than the runs would change the digest and nothing that is shown.
        scores = [metric.column for metric in METRICS.values()]
        columns += [column for column in scores if self.current[column].notna().any()]
        runs = self.current[columns].sort_values(columns[:6])
        text = ",".join(names) + runs.to_csv(index=False, float_format="%.6f")
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @cached_property
    def _samples_of_a_study(self) -> frozenset[str]:
        """Data sets in several sizes: in ranks each of them would count."""
        names = [
            name
            for name in self.current["dataset"].unique()
            if SIZE_MARK in name and not is_made(name)
        ]
        sizes = Counter(name.partition(SIZE_MARK)[0] for name in names)
        return frozenset(
            name
            for name in names
            if sizes[name.partition(SIZE_MARK)[0]] > 1 and name not in self.request.datasets
        )

    def _check_names(self) -> None:
        check_names(self.current, "dataset", self.request.datasets, list_datasets)
        check_names(self.current, "model", self.request.models, list_methods)
