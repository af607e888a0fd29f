"""Tables of the paper's own numbers (``--source paper``)."""

from dataclasses import replace

from benchmark.errors import UserError
from benchmark.report.aggregate import Scores
from benchmark.report.paper import PublishedTable, read_paper
from benchmark.report.report import Request
from benchmark.report.table import Cell, Row, Table
from benchmark.report.tables import results


def build_published(name: str, request: Request) -> list[Table]:
    """Build the published table of a name; the default one is the main table."""
    from benchmark.report.tables import settings

    paper = read_paper()
    if name in ("datasets", "hyperparameters") and (request.models or request.datasets):
        raise UserError(
            f"--source paper --table {name} is always whole: leave out --models and --datasets"
        )
    if name == "datasets":
        return [settings.build_published_dataset_table()]
    if name == "hyperparameters":
        return [settings.build_published_hyperparameter_table()]
    if name == "ranks":
        table = "main"
    elif name in ("summary", "main"):
        table = name = "main"
    elif name in paper.tables:
        table = name
    else:
        allowed = ", ".join(("ranks", "datasets", "hyperparameters", *paper.tables))
        raise UserError(f"--source paper has no table {name!r}: choose one of {allowed}")
    scores = paper.scores(table)
    datasets = _pick(scores.datasets, request.datasets, "--datasets")
    methods = scores.methods
    if table not in ("main", "full") and request.models:
        raise UserError(f"--models: the columns of the paper's table {table} are not methods")
    if table in ("main", "full"):
        wanted = tuple(paper.find_method(model) or model for model in request.models)
        methods = _pick(scores.methods, wanted, "--models")
    scores = scores.select(datasets, methods)
    titles = {method: method for method in scores.methods}
    if name == "ranks":
        return [results.build_rank_table(scores, titles, {}, request.rank_method)]
    published = paper.tables[table]
    tables = "Tables" if " and " in published.number else "Table"
    notes = [f"The paper's {tables} {published.number}: {published.title}. {paper.citation}"]
    if table in ("main", "full"):
        notes += [
            entry["note"]
            for entry in paper.contradictions
            if entry.get("method") in methods and entry["dataset"] in datasets
        ]
    if table not in ("main", "full"):
        return [_variants(scores, published, notes)]
    if published.average_rank is None:
        notes.append(f"Ranks: ours, of these means; Table {published.number} prints none.")
    return [
        results.build_main_table(
            scores,
            titles,
            {},
            request.rank_method,
            with_std=table == "full",
            notes=notes,
            spread="standard deviation",
        )
    ]


def _variants(scores: Scores, published: PublishedTable, notes: list[str]) -> Table:
    # The losses of Table 7 are printed with five decimals, their averages with four.
    digits, fewer = (2, 2) if published.percent else (5, 4)
    scores = replace(scores, metric=replace(scores.metric, digits=digits))
    rows = [Row(d, results.score_cells(scores, d, with_std=True)) for d in scores.datasets]
    if published.average is not None and len(rows) == len(published.rows):
        cells = tuple(Cell(mean, std, digits=fewer) for mean, std in published.average)
        rows.append(Row("average (as printed)", cells, footer=True))
    columns = tuple(scores.methods)
    return Table(published.name, published.title, "data set", columns, tuple(rows), tuple(notes))


def _pick(have: list[str], wanted: tuple[str, ...], option: str) -> list[str]:
    unknown = [name for name in wanted if name not in have]
    if unknown:
        raise UserError(
            f"{option}: the paper has no {', '.join(unknown)}; it has {', '.join(have)}"
        )
    return list(wanted) or have
