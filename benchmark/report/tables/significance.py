"""Tables of significance tests, each with what it means in plain words."""

import math
from collections import Counter
from collections.abc import Sequence

import pandas as pd

from benchmark.errors import UserError
from benchmark.report import statistics
from benchmark.report.aggregate import Scores
from benchmark.report.labels import Labels
from benchmark.report.report import REFERENCE, Report
from benchmark.report.statistics import ALPHA, Comparison, Friedman
from benchmark.report.study_runs import SPLIT
from benchmark.report.table import Cell, Row, State, Table
from benchmark.report.tables.scores import explain_left_out

#: How the ranks of tests differ from those of the other tables.
TEST_RANKS = (
    "Tests rank means before rounding, and ties share the mean rank: other tables differ a little."
)


def orient(scores: Scores) -> pd.DataFrame:
    """Return the means, turned so that higher is better."""
    return scores.mean if scores.metric.higher_is_better else -scores.mean


def build_statistics(report: Report) -> list[Table]:
    """Build tests over the data sets, and on each of them."""
    reference = choose_reference(report)
    tables: list[Table] = []
    if min(report.complete.mean.shape) >= 2:
        tables += build_rank_intervals(report)
    if len(report.datasets) > 1:
        tables += build_against(report)
    tables += build_resampled_tables(report, reference)
    if all(cell.value is None for table in tables for row in table.rows for cell in row.cells[:1]):
        raise UserError("statistics need at least two methods with two common runs")
    return tables


def choose_reference(report: Report) -> str:
    """Return the method to compare the others with: the one asked for, else WPFS, else the best.

    Raises
    ------
    UserError
        If it is not among those shown.
    """
    wanted, methods = report.request.against or REFERENCE, report.scores.methods
    if wanted in methods:
        return wanted
    if report.request.against is not None:
        raise UserError(f"--against {wanted}: not among the methods shown: {', '.join(methods)}")
    # Where no data set is complete, as when a method has no probabilities, those known have to do.
    means = orient(report.complete if report.complete.datasets else report.scores)
    if means.isna().all(axis=None):
        return methods[0]
    return str(means.rank(axis=1, ascending=False).mean(axis=0).idxmin())


def build_rank_intervals(report: Report) -> list[Table]:
    """Build average ranks with bootstrap intervals, Friedman's test and the critical difference."""
    scores, labels, mean = report.complete, report.labels, orient(report.complete)
    if min(mean.shape) < 2:
        note = "No two data sets have results of the same two methods, so there is nothing to rank."
        return [Table("rank-intervals", "Average ranks", "method", (), (), (note,))]
    friedman = statistics.run_friedman_test(mean)
    critical = statistics.find_critical_difference(friedman.methods, friedman.datasets)
    intervals = statistics.bootstrap_rank_intervals(mean).sort_values("rank", kind="stable")
    rows = tuple(
        Row(labels.title(str(method)), (Cell(row["rank"]), Cell(row["low"]), Cell(row["high"])))
        for method, row in intervals.iterrows()
    )
    n = friedman.datasets
    table = Table(
        name="rank-intervals",
        title=f"Average ranks over {n} data sets, 95% bootstrap intervals",
        head="method",
        columns=("average rank", "from", "to"),
        rows=rows,
        notes=(
            f"Data sets: {', '.join(name + labels.mark(name) for name in scores.datasets)}.",
            *explain_left_out(report.scores, scores, labels),
            *([f"Not run: {', '.join(unrun)}."] if (unrun := report.scores.unrun) else []),
            *_name_short_cells(scores, labels),
            explain_friedman(friedman),
            explain_nemenyi(list(intervals["rank"]), critical, friedman)
            + f" So {n} data sets tell the best methods from the worst at most; they cannot order "
            "neighbours, and no significance does not mean equal.",
            f"The bootstrap resamples the data sets ({statistics.BOOTSTRAP_SAMPLES:,} draws of "
            f"{n} with replacement) and keeps their mean scores: its intervals leave out the "
            "spread over splits and say nothing of data of another kind.",
            TEST_RANKS,
        ),
    )
    return [table]


def build_against(report: Report) -> list[Table]:
    """Build one method against each other over the data sets that both have: Wilcoxon's test.

    Beside it stands on how many of them the corrected t-test tells the two apart.
    """
    scores, labels, reference = report.scores, report.labels, choose_reference(report)
    means = orient(scores).round(12)
    comparisons = statistics.compare_over_datasets(means, reference)
    name = labels.title(reference)
    title = f"{name} against each other method, over the data sets that both have"
    if not comparisons:
        note = "No other method shares two data sets with it; --table statistics compares on each."
        return [Table("against", title, "method", (), (), (note,))]
    found = [compare_on(report, dataset, reference) or [] for dataset in scores.datasets]
    apart = [c for on_dataset in found for c in on_dataset if c.adjusted < ALPHA]
    wins = Counter(c.method for c in apart if c.difference > 0)
    losses = Counter(c.method for c in apart if c.difference < 0)
    rows = [
        Row(
            row.label,
            (
                row.cells[-1],
                row.cells[0],
                Cell(int((means[reference] > means[c.method]).sum())),
                Cell(wins[c.method], tone="good" if wins[c.method] else ""),
                Cell(losses[c.method], tone="bad" if losses[c.method] else ""),
                *row.cells[2:4],
            ),
        )
        for c, row in zip(comparisons, _comparison_rows(comparisons, labels, scores), strict=True)
    ]
    compared = {c.method for c in comparisons}
    rows += [
        Row(labels.title(other), (Cell(int(common)), *(Cell(state="missing") for _ in range(6))))
        for other in scores.methods
        if other not in {reference, *compared}
        for common in [(means[reference].notna() & means[other].notna()).sum()]
    ]
    table = Table(
        name="against",
        title=title,
        head="method",
        columns=("data sets", "difference", "higher", "better", "worse", "p", "p (Holm)"),
        rows=tuple(rows),
        notes=(
            f"Higher: data sets on which {name} has the higher mean; better, worse: those on which "
            f"the corrected resampled t-test says so (at {ALPHA}, Holm over their methods). "
            "p: Wilcoxon's signed-rank test over the data sets.",
            _explain_power(name, comparisons),
        ),
    )
    return [table]


def _explain_power(name: str, comparisons: Sequence[Comparison]) -> str:
    """Return a note: what Wilcoxon's test found, and what it could have found."""
    significant = sum(c.adjusted < ALPHA for c in comparisons)
    n = max(c.n for c in comparisons)
    smallest = 2 / 2**n
    needed = min(1.0, smallest * len(comparisons))
    power = (
        ": no difference could be significant unless fewer methods are compared (-m)"
        if needed >= ALPHA
        else ", so only differences of one sign nearly everywhere can be significant"
    )
    return (
        f"Wilcoxon's test tells {name} from {significant} of {len(comparisons)} methods at "
        f"{ALPHA}. Its smallest possible p with {n} data sets is {smallest:.2g}, {needed:.2g} "
        f"after correction{power}."
    )


def build_resampled_tables(report: Report, reference: str) -> list[Table]:
    """Build the corrected resampled t-test of one method against the others per data set."""
    scores, labels = report.scores, report.labels
    tables = []
    for dataset in scores.datasets:
        comparisons = compare_on(report, dataset, reference)
        if comparisons is None:
            tables.append(_refuse(scores, labels, dataset, reference))
            continue
        absent = [
            method
            for method in scores.methods
            if method not in {reference, *(c.method for c in comparisons)}
        ]
        if not comparisons and not absent:
            continue
        name, title = _name_test(labels, dataset, reference)
        better = sum(c.adjusted < ALPHA and c.difference > 0 for c in comparisons)
        worse = sum(c.adjusted < ALPHA and c.difference < 0 for c in comparisons)
        tables.append(
            Table(
                name=name,
                title=title,
                head="method",
                columns=("mean difference", "t", "p", "p (Holm)", "common runs"),
                rows=(
                    *_comparison_rows(comparisons, labels, scores),
                    *(_empty_row(scores, labels, dataset, method) for method in absent),
                ),
                notes=(
                    f"{labels.title(reference)} is better than {better} and worse than {worse} of "
                    f"{len(comparisons)} methods on {dataset} at 0.05.",
                    "The runs share data; the test (Nadeau and Bengio) allows for it, the usual "
                    "t-test would be far too sure.",
                ),
            )
        )
    return tables


def compare_on(report: Report, dataset: str, reference: str) -> list[Comparison] | None:
    """Compare a method with the others shown on one data set; None if it has no run there."""
    if (dataset, reference) not in report.comparisons:
        report.comparisons[dataset, reference] = _compare_on(report, dataset, reference)
    found: list[Comparison] | None = report.comparisons[dataset, reference]
    return found


def _compare_on(report: Report, dataset: str, reference: str) -> list[Comparison] | None:
    frame, metric = report.runs.of_main_table, report.scores.metric
    wanted = (frame["status"] == "ok") & (frame["dataset"] == dataset)
    good = frame.loc[wanted, [*SPLIT, "model", "folds", metric.column]]
    runs = good.pivot_table(index=SPLIT, columns="model", values=metric.column)
    if reference not in runs:
        return None
    runs = runs[[method for method in report.scores.methods if method in runs]]
    if not metric.higher_is_better:
        runs = -runs
    return statistics.compare_on_dataset(runs, reference, 1 / good["folds"].min())


def explain_friedman(friedman: Friedman) -> str:
    """Return a sentence: what Friedman's test found."""
    verdict = (
        "at least two methods differ"
        if friedman.p_value < ALPHA
        else "the methods could all be equal"
    )
    f = "∞" if math.isinf(friedman.f) else f"{friedman.f:.2f}"
    return (
        f"Friedman: χ² = {friedman.chi_square:.2f}, Iman–Davenport F = {f}, "
        f"p {_show_p(friedman.p_value, equals=True)}: {verdict}."
    )


def explain_nemenyi(ranks: Sequence[float], critical: float, friedman: Friedman) -> str:
    """Return a sentence: how many of these ranks (sorted) Nemenyi's test tells apart."""
    pairs = [(a, b) for i, a in enumerate(ranks) for b in ranks[i + 1 :]]
    apart = sum(b - a > critical for a, b in pairs)
    return (
        f"Nemenyi: average ranks of {friedman.methods} methods on {friedman.datasets} data sets "
        f"differ significantly (0.05) if they are more than {critical:.2f} apart, "
        f"{critical / (friedman.methods - 1):.0%} of their scale; {apart} of {len(pairs)} pairs "
        "are."
    )


def _comparison_rows(
    comparisons: Sequence[Comparison], labels: Labels, scores: Scores
) -> tuple[Row, ...]:
    metric = scores.metric
    sign = 1 if metric.higher_is_better else -1
    return tuple(
        Row(
            labels.title(c.method),
            (
                Cell(
                    sign * c.difference * metric.scale,
                    digits=metric.digits,
                    signed=True,
                ),
                Cell(c.statistic),
                Cell(c.p_value, text=_show_p(c.p_value)),
                Cell(
                    c.adjusted,
                    text=_show_p(c.adjusted),
                    tone="" if c.adjusted >= ALPHA else "good" if c.difference > 0 else "bad",
                ),
                Cell(c.n),
            ),
        )
        for c in comparisons
    )


def _name_short_cells(scores: Scores, labels: Labels) -> tuple[str, ...]:
    """Return a note that names the cells with fewer runs than the others of their data set."""
    short = [
        f"{labels.title(method)} on {dataset} ({count})"
        for dataset, counts in scores.n.iterrows()
        for method, count in counts.items()
        if 0 < count < counts.max()
    ]
    return (f"Fewer runs than the others: {', '.join(short)}.",) if short else ()


def _empty_row(scores: Scores, labels: Labels, dataset: str, method: str) -> Row:
    state: State = "failed" if scores.failed.loc[dataset, method] else "missing"
    return Row(labels.title(method), (*(Cell(state=state) for _ in range(4)), Cell(0)))


def _refuse(scores: Scores, labels: Labels, dataset: str, reference: str) -> Table:
    """Build a table without rows: the method to compare with has no result on the data set."""
    what = "failed" if scores.failed.loc[dataset, reference] else "was not run"
    note = f"No test: {labels.title(reference)} {what} on {dataset}."
    return Table(*_name_test(labels, dataset, reference), "method", (), (), (note,))


def _name_test(labels: Labels, dataset: str, reference: str) -> tuple[str, str]:
    name = f"t-test-{dataset.replace(':', '-').replace('=', '-')}"
    title = f"{labels.title(reference)} against the others on {dataset}: corrected resampled t-test"
    return name, title


def _show_p(p_value: float, equals: bool = False) -> str:
    if p_value < 0.001:
        return "< 0.001"
    return f"= {p_value:.3f}" if equals else f"{p_value:.3f}"
