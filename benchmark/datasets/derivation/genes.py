"""Gene lists and the choice of columns by gene."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from benchmark.datasets.problems import SourceError


def read_gene_list(path: Path) -> frozenset[str]:
    """Read gene symbols from MSigDB's .gmt (set, address, genes ...) or a one-column CSV."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if path.suffix == ".gmt":
        symbols = {gene for line in lines for gene in line.split("\t")[2:]}
    else:
        symbols = {line.strip().strip('"') for line in lines[1:]}
    symbols.discard("")
    if not symbols:
        raise SourceError(f"{path.name} lists no genes")
    return frozenset(symbols)


def symbols_of(columns: Iterable[str]) -> list[str]:
    """Return the gene symbols of ``SYMBOL|ENTREZID`` columns; plain symbols stay as they are."""
    return [str(column).partition("|")[0].strip() for column in columns]


def keep_genes(expression: pd.DataFrame, genes: frozenset[str]) -> pd.DataFrame:
    """Keep the columns whose symbol is in the list, the first of duplicate symbols.

    Columns keep their order, so the result does not depend on how the list is sorted.
    """
    symbols = pd.Index(symbols_of(expression.columns))
    kept = symbols.isin(list(genes)) & ~symbols.duplicated(keep="first")
    if not kept.any():
        raise SourceError("no gene of the gene list is in the expression table")
    chosen = expression.loc[:, kept]
    chosen.columns = symbols[kept]
    return chosen
