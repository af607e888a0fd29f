"""Lists of genes, how stable they are, and how far methods agree."""

import math
from collections.abc import Callable, Sequence

import pandas as pd

from benchmark.genes.lists import GeneLists
from benchmark.report.labels import Labels
from benchmark.report.table import Cell, Row, Table
from benchmark.text import count_noun

#: Why the interval of a stability is too narrow.
SHARED_ROWS = (
    "Stability (Nogueira et al., 2018): 0 is what random sets of these sizes give, 1 identical "
    "sets. Runs share training rows, so the interval (95%) is too narrow."
)

_NO_TABLE = (
    "The table is not at hand ({reason}): no direction and no AUROC, and genes keep their numbers "
    "where their names are not known."
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
                Cell(gene.rank, gene.rank_sd, digits=1),
                _percent(gene.share),
                *_direction_cells(gene),
            ),
        )
        for gene in _list_rows(best)
    )
    models = ", ".join(labels.title(model) for model in genes.selections)
    return [
        Table(
            name="genes",
            title=f"Genes of {genes.dataset} over {count_noun(len(genes.selections), 'method')}",
            head="gene",
            columns=("place", "methods", "mean rank", "selected", "high in", "AUROC alone"),
            rows=rows,
            notes=(
                f"From {count_noun(genes.n_runs, 'run')} of {models}. Methods: those with the gene "
                f"among their {genes.top} best; mean rank ± standard deviation over methods; "
                "selected: mean share of a method's runs. " + _DIRECTION,
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
                    Cell(int(genes.pooled.loc[gene.Index, "place"])),
                ),
            )
            for gene in _list_rows(genes.take_best(model))
        )
        tables.append(
            Table(
                name=f"genes-{model}",
                title=f"Genes of {genes.dataset} by {labels.title(model)}",
                head="gene",
                columns=(
                    *("place", "selected", "mean rank", "mean score", "high in", "AUROC alone"),
                    "place over methods",
                ),
                rows=rows,
                notes=(
                    f"From {count_noun(len(found.runs), 'run')}; selected: share of runs in which "
                    f"the gene {_describe_selection(genes, model)}. " + _DIRECTION,
                    *_list_remarks(genes, labels, reason),
                ),
            )
        )
    return tables


def build_stability(genes: GeneLists, labels: Labels) -> list[Table]:
    """Build how alike the selections of each method's runs are, beside its accuracy."""
    rows = []
    for model, found in genes.selections.items():
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
                    Cell(len(found.runs)),
                    Cell(float(selected.mean()), float(selected.std()), digits=1),
                    Cell(stability.value if known else math.nan, digits=2),
                    Cell(f"{low:.2f} to {high:.2f}" if known else "—"),
                    Cell(float(scores.mean()), _deviate(scores), digits=1),
                ),
            )
        )
    return [
        Table(
            name="genes-stability",
            title=f"Stability of the selections on {genes.dataset}",
            head="method",
            columns=(
                *("selects", "runs", "genes selected", "stability", "interval"),
                "balanced accuracy",
            ),
            rows=tuple(rows),
            notes=(SHARED_ROWS,),
            keys=1,
        )
    ]


def build_agreement(genes: GeneLists, labels: Labels) -> list[Table]:
    """Build how far the tops of the methods' lists agree, twice: as sets and as rankings."""
    kinds = (
        (False, "jaccard", "Jaccard index: common genes as a share of those on either list."),
        (True, "rank-overlap", "Rank-biased overlap: the first 50 ranks have 86% of the weight."),
    )
    return [
        Table(
            name=f"genes-{name}",
            title=f"Agreement of the {genes.top} best genes on {genes.dataset}",
            head="method",
            columns=tuple(labels.title(model) for model in genes.selections),
            rows=tuple(
                Row(
                    labels.title(model),
                    tuple(Cell(float(value)) for value in matrix.loc[model]),
                )
                for model in genes.selections
            ),
            notes=(note,),
            across="method",
        )
        for by_rank, name, note in kinds
        for matrix in [genes.measure_agreement(by_rank)]
    ]


#: ``--table`` of ``wpfs-bench genes``; the first two are shown without it.
GENE_TABLES: dict[str, Callable[..., Sequence[Table]]] = {
    "consensus": build_consensus,
    "methods": build_method_lists,
    "stability": build_stability,
    "agreement": build_agreement,
}


def _list_rows(best: pd.DataFrame) -> list:
    # A tuple of names has a ``name`` of its own in pandas.
    return list(best.rename(columns={"name": "name_"}).itertuples())


def _direction_cells(gene: object) -> tuple[Cell, Cell]:
    high, auroc = getattr(gene, "high_in"), getattr(gene, "auroc")  # noqa: B009
    return (
        Cell(high) if isinstance(high, str) else Cell(state="missing"),
        Cell(float(auroc)) if not math.isnan(auroc) else Cell(state="missing"),
    )


def _describe_selection(genes: GeneLists, model: str) -> str:
    if genes.selections[model].own is not None:
        return "was selected by the method itself"
    return f"was among the {genes.top} best of the run"


def _list_remarks(genes: GeneLists, labels: Labels, reason: str) -> list[str]:
    remarks = []
    if genes.unscored:
        titles = ", ".join(labels.title(model) for model in genes.unscored)
        remarks.append(f"No list of {titles}: no scores of genes with the runs.")
    if reason:
        remarks.append(_NO_TABLE.format(reason=reason))
    return remarks


def _percent(share: float) -> Cell:
    return Cell(100 * share, text=f"{100 * share:.0f}%")


def _score(mean: float, deviation: float) -> Cell:
    if math.isnan(mean):
        return Cell(state="missing")
    spread = "" if math.isnan(deviation) else f" ± {deviation:.2g}"
    return Cell(mean, text=f"{mean:.3g}{spread}")


def _deviate(values: "pd.Series") -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else math.nan
