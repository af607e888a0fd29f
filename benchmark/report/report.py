"""The results that a request asks for: what all tables, pages and figures are made of."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from benchmark.genes.lists import GeneLists, read_gene_lists
from benchmark.genes.table import add_table
from benchmark.plan.studies import STUDIES
from benchmark.report.aggregate import Scores, aggregate
from benchmark.report.labels import Labels, label_methods, order_models
from benchmark.report.request import ReportRequest
from benchmark.report.runs import ReportedRuns
from benchmark.report.study_runs import StudyRuns
from benchmark.results.arrays import RunArrays, StoredArrays

#: What the others are compared with unless the request says otherwise.
REFERENCE = "wpfs"

#: So many unreadable files are named in a note; --strict lists all.
_NAMED = 3

#: So many data sets are shown in detail, with their tables.
_DETAILED = 3


@dataclass(frozen=True)
class Report:
    """Runs, their scores, and how methods and data sets are called.

    Parameters
    ----------
    stored
        All runs of a results folder, one row each.
    request
        What to show of them.
    unreadable
        Files of the folder that should be records and cannot be read.
    stored_arrays
        Where the arrays of the runs are, if not beside their records.
    """

    stored: pd.DataFrame
    request: ReportRequest = field(default_factory=ReportRequest)
    unreadable: Sequence[Path] = ()
    stored_arrays: RunArrays | None = None

    @cached_property
    def runs(self) -> ReportedRuns:
        """The runs that the request is about."""
        return ReportedRuns(self.stored, self.request)

    @cached_property
    def arrays(self) -> RunArrays:
        """Predictions, loss curves and importance scores of the runs."""
        return self.stored_arrays or StoredArrays(self.stored)

    @cached_property
    def datasets(self) -> list[str]:
        """Data sets of the main table, in its order."""
        found = self.runs.of_main_table["dataset"].unique()
        return list(self.request.datasets) or self.runs.labels.order_datasets(found)

    @cached_property
    def models(self) -> list[str]:
        """Methods of the main table, in its order."""
        found = self.runs.of_main_table["model"].unique()
        return list(self.request.models) or order_models(found)

    @cached_property
    def labels(self) -> Labels:
        """How methods and data sets are called."""
        return replace(
            self.runs.labels, methods=label_methods(self.models), titles=self.request.titles
        )

    @cached_property
    def scores(self) -> Scores:
        """The metric per data set and method."""
        return aggregate(self.runs.of_main_table, self.request.metric).select(
            self.datasets, self.models
        )

    @property
    def is_detailed(self) -> bool:
        """Whether it is about so few data sets that each can be shown in detail."""
        return len(self.datasets) <= _DETAILED

    @cached_property
    def genes(self) -> dict[str, GeneLists]:
        """Data set -> lists of genes from the runs of the main table that have scores.

        Of many data sets the tables are not loaded: names are then those kept with the runs.
        """
        runs, found = self.runs.of_main_table, {}
        for dataset in self.datasets:
            of_dataset = runs[(runs["dataset"] == dataset) & runs["model"].isin(self.models)]
            if of_dataset.empty:
                continue
            lists = read_gene_lists(of_dataset, self.arrays)
            if lists is not None:
                found[dataset] = add_table(lists) if self.is_detailed else lists
        return found

    @cached_property
    def complete(self) -> Scores:
        """The largest part of the scores with enough runs everywhere: what is ranked and tested.

        Methods asked for by name stay in it. Otherwise the one that the others are compared with
        does, as long as that leaves two data sets.
        """
        if self.request.models:
            return self.scores.find_complete(self.request.models)
        reference = self.request.against or REFERENCE
        if reference in self.models:
            part = self.scores.find_complete([reference])
            if len(part.datasets) > 1:
                return part
        return self.scores.find_complete()

    @cached_property
    def _studies(self) -> dict[str, StudyRuns]:
        return {}

    @cached_property
    def comparisons(self) -> dict[tuple[str, str], Any]:
        """(Data set, reference) -> tests that were made; see ``tables.significance.compare_on``."""
        return {}

    def find_study(self, name: str) -> StudyRuns:
        """Return a study and its runs; a ``UserError`` if it is about other methods."""
        if name not in self._studies:
            study = STUDIES[name].narrow(self.request.models)
            self._studies[name] = StudyRuns(study, self.runs.for_studies, self.runs.labels)
        return self._studies[name]

    @cached_property
    def shown_studies(self) -> list[StudyRuns]:
        """The studies that were run with some of the methods asked for."""
        models = self.request.models
        found = [
            self.find_study(name)
            for name, study in STUDIES.items()
            if not models or any(variant.model in models for variant in study.variants)
        ]
        return [study for study in found if study.is_shown]

    @cached_property
    def untuned(self) -> dict[tuple[str, str], str]:
        """(data set, method) of the main table -> how much of its grid was run, if not all."""
        return {
            (dataset, model): lacks
            for (dataset, model), lacks in self.runs.untuned.items()
            if dataset in self.datasets and model in self.models
        }

    @property
    def tuning_remark(self) -> str:
        """A few words for titles where not all candidates were run, else empty."""
        if not self.untuned:
            return ""
        lacks = set(self.untuned.values())
        if len(lacks) == 1:
            return f"not fully tuned: {lacks.pop()}"
        return f"not fully tuned: {len(self.untuned)} cells lack candidates"

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences: what was left out, could not be read, or is not complete."""
        notes = list(self.runs.notes)
        if self.unreadable:
            files = ", ".join(str(file) for file in self.unreadable[:_NAMED])
            more = ", ..." if len(self.unreadable) > _NAMED else ""
            notes.append(f"Records that cannot be read: {len(self.unreadable)} ({files}{more}).")
        if self.untuned:
            cells = "; ".join(
                f"{self.labels.title(model)} on {dataset}: {lacks}"
                for (dataset, model), lacks in self.untuned.items()
            )
            notes.append(f"Not fully tuned: {cells}.")
        return tuple(notes)
