"""Lists of genes, how stable they are, and how far methods agree."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from benchmark.genes.enrichment import measure_enrichment
from benchmark.genes.findings import describe_alike, describe_gates, list_warnings
from benchmark.genes.lists import GeneLists
from benchmark.genes.recovery import measure_recovery
from benchmark.plan.methods import read_method_cards
from benchmark.report.charts.canvas import name_after
from benchmark.report.labels import Labels
from benchmark.report.table import Cell, Row, Table
from benchmark.report.tables.cells import deviate
from benchmark.results.archived_arrays import BEST_KEPT
from benchmark.text import count_noun, list_some

#: Why the interval of a stability is too narrow.
SHARED_ROWS = (
    "Stability (Nogueira et al., 2018): 0 is what random sets of these sizes give, 1 identical "
    "sets. Runs share training rows, so the interval (95%, from, to) is too narrow."
)


def build_consensus(genes: GeneLists, labels: Labels, reason: str = "") -> list[Table]:
    """Build the list over methods.

    Parameters
    ----------
    genes
        The lists.
    labels
        How methods are called.
    reason
        Why the table is not at hand, if it is not.
    """
    best = genes.take_best()
    rows = tuple(
        Row(
            str(gene.name_),
            (
                Cell(int(gene.place)),
                Cell(len(gene.methods)),
                Cell(gene.rank, digits=1),
                _percent(gene.share),
                *_direction_cells(gene),
            ),
        )
        for gene in _list_rows(best)
    )
    models = _join_titles(list(genes.selections), labels)
    return [
        Table(
            name=name_after("genes", genes.dataset),
            title=f"Genes of {genes.dataset} over {count_noun(len(genes.selections), 'method')}",
            head="gene",
            columns=("place", "methods", "median rank", "share", "high in", "AUROC alone"),
            rows=rows,
            notes=(
                f"From {count_noun(genes.n_runs, 'run')} of {models}. Methods: those with the gene "
                f"among their {genes.top} best; median of its ranks by the methods; "
                "share: of a method's runs that selected it, mean over methods. " + _DIRECTION,
                *describe_alike(genes, labels.title),
                *_list_remarks(genes, labels, reason),
            ),
        )
    ]


#: What the last columns of a list mean.
_DIRECTION = (
    "High in: the class with the higher mean; AUROC: of the gene alone for that class, both "
    "outside the test rows."
)


def build_method_lists(genes: GeneLists, labels: Labels, reason: str = "") -> list[Table]:
    """Build the list of each method; parameters as for ``build_consensus``."""
    tables = []
    several = len(genes.selections) > 1
    *_, last = genes.selections
    for model, found in genes.selections.items():
        rows = tuple(
            Row(
                str(gene.name_),
                (
                    Cell(int(gene.place)),
                    _percent(gene.share),
                    Cell(gene.rank, gene.rank_sd, digits=1),
                    _score(gene.score, gene.score_sd),
                    *_direction_cells(gene),
                    *([Cell(int(genes.pooled.loc[gene.Index, "place"]))] if several else []),
                ),
            )
            for gene in _list_rows(genes.take_best(model))
        )
        tables.append(
            Table(
                name=name_after(f"genes-{model}", genes.dataset),
                title=f"Genes of {genes.dataset} by {labels.title(model)}",
                head="gene",
                columns=(
                    *("place", "share", "mean rank", "mean score", "high in", "AUROC alone"),
                    *(["place over methods"] if several else []),
                ),
                rows=rows,
                notes=(
                    f"From {count_noun(len(found.runs), 'run')}; share: of the runs in which the "
                    f"gene {_describe_selection(genes, model)}. " + _DIRECTION,
                    *(_list_remarks(genes, labels, reason) if model == last else ()),
                ),
            )
        )
    return tables


def build_stability(genes: GeneLists, labels: Labels) -> list[Table]:
    """Build how alike the selections of each method's runs are, the most stable first."""
    rows = []
    ordered = sorted(genes.selections, key=lambda model: _order_last(genes.stability[model].value))
    for model in ordered:
        found = genes.selections[model]
        selected = found.mark_selected(genes.top).sum(axis=1)
        stability = genes.stability[model]
        scores = 100 * found.runs["balanced_accuracy_test"].to_numpy()
        known = not math.isnan(stability.value)
        low, high = stability.find_interval() if known else (math.nan, math.nan)
        rows.append(
            Row(
                labels.title(model),
                (
                    Cell("by itself" if found.own is not None else f"{genes.top} best"),
                    Cell(float(selected.mean()), deviate(selected), digits=0),
                    Cell(stability.value),
                    Cell(low),
                    Cell(high),
                    Cell(float(scores.mean()), deviate(scores), len(scores), digits=1),
                ),
            )
        )
    return [
        Table(
            name=name_after("genes-stability", genes.dataset),
            title=f"Stability of the selections on {genes.dataset}",
            head="method",
            columns=("selects", "genes", "stability", "from", "to", "balanced accuracy"),
            rows=tuple(rows),
            notes=(
                SHARED_ROWS,
                *list_warnings(genes, labels.title),
                *describe_gates(genes, labels.title),
            ),
            keys=1,
        )
    ]


def build_agreement(genes: GeneLists, labels: Labels) -> list[Table]:
    """Build how far the tops of the methods' lists agree, twice: as sets and as rankings."""
    kinds = (
        (False, "jaccard", "Jaccard index: common genes as a share of those on either list."),
        (True, "rank-overlap", "Rank-biased overlap: the first 50 ranks have 85% of the weight."),
    )
    return [
        Table(
            name=name_after(f"genes-{name}", genes.dataset),
            title=f"Agreement of the {genes.top} best genes on {genes.dataset}",
            head="method",
            columns=tuple(labels.title(model) for model in genes.selections),
            rows=tuple(
                Row(
                    labels.title(model),
                    tuple(_agreement(float(value)) for value in matrix.loc[model]),
                )
                for model in genes.selections
            ),
            notes=(note,),
            across="method",
        )
        for by_rank, name, note in kinds
        for matrix in [genes.measure_agreement(by_rank)]
    ]


def build_enrichment(
    genes: GeneLists, sets: Mapping[str, frozenset[str]], cut: str, whole: bool = False
) -> list[Table]:
    """Build the sets that the list over methods is rich in.

    Parameters
    ----------
    genes
        The lists.
    sets
        Set -> genes.
    cut
        Whether the table itself was cut to such sets; empty if not.
    whole
        Show every set with a listed gene, and all those genes: for programs. Else sets with more
        of them than expected.
    """
    features = genes.list_top()
    found = measure_enrichment(genes.names[features], genes.names, sets)
    shown = found[found["found"] > (0 if whole else found["expected"])]
    rows = tuple(
        Row(
            row.set,
            (
                Cell(int(row.found)),
                Cell(int(row.size)),
                Cell(float(row.expected), digits=1),
                _p_cell(row.adjusted),
                _p_cell(row.p_value),
                Cell(", ".join(row.genes) if whole else list_some(row.genes, 6)),
            ),
        )
        for row in shown.itertuples()
    )
    absent = len(sets) - len(found)
    notes = [
        f"Hypergeometric test of the {len(features)} best genes over methods against the table's "
        f"own {genes.n_features:,} genes; size: genes of the set in the table; adjusted over "
        f"{count_noun(len(found), 'set')} (Benjamini and Hochberg), {len(found) - len(shown)} of "
        f"them {'without a listed gene' if whole else 'with no more listed genes than expected'} "
        "and not shown.",
        *([cut] if cut else []),
    ]
    if absent:
        notes.append(f"{count_noun(absent, 'set')} without a gene in the table left out.")
    return [
        Table(
            name=name_after("genes-enrichment", genes.dataset),
            title=f"Gene sets among the best genes of {genes.dataset}",
            head="set",
            columns=("found", "size", "expected", "adjusted p", "p", "genes"),
            rows=rows,
            notes=tuple(notes),
        )
    ]


def build_recovery(studies: Sequence[GeneLists], labels: Labels) -> list[Table]:
    """Build what each method finds of the true features, by data set; none if none is known."""
    rows, lengths = [], set()
    for genes in studies:
        table = genes.table
        for model, recovery in measure_recovery(genes).items():
            assert table is not None
            assert table.informative is not None
            own = genes.selections[model].own is not None
            if not own:
                lengths.add(genes.top)
            rows.append(
                Row(
                    labels.title(model),
                    (
                        Cell(genes.dataset),
                        Cell(table.n_samples),
                        _over_runs(recovery.precision),
                        _over_runs(recovery.recall),
                        _over_runs(recovery.average_precision),
                        Cell(len(table.informative) / table.n_features, digits=3),
                    ),
                    group=genes.dataset,
                )
            )
    if not rows:
        return []
    rule = f" (its {lengths.pop()} best where the method does not select)" if lengths else ""
    return [
        Table(
            name="genes-recovery",
            title="True features found",
            head="method",
            columns=(
                *("data set", "samples", "precision", "recall", "average precision"),
                "by chance",
            ),
            rows=tuple(rows),
            keys=1,
            notes=(
                f"Mean ± standard deviation over runs: precision and recall of what a run selects"
                f"{rule} and average precision of its ranking; by chance: precision and average "
                "precision of random features.",
            ),
        )
    ]


def _list_rows(best: pd.DataFrame) -> list:
    # A tuple of names has a ``name`` of its own in pandas.
    return list(best.rename(columns={"name": "name_"}).itertuples())


def _direction_cells(gene: object) -> tuple[Cell, Cell]:
    high, auroc = getattr(gene, "high_in"), getattr(gene, "auroc")  # noqa: B009
    return (
        Cell(high) if high else Cell(state="missing"),
        Cell(float(auroc)) if not math.isnan(auroc) else Cell(state="missing"),
    )


def _describe_selection(genes: GeneLists, model: str) -> str:
    if genes.selections[model].own is not None:
        return "was selected by the method itself"
    return f"was among the {genes.top} best of the run"


def explain_no_table(reason: str) -> str:
    """Return what is missing without the table, why, and how to get it."""
    why = f": {reason}" if reason else ""
    return (
        f"Directions, AUROC and any missing names need the table, which was not read{why}. For a "
        "cohort of your own, give `wpfs-bench genes` the --data and the other options of its run."
    )


def _list_remarks(genes: GeneLists, labels: Labels, reason: str) -> list[str]:
    remarks = []
    cards = read_method_cards()
    lost = [m for m in genes.unscored if m in cards and "ranks-features" in cards[m].tags]
    silent = [model for model in genes.unscored if model not in lost]
    if silent:
        remarks.append(f"No list of {_join_titles(silent, labels)}: no scores of genes.")
    if lost:
        remarks.append(
            f"No list of {_join_titles(lost, labels)} yet: the runs came from an archive that kept "
            "no scores of genes; `wpfs-bench run --force` runs them again."
        )
    if any(found.is_cut for found in genes.selections.values()):
        remarks.append(
            f"The runs came from an archive, which keeps the {BEST_KEPT} best scores of each: "
            "further down places are rough and mean scores unknown."
        )
    if genes.table is None:
        remarks.append(explain_no_table(reason))
    return remarks


def _agreement(value: float) -> Cell:
    """Return a share written short, as in tables of correlations: ``.32``."""
    if math.isnan(value):
        return Cell(state="missing")
    return Cell(value, text="1" if value > 0.995 else f"{value:.2f}"[1:])


def _join_titles(models: Sequence[str], labels: Labels) -> str:
    return ", ".join(labels.title(model) for model in models)


def _order_last(value: float) -> float:
    """Return a key that puts the largest first and what is not known last."""
    return math.inf if math.isnan(value) else -value


def _percent(share: float) -> Cell:
    return Cell(100 * share, text=f"{100 * share:.0f}%")


def _over_runs(values: np.ndarray) -> Cell:
    known = values[~np.isnan(values)]
    if not len(known):
        return Cell(state="missing")
    return Cell(float(known.mean()), deviate(known))


def _p_cell(p_value: float) -> Cell:
    return Cell(float(p_value), text=f"{p_value:.2g}")


def _score(mean: float, deviation: float) -> Cell:
    if math.isnan(mean):
        return Cell(state="missing")
    spread = "" if math.isnan(deviation) else f" ± {deviation:.1g}"
    return Cell(mean, text=f"{mean:.2g}{spread}")
