"""Lists of genes in the formats of other programs."""

import numpy as np

from benchmark.genes.lists import GeneLists
from benchmark.text import count_noun


def write_ranking(genes: GeneLists) -> str:
    """Write all genes as a ``.rnk`` file: gene, tab, signed score, the largest first.

    The score is a method's mean importance. Over several methods, and where an archive does not
    keep all importances, it is the share of genes that are ranked below. It is negative for
    genes that are higher in the first of two classes.
    """
    (model, *others) = genes.selections
    features = genes.pooled if others else genes.by_method[model]
    features = features.sort_index()
    by_rank = bool(others) or features["score"].isna().any()
    below = (genes.n_features - features["rank"]) / max(genes.n_features - 1, 1)
    scores = (below if by_rank else features["score"]).to_numpy(dtype=np.float64)
    what = "share of genes ranked below" if by_rank else f"mean importance of {model}"
    table = genes.table
    if table is not None and len(table.class_names) == 2:
        scores = np.where(genes.directions == 0, -scores, scores)
        what += f", positive where higher in {table.class_names[1]}"
    order = np.argsort(-scores, kind="stable")
    lines = [f"# {genes.dataset}: {what}"]
    lines += [f"{genes.names[feature]}\t{scores[feature]:.6g}" for feature in order]
    return "\n".join(lines) + "\n"


def write_genes(genes: GeneLists) -> str:
    """Write all genes as tab-separated values: a line per gene, the best over methods first.

    Then per method its place, share of runs, mean rank and mean score of the gene; empty where
    a score or a direction is not known.
    """
    features = genes.pooled
    table = features[["place", "rank", "share"]].rename(columns={"rank": "median_rank"})
    table.insert(0, "gene", genes.names[features.index])
    if genes.table is not None:
        names = np.append(genes.table.class_names.astype(object), "")  # -1: high in none
        table["high_in"] = names[genes.directions[features.index]]
    for model, found in genes.by_method.items():
        columns = found.loc[features.index, ["place", "share", "rank", "score"]]
        table = table.join(columns.add_prefix(f"{model}_"))
    text: str = table.to_csv(sep="\t", index=False, float_format="%.6g", lineterminator="\n")
    return text


def write_sets(genes: GeneLists) -> str:
    """Write the top of each method's list, and of that over methods, as a ``.gmt`` file."""
    lines = []
    for model in (*genes.selections, None) if len(genes.selections) > 1 else genes.selections:
        runs = genes.n_runs if model is None else len(genes.selections[model].runs)
        features = genes.list_top(model)
        name = f"{genes.dataset}-{model or 'over-methods'}"
        about = f"{count_noun(len(features), 'best gene')} of {count_noun(runs, 'run')}"
        lines.append("\t".join([name, about, *(str(genes.names[j]) for j in features)]))
    return "\n".join(lines) + "\n"


def write_list(genes: GeneLists) -> str:
    """Write the top of the list over methods, or of the only method's: a gene per line."""
    (model, *others) = genes.selections
    return "".join(f"{genes.names[j]}\n" for j in genes.list_top(None if others else model))
