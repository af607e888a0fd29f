"""From a data frame and a request to tables."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from benchmark.datasets.names import SIZE_MARK
from benchmark.errors import UserError
from benchmark.plan.studies import STUDIES
from benchmark.report.aggregate import Scores, aggregate
from benchmark.report.completeness import Gap, find_gaps, find_other_failures
from benchmark.report.labels import (
    STAND_IN,
    DatasetRemark,
    MethodName,
    collect_remarks,
    describe_methods,
    order_datasets,
    order_models,
)
from benchmark.report.paper import read_paper
from benchmark.report.selection import (
    check_names,
    count_candidates,
    drop_superseded,
    list_datasets,
    list_methods,
    select_names,
    select_overridden,
    select_setting,
)
from benchmark.report.study import StudyReport, fills_most_columns
from benchmark.report.table import PROTOCOL_RUNS, Table
from benchmark.report.tables import results
from benchmark.results.arrays import RunArrays
from benchmark.run.metrics import METRICS, Metric

#: So many unreadable files are named in a note; --strict lists all.
_NAMED = 3


@dataclass(frozen=True)
class Request:
    """What a report shows.

    Parameters
    ----------
    metric
        A key of ``METRICS``.
    rank_method
        ``paper`` or ``average``.
    models, datasets
        Which, in this order; all in the paper's order when empty.
    setting
        Of the hyper-parameters: ``paper``, ``default`` or ``tuned``.
    overrides
        Hyper-parameters in place of those of the setting, where a method has them.
    against
        The method that statistics compare the others with; WPFS or the best when None.
    titles
        Show methods by title instead of by their names on the command line.
    expected
        Runs that a complete cell has.
    """

    metric: Metric = METRICS["balanced-accuracy"]
    rank_method: str = "paper"
    models: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    setting: str = "paper"
    overrides: Mapping[str, Any] = field(default_factory=dict)
    against: str | None = None
    titles: bool = False
    expected: int = PROTOCOL_RUNS


@dataclass(frozen=True)
class Report:
    """The runs a request chose, and the tables made of them.

    Parameters
    ----------
    everything
        All runs of the store, those of studies included.
    request
        What to show.
    unreadable
        Files among the records that are none.
    arrays
        Where the predictions of the runs are.
    """

    everything: pd.DataFrame
    request: Request = field(default_factory=Request)
    unreadable: Sequence[Path] = ()
    arrays: RunArrays | None = None

    @cached_property
    def _current(self) -> tuple[pd.DataFrame, tuple[str, ...]]:
        return drop_superseded(self.everything)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        notes = list(self._current[1])
        if self.request.overrides:
            values = ", ".join(f"{name}={value}" for name, value in self.request.overrides.items())
            notes.append(f"Runs with {values}, where a method has such a hyper-parameter.")
        if self.unreadable:
            files = ", ".join(str(file) for file in self.unreadable[:_NAMED])
            more = ", …" if len(self.unreadable) > _NAMED else ""
            notes.append(f"Records that cannot be read: {len(self.unreadable)} ({files}{more}).")
        sized = self._sized_samples
        if sized:
            notes.append(
                f"{len(sized)} samples of data sets are shown by --table dataset-size only."
            )
        if self._untuned:
            cells = "; ".join(
                f"{self.titles.get(model, model)} on {dataset}: {lacks}"
                for (dataset, model), lacks in self._untuned.items()
            )
            notes.append(f"Not fully tuned: {cells}.")
        return tuple(notes)

    @cached_property
    def _untuned(self) -> dict[tuple[str, str], str]:
        """(data set, method) -> how much of its grid was run, where not all of it."""
        if self.request.setting != "tuned":
            return {}
        settings = {name: remark.settings_of for name, remark in self.remarks.items()}
        counts = count_candidates(self.current, settings)
        return {
            (dataset, model): f"{run} of {grid} candidates run"
            for (dataset, model), (run, grid) in counts.items()
            if dataset in self.datasets and model in self.models
        }

    @cached_property
    def current(self) -> pd.DataFrame:
        """Every run that is not superseded, those of studies included."""
        return self._current[0]

    @cached_property
    def digest(self) -> str:
        """Of what was asked for and of the runs' keys and scores, whatever their order."""
        names = [*self.request.datasets, *self.request.models]
        columns = ["dataset", "model", "hyperparameters_hash", "seed", "repeat", "fold", "status"]
        columns += [metric.column for metric in METRICS.values()]
        runs = self.current[columns].sort_values(columns[:6])
        text = ",".join(names) + runs.to_csv(index=False, float_format="%.6f")
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @cached_property
    def _sized_samples(self) -> frozenset[str]:
        """Data sets in several sizes: they belong to a study and would count twice in ranks."""
        bases = Counter(
            name.partition(SIZE_MARK)[0]
            for name in self.current["dataset"].unique()
            if SIZE_MARK in name
        )
        return frozenset(
            name
            for name in self.current["dataset"].unique()
            if SIZE_MARK in name
            and bases[name.partition(SIZE_MARK)[0]] > 1
            and name not in self.request.datasets
        )

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The runs behind the main table."""
        self._check_names()
        runs = self.current[~self.current["dataset"].isin(self._sized_samples)]
        setting, overrides = self.request.setting, self.request.overrides
        if overrides:
            settings = {name: remark.settings_of for name, remark in self.remarks.items()}
            runs = select_overridden(runs, setting, overrides, settings)
        else:
            runs = select_setting(runs, setting)
        return select_names(runs, self.request.datasets, self.request.models)

    def _check_names(self) -> None:
        check_names(self.current, "dataset", self.request.datasets, list_datasets)
        check_names(self.current, "model", self.request.models, list_methods)

    @cached_property
    def studied(self) -> pd.DataFrame:
        """The runs among which studies find theirs: samples of a data set go with it."""
        self._check_names()
        wanted = self.request.datasets
        if not wanted:
            return self.current
        bases = self.current["dataset"].str.partition(SIZE_MARK)[0]
        return self.current[bases.isin(wanted) | self.current["dataset"].isin(wanted)]

    @property
    def covered(self) -> pd.DataFrame:
        """Every run of the methods and data sets asked for, whatever its setting."""
        wanted = self.request.models
        return self.studied[self.studied["model"].isin(wanted)] if wanted else self.studied

    @cached_property
    def remarks(self) -> dict[str, DatasetRemark]:
        """Data set -> what has to be said of it."""
        unseen = {name: DatasetRemark(name) for name in self.request.datasets}
        return unseen | collect_remarks(self.current)

    @cached_property
    def datasets(self) -> list[str]:
        """Data sets in the order shown."""
        chosen = list(self.request.datasets)
        return chosen or order_datasets(self.frame["dataset"].unique(), self.remarks)

    @cached_property
    def models(self) -> list[str]:
        """Methods in the order shown."""
        return list(self.request.models) or order_models(self.frame["model"].unique())

    @cached_property
    def scores(self) -> Scores:
        """The metric per data set and method."""
        return aggregate(self.frame, self.request.metric).select(self.datasets, self.models)

    @cached_property
    def names(self) -> dict[str, MethodName]:
        """Method -> its title and its column in the paper."""
        return describe_methods(self.models)

    @property
    def titles(self) -> dict[str, str]:
        """Method -> what stands over its column."""
        if self.request.titles:
            return {model: name.title for model, name in self.names.items()}
        return {model: model for model in self.models}

    @cached_property
    def gaps(self) -> list[Gap]:
        """Cells that are missing, failed or incomplete."""
        return find_gaps(self.scores, self.frame, self.request.expected, untuned=self._untuned)

    def find_gaps(self, name: str) -> list[Gap]:
        """List the gaps of the table that ``--table NAME`` shows."""
        return self._study(name).gaps if name in STUDIES else self.gaps

    def _study(self, name: str) -> StudyReport:
        study = STUDIES[name].narrow(self.request.models)
        return StudyReport(study, self.studied, self.remarks, self.request.expected)

    @cached_property
    def studies(self) -> dict[str, Table]:
        """The studies that were run: name -> table."""
        tables = {}
        for name in STUDIES:
            try:
                table = self._study(name).build_table()
            except UserError:
                continue
            if fills_most_columns(table):
                tables[name] = table
        return tables

    @cached_property
    def every_gap(self) -> list[Gap]:
        """Gaps of the main table and of the studies, and all failures elsewhere."""
        gaps, rest = list(self.gaps), self.covered.drop(self.frame.index, errors="ignore")
        for name in self.studies:
            study = self._study(name)
            gaps += study.gaps
            rest = rest.drop(study.runs.index, errors="ignore")
        return gaps + find_other_failures(rest)

    def build(self, name: str) -> list[Table]:
        """Build the tables that ``--table NAME`` shows."""
        check_table(name)
        return [self._study(name).build_table()] if name in STUDIES else BUILDERS[name](self)

    def find_reference(self) -> str:
        """Return the method that statistics compare the others with.

        Raises
        ------
        UserError
            If it is not among those shown.
        """
        from benchmark.report.tables.significance import choose_reference

        reference = choose_reference(self.scores, self.request.against)
        if reference not in self.scores.methods:
            shown = ", ".join(self.scores.methods)
            raise UserError(f"--against {reference}: not among the methods shown: {shown}")
        return reference

    def compare(self, name: str) -> list[Table]:
        """Build the table that sets ``--table NAME`` beside the paper's numbers."""
        if name in STUDIES:
            return [self._study(name).build_comparison()]
        return _comparison(self)


def check_table(name: str) -> None:
    """Raise a ``UserError`` unless ``--table NAME`` shows something."""
    if name not in BUILDERS and name not in STUDIES:
        allowed = ", ".join((*BUILDERS, *STUDIES))
        raise UserError(f"unknown table {name!r}: choose one of {allowed}")


def _summary(report: Report) -> list[Table]:
    scores = report.scores
    seconds = report.frame[report.frame["status"] == "ok"].groupby("model")["seconds"].median()
    tables = [
        results.build_summary_table(
            scores, seconds.to_dict(), report.titles, report.remarks, report.request.rank_method
        )
    ]
    if len(scores.datasets) > 1:
        return tables + _main(report)
    (table,) = tables
    return [replace(table, notes=(*table.notes, *report.notes))]


def _main(report: Report) -> list[Table]:
    return [_results(report, with_std=False)]


def _full(report: Report) -> list[Table]:
    return [_results(report, with_std=True)]


def _results(report: Report, with_std: bool) -> Table:
    return results.build_main_table(
        report.scores,
        report.titles,
        report.remarks,
        report.request.rank_method,
        with_std,
        (*results.explain_unrun(report.scores, report.request.setting), *report.notes),
    )


def _ranks(report: Report) -> list[Table]:
    return [
        results.build_rank_table(
            report.scores,
            report.titles,
            report.remarks,
            report.request.rank_method,
            results.explain_unrun(report.scores, report.request.setting),
        )
    ]


def _statistics(report: Report) -> list[Table]:
    from benchmark.report.tables import significance

    scores, titles, reference = report.scores, report.titles, report.find_reference()
    over = [
        significance.build_rank_interval_table(scores, titles),
        significance.build_wilcoxon_table(scores, titles, reference),
    ]
    tables = [table for table in over if table is not None]
    tables += significance.build_resampled_tables(report.frame, scores, titles, reference)
    if all(cell.value is None for table in tables for row in table.rows for cell in row.cells[:1]):
        raise UserError("statistics need at least two methods with two common runs")
    return tables


def _hyperparameters(report: Report) -> list[Table]:
    from benchmark.report.tables import settings

    return [
        settings.build_hyperparameter_table(
            report.frame, report.datasets, report.models, report.titles, report.request.setting
        )
    ]


def _parameters(report: Report) -> list[Table]:
    from benchmark.report.tables import costs

    return [
        costs.build_parameter_table(
            report.frame, report.datasets, report.models, report.titles, report.remarks
        )
    ]


def _runtime(report: Report) -> list[Table]:
    from benchmark.report.tables import costs

    return [
        costs.build_runtime_table(
            report.frame, report.datasets, report.models, report.titles, report.remarks
        )
    ]


def _selected(report: Report) -> list[Table]:
    from benchmark.datasets.registry import list_widths
    from benchmark.report.tables.selected import build_selected_table, build_step_table

    STUDIES["lambda"].narrow(report.request.models)  # refuses other methods than WPFS
    given = report.studied, report.remarks, list_widths()
    return [build_selected_table(*given), build_step_table(*given)]


def _datasets(report: Report) -> list[Table]:
    from benchmark.report.tables import settings

    return [settings.build_dataset_table(report.frame, report.datasets, report.remarks)]


def _comparison(report: Report) -> list[Table]:
    from benchmark.report.comparison import compare, write_verdict
    from benchmark.report.patients import count_hits, measure_patient_error
    from benchmark.report.tables.comparison import build_comparison_table

    metric = report.request.metric
    published = read_paper().tables["full"]
    if metric.column != published.metric:
        raise UserError(
            f"--compare paper: the paper reports balanced accuracy only, not {metric.title}"
        )
    columns = {model: name.column for model, name in report.names.items()}
    errors = None
    if report.arrays is not None:
        stand_ins = [name for name, remark in report.remarks.items() if remark.mark == STAND_IN]
        errors = {
            (dataset, model): measure_patient_error(hits)
            for dataset, model, hits in count_hits(report.frame, report.arrays, stand_ins)
        }
    cells = compare(report.scores, published, columns, report.remarks, errors)
    return [
        build_comparison_table(
            cells, metric, report.titles, report.remarks, published.number, write_verdict(cells)
        )
    ]


def _stand_ins(report: Report) -> list[Table]:
    from benchmark.datasets.registry import list_stand_ins
    from benchmark.report.patients import count_hits
    from benchmark.report.tables.stand_ins import build_stand_in_table

    if report.arrays is None:
        raise UserError("--table stand-ins needs the predictions of the runs")
    if report.request.metric != METRICS["balanced-accuracy"]:
        raise UserError(
            f"--table stand-ins has balanced accuracy only, not {report.request.metric.title}"
        )
    replaced = {
        name: entry.replaced_samples
        for name, entry in list_stand_ins().items()
        # Runs on an older table of that name say another difference.
        if name in report.remarks and {*entry.differences} <= {*report.remarks[name].differences}
    }
    found = {
        (dataset, model): hits
        for dataset, model, hits in count_hits(report.frame, report.arrays, replaced)
        if len(hits)
    }
    shown = [
        (dataset, model, found[dataset, model])
        for dataset in report.datasets
        for model in report.models
        if (dataset, model) in found
    ]
    return [build_stand_in_table(shown, replaced, report.titles, report.remarks)]


#: ``--table`` -> its builder. The names of the studies are tables too.
BUILDERS: Mapping[str, Callable[[Report], list[Table]]] = {
    "summary": _summary,
    "main": _main,
    "full": _full,
    "ranks": _ranks,
    "statistics": _statistics,
    "comparison": _comparison,
    "stand-ins": _stand_ins,
    "hyperparameters": _hyperparameters,
    "parameters": _parameters,
    "runtime": _runtime,
    "selected": _selected,
    "datasets": _datasets,
}
