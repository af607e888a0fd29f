"""From a data frame and a request to tables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import pandas as pd

from benchmark.errors import UserError
from benchmark.report.completeness import Gap, find_gaps
from benchmark.report.metrics import METRICS, Metric
from benchmark.report.names import MethodName, describe_methods, order_datasets, order_models
from benchmark.report.paper import read_paper
from benchmark.report.remarks import DatasetRemark, collect_remarks
from benchmark.report.scores import Scores, aggregate
from benchmark.report.selection import drop_superseded, select_names, select_setting
from benchmark.report.table import PROTOCOL_RUNS, Table
from benchmark.report.tables import results


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
    """

    everything: pd.DataFrame
    request: Request = field(default_factory=Request)

    @cached_property
    def _current(self) -> tuple[pd.DataFrame, tuple[str, ...]]:
        return drop_superseded(self.everything)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        return self._current[1]

    @cached_property
    def current(self) -> pd.DataFrame:
        """Every run that is not superseded, of the data sets asked for."""
        return select_names(self._current[0], "dataset", self.request.datasets, "--datasets")

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The runs behind the main table."""
        runs = select_setting(self.current, self.request.setting)
        return select_names(runs, "model", self.request.models, "--models")

    @cached_property
    def remarks(self) -> dict[str, DatasetRemark]:
        """Data set -> what has to be said of it."""
        return collect_remarks(self.current)

    @cached_property
    def datasets(self) -> list[str]:
        """Data sets in the order shown."""
        stand_ins = {name: remark.stand_in_for for name, remark in self.remarks.items()}
        chosen = list(self.request.datasets)
        return chosen or order_datasets(self.frame["dataset"].unique(), stand_ins)

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
        return find_gaps(self.scores, self.frame, self.request.expected)

    def build(self, name: str) -> list[Table]:
        """Build the tables that ``--table NAME`` shows."""
        if name not in BUILDERS:
            raise UserError(f"unknown table {name!r}: choose one of {', '.join(BUILDERS)}")
        return BUILDERS[name](self)


def _summary(report: Report) -> list[Table]:
    scores = report.scores
    seconds = report.frame[report.frame["status"] == "ok"].groupby("model")["seconds"].median()
    tables = [
        results.build_summary_table(
            scores, seconds.to_dict(), report.titles, report.remarks, report.request.rank_method
        )
    ]
    if len(scores.datasets) > 1:
        tables += _main(report)
    return tables


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
        report.notes,
    )


def _ranks(report: Report) -> list[Table]:
    return [
        results.build_rank_table(
            report.scores, report.titles, report.remarks, report.request.rank_method
        )
    ]


#: ``--table`` -> its builder.
BUILDERS: Mapping[str, Callable[[Report], list[Table]]] = {
    "summary": _summary,
    "main": _main,
    "full": _full,
    "ranks": _ranks,
}


def build_published(name: str, request: Request) -> list[Table]:
    """Build a table of the paper's own numbers (``--source paper``)."""
    paper = read_paper()
    if name == "ranks":
        table = "main"
    elif name in ("summary", "main"):
        table = name = "main"
    elif name in paper.tables:
        table = name
    else:
        allowed = ", ".join(("ranks", *paper.tables))
        raise UserError(f"--source paper has no table {name!r}: choose one of {allowed}")
    scores = paper.scores(table)
    datasets = _pick(scores.datasets, request.datasets, "--datasets")
    methods = scores.methods
    if table in ("main", "full"):
        wanted = tuple(paper.find_method(model) or model for model in request.models)
        methods = _pick(scores.methods, wanted, "--models")
    scores = scores.select(datasets, methods)
    titles = {method: method for method in scores.methods}
    if name == "ranks":
        return [results.build_rank_table(scores, titles, {}, request.rank_method)]
    published = paper.tables[table]
    notes = [f"The paper's Table {published.number}: {published.title}. {paper.citation}"]
    if table in ("main", "full"):
        notes += [
            entry["note"]
            for entry in paper.contradictions
            if entry.get("method") in methods and entry["dataset"] in datasets
        ]
    return [
        results.build_main_table(
            scores, titles, {}, request.rank_method, with_std=table != "main", notes=notes
        )
    ]


def _pick(have: list[str], wanted: tuple[str, ...], option: str) -> list[str]:
    unknown = [name for name in wanted if name not in have]
    if unknown:
        raise UserError(
            f"{option}: the paper has no {', '.join(unknown)}; it has {', '.join(have)}"
        )
    return list(wanted) or have
