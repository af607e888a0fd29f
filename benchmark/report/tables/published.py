"""Tables of the paper's own numbers (``--source paper``)."""

from dataclasses import replace

from benchmark.errors import UserError
from benchmark.report.aggregate import Scores
from benchmark.report.labels import Labels
from benchmark.report.paper import PublishedTable, read_paper
from benchmark.report.request import ReportRequest
from benchmark.report.table import Cell, Row, Table
from benchmark.report.tables.cells import score_cells
from benchmark.report.tables.datasets import build_published_datasets
from benchmark.report.tables.hyperparameters import build_published_hyperparameters
from benchmark.report.tables.scores import build_rank_table, build_score_table

#: Tables that are not of data sets x methods.
_WHOLE = {
    "datasets": build_published_datasets,
    "hyperparameters": build_published_hyperparameters,
}


def build_published(name: str, request: ReportRequest) -> list[Table]:
    """Build the published table of a name; the default one is the main table."""
    if name in _WHOLE:
        if request.models or request.datasets:
            raise UserError(
                f"--source paper --table {name} is always whole: leave out --models and --datasets"
            )
        return [_WHOLE[name]()]
    name = "main" if name == "summary" else name
    if name in ("main", "full", "ranks"):
        return [_build_main(name, request)]
    paper = read_paper()
    if name not in paper.tables:
        allowed = ", ".join(("ranks", *_WHOLE, *paper.tables))
        raise UserError(f"--source paper has no table {name!r}: choose one of {allowed}")
    if request.models:
        raise UserError(f"--models: the columns of the paper's table {name} are not methods")
    scores = paper.scores(name)
    datasets = _pick(scores.datasets, request.datasets, "--datasets")
    return [_build_study(scores.select(datasets, scores.methods), paper.tables[name])]


def _build_main(name: str, request: ReportRequest) -> Table:
    """Build the main table, the full one, or the ranks of the main one."""
    paper = read_paper()
    table = "full" if name == "full" else "main"
    scores = paper.scores(table)
    datasets = _pick(scores.datasets, request.datasets, "--datasets")
    wanted = tuple(paper.find_method(model) or model for model in request.models)
    methods = _pick(scores.methods, wanted, "--models")
    scores, rank_method = scores.select(datasets, methods), request.rank_method
    if name == "ranks":
        return build_rank_table(scores, Labels(), rank_method)
    published = paper.tables[table]
    notes = [_cite(published)]
    notes += [
        entry["note"]
        for entry in paper.contradictions
        if entry.get("method") in methods and entry["dataset"] in datasets
    ]
    if published.average_rank is None:
        notes.append(f"Ranks: ours, of these means; Table {published.number} prints none.")
    spread = "standard deviation"
    return build_score_table(scores, Labels(), rank_method, name == "full", notes, spread)


def _build_study(scores: Scores, published: PublishedTable) -> Table:
    # The losses of Table 7 are printed with five decimals, their averages with four.
    digits, fewer = (2, 2) if scores.metric.percent else (5, 4)
    scores = replace(scores, metric=replace(scores.metric, digits=digits))
    rows = [Row(d, score_cells(scores, d, with_std=True)) for d in scores.datasets]
    if published.average is not None and len(rows) == len(published.rows):
        cells = tuple(Cell(mean, std, digits=fewer) for mean, std in published.average)
        rows.append(Row("average (as printed)", cells, footer=True))
    columns, notes = tuple(scores.methods), (_cite(published),)
    return Table(published.name, published.title, "data set", columns, tuple(rows), notes)


def _cite(published: PublishedTable) -> str:
    tables = "Tables" if " and " in published.number else "Table"
    citation = read_paper().citation
    return f"The paper's {tables} {published.number}: {published.title}. {citation}"


def _pick(have: list[str], wanted: tuple[str, ...], option: str) -> list[str]:
    unknown = [name for name in wanted if name not in have]
    if unknown:
        raise UserError(
            f"{option}: the paper has no {', '.join(unknown)}; it has {', '.join(have)}"
        )
    return list(wanted) or have
