"""The short answer: what the paper claims beside what these runs say, and the average ranks."""

from collections.abc import Sequence
from dataclasses import replace

from benchmark.errors import UserError
from benchmark.report.agreement import count_agreeing
from benchmark.report.paper import read_paper
from benchmark.report.ranks import average_ranks, format_rank
from benchmark.report.report import REFERENCE, Report
from benchmark.report.table import Cell, Row, Table
from benchmark.report.tables.comparison import compare_main
from benchmark.report.tables.lambda_bias import list_choice_gains
from benchmark.report.tables.significance import build_rank_intervals
from benchmark.report.tables.studies import Gain, average_gains, list_gains
from benchmark.text import count_noun

_NO_RUNS = Cell(state="missing")

_NOTES = (
    "± is a standard error; it allows for the training data that splits share. Points are of "
    "balanced accuracy.",
    "In full: --table agreement, ranks (-m paper), spn, wpn, lambda-bias.",
)


def build_verdict(report: Report) -> list[Table]:
    """Build one row per claim of the paper, and the average ranks, here and in the paper.

    Raises
    ------
    UserError
        If there is no run of WPFS.
    """
    if REFERENCE not in report.models:
        raise UserError(f"the verdict is about {REFERENCE}: run it, or name it with -m")
    rows = (
        _judge_scores(report),
        _judge_rank(report),
        _judge_sparsity_network(report),
        _judge_weight_predictor(report),
        _judge_choice(report),
    )
    claims = Table(
        "verdict",
        "Does the paper hold?",
        "in it",
        ("the paper says", "these runs say"),
        rows,
        _NOTES,
    )
    return [
        claims,
        *(_add_published_ranks(table, report) for table in build_rank_intervals(report)),
    ]


def _judge_scores(report: Report) -> Row:
    counts = count_agreeing(compare_main(report)[0])
    found = "; ".join(
        f"{count.within} of {count.known} on {count.what}"
        + (f" ({count.above} above, {count.below} below)" if count.within < count.known else "")
        for count in counts
    )
    found = f"within two standard errors: {found}" if found else ""
    claim = f"the scores of {len(read_paper().methods)} methods"
    return _write(read_paper().tables["full"].number, claim, found)


def _judge_rank(report: Report) -> Row:
    scores, labels = report.scores, report.labels
    theirs = [model for model in scores.methods if labels.column(model)]
    found = ""
    part = scores.select(scores.datasets, theirs).find_complete([REFERENCE])
    if part.datasets:
        better = part.metric.higher_is_better
        ranks = average_ranks(part.printed, report.request.rank_method, better)
        own, best = ranks[REFERENCE], str(ranks.idxmin())
        place = int((ranks < own).sum()) + 1
        found = (
            f"place {place} of {len(ranks)} of them over "
            f"{count_noun(len(part.datasets), 'data set')}, average rank {format_rank(own)}"
        )
        if place > 1:
            found += f"; the first is {labels.title(best)} with {format_rank(ranks[best])}"
    claim = f"WPFS has the best average rank of {len(read_paper().methods)} methods"
    return _write(read_paper().tables["main"].number, claim, found)


def _judge_sparsity_network(report: Report) -> Row:
    published = read_paper().tables["spn"]
    theirs = [row[1][0] - row[0][0] for row in published.rows.values()]
    claim = (
        f"the sparsity network gains {sum(theirs) / len(theirs):.2f} points on average over "
        f"{len(theirs)} data sets"
    )
    gains = list(list_gains(report.find_study("spn")))
    return _write(published.number, claim, _average(gains) if gains else "")


def _judge_weight_predictor(report: Report) -> Row:
    by_sparsity: dict[str, list[Gain]] = {}
    for gain in list_gains(report.find_study("wpn")):
        by_sparsity.setdefault(gain.label.rpartition(", ")[2], []).append(gain)
    found = "; ".join(f"{sparsity}: {_average(gains)}" for sparsity, gains in by_sparsity.items())
    return _write("Figure 7", "the weight predictor network helps", found)


def _judge_choice(report: Report) -> Row:
    published, full = read_paper().tables["lambda"], read_paper().tables["full"]
    place = full.columns.index("WPFS")
    maxima = sum(
        max(mean for mean, _ in row) == full.rows[dataset][place][0]
        for dataset, row in published.rows.items()
    )
    claim = (
        f"λ is chosen on validation data; yet on {maxima} of {len(published.rows)} data sets "
        "WPFS's score is the best of six on test"
    )
    gains = list_choice_gains(report.find_study("lambda"))
    found = f"choosing on test gains {_average(gains)}" if gains else ""
    return _write(published.number, claim, found)


def _write(number: str, claim: str, found: str) -> Row:
    label = number if number.startswith("Figure") else f"Table {number}"
    return Row(label, (Cell(claim), Cell(found) if found else _NO_RUNS))


def _average(gains: Sequence[Gain]) -> str:
    """Write the average of gains and which data sets it is from."""
    mean, error = average_gains(gains)
    return f"{mean:+.2f} ± {error:.2f} points ({', '.join(gain.dataset for gain in gains)})"


def _add_published_ranks(table: Table, report: Report) -> Table:
    """Set the paper's average rank beside ours; the table of ranks keeps what it says of tests."""
    if not table.rows:
        return table
    published = read_paper().tables["main"]
    ranks = dict(zip(published.columns, published.average_rank or (), strict=True))
    columns = {report.labels.title(model): report.labels.column(model) for model in report.models}

    def extend(row: Row) -> Row:
        rank, low, high = row.cells
        column = columns[row.label]
        published = _NO_RUNS if column is None else Cell(ranks[column])
        return replace(row, cells=(rank, Cell(f"{low.number}–{high.number}"), published))

    return replace(
        table,
        title=f"Average ranks over {len(report.complete.datasets)} data sets",
        columns=(table.columns[0], "95% interval", "in the paper"),
        rows=tuple(extend(row) for row in table.rows),
        notes=(*table.notes[:1], "What was left out, and tests: --table rank-intervals."),
    )
