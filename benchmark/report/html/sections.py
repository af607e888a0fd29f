"""The parts of the page."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchmark.errors import UserError
from benchmark.report.charts.boxes import draw_boxes
from benchmark.report.charts.canvas import Canvas
from benchmark.report.charts.costs import draw_costs
from benchmark.report.charts.critical_difference import draw_critical_difference
from benchmark.report.charts.gene_agreement import draw_gene_agreement
from benchmark.report.charts.gene_values import draw_gene_values
from benchmark.report.charts.heat_map import draw_heat_map
from benchmark.report.charts.importances import draw_first_importances
from benchmark.report.charts.losses import draw_first_losses
from benchmark.report.charts.recovery import draw_recoveries
from benchmark.report.charts.stability import draw_stability
from benchmark.report.gaps import Gap
from benchmark.report.paper import read_paper
from benchmark.report.report import Report
from benchmark.report.table import Cell, Row, Table
from benchmark.report.tables.comparison import build_agreement
from benchmark.report.tables.genes import build_consensus, build_recovery, build_stability
from benchmark.report.tables.lambda_bias import build_bias_table
from benchmark.report.tables.registry import build_tables
from benchmark.report.tables.scores import build_groups
from benchmark.report.tables.significance import TEST_RANKS, choose_reference
from benchmark.report.tables.studies import build_study_table


@dataclass(frozen=True)
class Section:
    """A part of the page: a heading, a sentence, charts and tables.

    Parameters
    ----------
    name, title
        Anchor and heading.
    text
        What the reader sees there.
    charts
        Above the tables.
    tables
        Shown below the charts.
    folded
        Tables behind a button, for those who want every number.
    layout
        Of the charts: one below the other (empty), ``grid`` or ``small``.
    """

    name: str
    title: str
    text: str = ""
    charts: tuple[Canvas, ...] = ()
    tables: tuple[Table, ...] = ()
    folded: tuple[Table, ...] = ()
    layout: str = ""


def build_sections(report: Report, gaps: Sequence[Gap]) -> list[Section]:
    """Build every part for which there are runs, the results first."""
    sections = (
        _build_results(report),
        _build_differences(report),
        _build_comparison(report),
        _build_studies(report),
        _build_boxes(report),
        _build_losses(report),
        _build_importances(report),
        _build_genes(report),
        _build_costs(report),
        _build_gaps(report, gaps),
        _build_environment(report),
    )
    return [section for section in sections if section is not None]


def _build_results(report: Report) -> Section:
    return Section(
        "results",
        "Results",
        f"{report.request.metric.label} per data set and method. Every heading sorts.",
        (draw_heat_map(report),) if len(report.datasets) > 1 else (),
        (build_tables(report, "summary")[0], *build_groups(report)),
        tuple(table.transpose() for table in build_tables(report, "ranks")),
    )


def _build_differences(report: Report) -> Section | None:
    choose_reference(report)  # a misspelt one is no reason to leave the section out
    try:
        tables = build_tables(report, "statistics")
    except UserError:
        return None
    text = "Which differences chance alone could explain, and which it could not."
    diagram = draw_critical_difference(report)
    if diagram is not None:
        text += (
            " In the diagram a bar joins methods whose average ranks do not differ "
            f"significantly (Nemenyi, 0.05). {TEST_RANKS}"
        )
    over = tuple(table for table in tables if not table.name.startswith("t-test-"))
    per_dataset = tuple(table for table in tables if table.name.startswith("t-test-"))
    return Section(
        "statistics",
        "Are the differences real?",
        text,
        () if diagram is None else (diagram,),
        over or per_dataset,
        per_dataset if over else (),
    )


def _build_comparison(report: Report) -> Section | None:
    if report.request.metric.column != read_paper().tables["full"].metric:
        return None
    (table,) = build_agreement(report)
    if not table.rows:
        return None
    # The verdict leads the section; below the tables it would only be repeated.
    verdict, *notes = table.notes
    (details,) = build_tables(report, "comparison")
    return Section(
        "paper",
        "Beside the paper",
        verdict,
        tables=(replace(table, notes=tuple(notes)).transpose(),),
        folded=(replace(details, legend="", notes=details.notes[1:]),),
    )


def _build_studies(report: Report) -> Section | None:
    tables = []
    for study in report.shown_studies:
        tables.append(build_study_table(study))
        if study.study.name == "lambda" and (bias := build_bias_table(study)):
            tables.append(bias)
    if not tables:
        return None
    return Section("studies", "Ablations", "The paper's studies.", tables=tuple(tables))


def _build_boxes(report: Report) -> Section:
    text = "Box: the middle half of the runs; line: the median; points: single runs."
    return Section("runs", "Every run", text, tuple(draw_boxes(report)), layout="grid")


def _build_losses(report: Report) -> Section | None:
    charts = tuple(draw_first_losses(report))
    if not charts:
        return None
    text = "One run each (first repeat, first fold): dashed on training data, solid on validation."
    return Section("losses", "Loss curves", text, charts, layout="grid")


def _build_importances(report: Report) -> Section | None:
    runs = report.runs.of_main_table
    charts = tuple(draw_first_importances(report, runs[runs["model"] == "wpfs"]))
    if not charts:
        return None
    text = "Share of the features (%) by the score the sparsity network gives them, one run each."
    return Section("importances", "Importance scores of WPFS", text, charts, layout="small")


#: Rows of the lists on the page; `wpfs-bench genes` shows more.
_LISTED = 20


def _build_genes(report: Report) -> Section | None:
    studies = list(report.genes.values())
    if not studies:
        return None
    labels = report.labels
    charts = [draw_stability(genes, labels) for genes in studies]
    if report.is_detailed:
        for draw in (draw_gene_values, draw_gene_agreement):
            charts += [draw(genes, labels) for genes in studies]
    charts += draw_recoveries(studies, labels)
    lists = [
        replace(table, rows=table.rows[:_LISTED])
        for genes in studies
        for table in build_consensus(genes, labels)
    ]
    stability = [table for genes in studies for table in build_stability(genes, labels)]
    recovery = build_recovery(studies, labels)
    return Section(
        "genes",
        "Genes",
        "Which genes the methods rest on, and how alike they are over the runs: a list is worth "
        "no more than its stability. Longer lists, one per method, and gene sets: wpfs-bench "
        "genes.",
        tuple(chart for chart in charts if chart is not None),
        (*lists, *stability, *recovery) if report.is_detailed else tuple(recovery),
        () if report.is_detailed else (*lists, *stability),
        layout="" if report.is_detailed else "grid",
    )


def _build_costs(report: Report) -> Section:
    chart = draw_costs(report)
    return Section(
        "costs",
        "What it costs",
        "Time of one run against the mean score over complete data sets.",
        () if chart is None else (chart,),
        tuple(build_tables(report, "runtime")),
        (*build_tables(report, "parameters"), *build_tables(report, "hyperparameters")),
    )


def _build_gaps(report: Report, gaps: Sequence[Gap]) -> Section:
    rows = tuple(
        Row(
            gap.dataset,
            (
                Cell(report.labels.title(gap.model)),
                Cell(gap.study or "main"),
                Cell(gap.kind, tone="bad" if gap.kind == "failed" else "warn"),
                Cell(gap.done),
                Cell(gap.failed),
                Cell(gap.error),
            ),
        )
        for gap in gaps
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


def _build_environment(report: Report) -> Section:
    frame = report.runs.of_main_table
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
        tables=(*build_tables(report, "datasets"), table),
    )
