"""Puts the page together."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from benchmark.errors import UserError
from benchmark.report import statistics
from benchmark.report.html import charts
from benchmark.report.labels import DIFFERS, STAND_IN
from benchmark.report.paper import read_paper
from benchmark.report.report import Report
from benchmark.report.table import Cell, Row, Table
from benchmark.report.tables.significance import orient
from benchmark.results.arrays import RunArrays

_TEMPLATES = Path(__file__).parent / "templates"
#: Methods whose loss curves are shown side by side, as in the paper.
_CURVES = ("mlp", "wpfs")


@dataclass(frozen=True)
class Section:
    """A part of the page: a heading, a sentence, pictures and tables.

    Parameters
    ----------
    name, title
        Anchor and heading.
    text
        What the reader sees there.
    pictures
        SVG texts.
    tables
        Shown below the pictures.
    folded
        Tables behind a button, for those who want every number.
    layout
        Of the pictures: one below the other (empty), ``grid`` or ``small``.
    """

    name: str
    title: str
    text: str = ""
    pictures: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    folded: tuple[Table, ...] = ()
    layout: str = ""


def render_page(report: Report, arrays: RunArrays, origin: str) -> str:
    """Write the report as one HTML file that needs nothing else.

    Parameters
    ----------
    report
        The runs and what to show of them.
    arrays
        Their loss curves and importance scores.
    origin
        The results folder, as the reader knows it.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    builders: tuple[Callable[[], Section | None], ...] = (
        lambda: _results(report),
        lambda: _differences(report),
        lambda: _paper(report),
        lambda: _studies(report),
        lambda: _boxes(report),
        lambda: _losses(report, arrays),
        lambda: _importances(report, arrays),
        lambda: _costs(report),
        lambda: _gaps(report),
        lambda: _environment(report),
    )
    found = [section for build in builders if (section := build()) is not None]
    sections = [found[0], *(_shorten_marks(section) for section in found[1:])]
    return environment.get_template("report.html").render(
        sections=sections,
        facts=_facts(report),
        headline=_headline(report),
        origin=origin,
        style=(_TEMPLATES / "style.css").read_text(encoding="utf-8"),
        script=(_TEMPLATES / "sort.js").read_text(encoding="utf-8"),
        metric=report.request.metric,
        citation=read_paper().citation,
    )


def _shorten_marks(section: Section) -> Section:
    """Refer to the data section for the marks that the first section explained in full."""

    def shorten(table: Table) -> Table:
        kept = [note for note in table.notes if not note.startswith((STAND_IN, DIFFERS))]
        if len(kept) < len(table.notes):
            kept.append(f"{STAND_IN} stand-in, {DIFFERS} differs from the paper's: see Results.")
        return replace(table, notes=tuple(kept))

    return replace(
        section,
        tables=tuple(shorten(table) for table in section.tables),
        folded=tuple(shorten(table) for table in section.folded),
    )


def _facts(report: Report) -> list[tuple[str, str]]:
    runs = report.covered
    ok = int((runs["status"] == "ok").sum())
    return [
        ("methods", str(len(report.models))),
        ("data sets", str(len(report.datasets))),
        ("runs", f"{ok:,}"),
        ("failed runs", f"{len(runs) - ok:,}"),
        ("cells missing, failed or incomplete", str(len(report.every_gap))),
    ]


def _headline(report: Report) -> str:
    row = report.build("summary")[0].rows[0]
    score, rank = row.cells[1], row.cells[0]
    if rank.state != "ok":
        return "No data set has a result of every method, so the methods cannot be ranked."
    if len(report.datasets) == 1:
        spread = f" ± {score.spread}" if score.spread else ""
        return f"Best on {report.datasets[0]}: {row.label} with {score.number}{spread}."
    over = len(report.scores.complete_datasets())
    return f"Best average rank over {over} data sets: {row.label} ({rank.number})."


def _results(report: Report) -> Section:
    marks = {name: remark.mark for name, remark in report.remarks.items()}
    metric = report.request.metric
    pictures: tuple[str, ...] = ()
    if len(report.datasets) > 1:
        pictures = (charts.draw_heat_map(report.scores, report.titles, marks),)
    return Section(
        "results",
        "Results",
        f"{metric.label} per data set and method. Every heading sorts.",
        pictures,
        (report.build("summary")[0], *report.build("full")),
        tuple(report.build("ranks")),
    )


def _differences(report: Report) -> Section | None:
    mean = orient(report.scores)
    pictures: tuple[str, ...] = ()
    text = "What can be told from chance, and what cannot."
    if min(mean.shape) >= 2:
        ranks = statistics.bootstrap_rank_intervals(mean)["rank"].sort_values(kind="stable")
        critical = statistics.find_critical_difference(mean.shape[1], mean.shape[0])
        names = [report.titles[str(method)] for method in ranks.index]
        pictures = (charts.draw_critical_difference(list(ranks), names, critical),)
        text += (
            " In the diagram a bar joins methods whose average ranks do not differ "
            "significantly (Nemenyi, 0.05)."
        )
    report.find_reference()  # a misspelt one is no reason to leave the section out
    try:
        tables = report.build("statistics")
    except UserError:
        return None
    over = [table for table in tables if not table.name.startswith("t-test-")]
    per_dataset = [table for table in tables if table.name.startswith("t-test-")]
    shown, folded = (over, per_dataset) if over else (per_dataset, [])
    return Section(
        "statistics", "Are the differences real?", text, pictures, tuple(shown), tuple(folded)
    )


def _paper(report: Report) -> Section | None:
    if report.request.metric.column != read_paper().tables["full"].metric:
        return None
    (table,) = report.compare("main")
    if not table.rows:
        return None
    # The verdict leads the section; below the table it would only be repeated.
    table, verdict = replace(table, notes=table.notes[1:]), table.notes[0]
    return Section("paper", "Beside the paper", verdict, tables=(table,))


def _studies(report: Report) -> Section | None:
    if not report.studies:
        return None
    tables = tuple(report.studies.values())
    return Section("studies", "Ablations", "The paper's studies.", tables=tables)


def _boxes(report: Report) -> Section:
    metric = report.request.metric
    good = report.frame[report.frame["status"] == "ok"]
    pictures = []
    for dataset in report.datasets:
        of_dataset = good[good["dataset"] == dataset]
        runs = {
            model: of_dataset.loc[of_dataset["model"] == model, metric.column].dropna().to_numpy()
            * metric.scale
            for model in report.models
        }
        mark = report.remarks[dataset].mark
        failed = report.scores.list_failed(dataset)
        pictures.append(
            charts.draw_boxes(dataset + mark, runs, report.titles, metric.phrase, failed)
        )
    return Section(
        "runs",
        "Every run",
        "Box: the middle half of the runs; line: the median; points: single runs.",
        tuple(pictures),
        layout="grid",
    )


def _losses(report: Report, arrays: RunArrays) -> Section | None:
    pictures = []
    for dataset in report.datasets:
        curves = {}
        for model in _CURVES:
            run = _first_run(report.frame, dataset, model)
            history = {} if run is None else arrays.read_history(run)
            if len(history):
                curves[report.titles[model]] = history
        if curves:
            pictures.append(charts.draw_losses(dataset, curves))
    if not pictures:
        return None
    return Section(
        "losses",
        "Loss curves",
        "One run each (first repeat, first fold): dashed on training data, solid on validation.",
        tuple(pictures),
        layout="grid",
    )


def _importances(report: Report, arrays: RunArrays) -> Section | None:
    pictures = []
    for dataset in report.datasets:
        run = _first_run(report.frame, dataset, "wpfs")
        counts = None if run is None else arrays.read_importance_counts(run)
        if counts is not None:
            pictures.append(charts.draw_histogram(dataset, counts))
    if not pictures:
        return None
    return Section(
        "importances",
        "Importance scores of WPFS",
        "Share of the features (%) by the score the sparsity network gives them, one run each.",
        tuple(pictures),
        layout="small",
    )


def _costs(report: Report) -> Section:
    metric = report.request.metric
    complete = report.scores.complete_datasets()
    good = report.frame[report.frame["status"] == "ok"]
    seconds = good.groupby("model")["seconds"].median()
    means = report.scores.mean.loc[complete].mean(axis=0) * metric.scale
    points = {
        report.titles[model]: (float(seconds[model]), float(means[model]))
        for model in report.models
        if pd.notna(means[model]) and pd.notna(seconds.get(model))
    }
    pictures = (charts.draw_costs(points, f"mean {metric.phrase}"),) if points else ()
    return Section(
        "costs",
        "What it costs",
        "Time of one run against the mean score over complete data sets.",
        pictures,
        tuple(report.build("runtime")),
        (*report.build("parameters"), *report.build("hyperparameters")),
    )


def _gaps(report: Report) -> Section:
    rows = tuple(
        Row(
            gap.dataset,
            (
                Cell(report.titles.get(gap.model, gap.model)),
                Cell(gap.study or "main"),
                Cell(gap.kind, tone="bad" if gap.kind == "failed" else "warn"),
                Cell(gap.done),
                Cell(gap.failed),
                Cell(gap.error),
            ),
        )
        for gap in report.every_gap
    )
    expected = report.request.expected
    if not rows:
        return Section("gaps", "Missing and failed", f"None: every cell has {expected} runs.")
    table = Table(
        "gaps",
        f"Cells with fewer than {expected} runs or with failures",
        "data set",
        ("method", "table", "state", "runs", "failed", "first error"),
        rows,
    )
    return Section("gaps", "Missing and failed", "Nothing is imputed.", tables=(table,))


def _environment(report: Report) -> Section:
    frame = report.frame
    rows = []
    versions: dict[str, set[str]] = {}
    for found in frame["versions"]:
        for name, version in (found or {}).items():
            versions.setdefault(name, set()).add(str(version))
    facts = {
        "first run": {frame["started"].min()},
        "last run": {frame["started"].max()},
        "git commit": set(frame["git_commit"]),
        "device": set(frame["device"]),
        "threads": {str(threads) for threads in frame["threads"]},
        "processor": set(frame["processor"]),
        **dict(sorted(versions.items())),
    }
    for name, values in facts.items():
        text = ", ".join(sorted(str(value) for value in values if value))
        rows.append(Row(name, (Cell(text or "unknown"),)))
    table = Table("environment", "Environment of the runs", "what", ("value",), tuple(rows))
    return Section(
        "environment",
        "Data and environment",
        tables=(*report.build("datasets"), table),
    )


def _first_run(frame: pd.DataFrame, dataset: str, model: str) -> int | None:
    found = frame[
        (frame["dataset"] == dataset) & (frame["model"] == model) & (frame["status"] == "ok")
    ].sort_values(["repeat", "fold", "seed"], kind="stable")
    return None if found.empty else int(found.index[0])
