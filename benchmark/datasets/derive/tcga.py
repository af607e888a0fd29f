"""TCGA head and neck cancer: the authors' tables, and the Broad Firehose archive."""

from collections.abc import Sequence
from pathlib import Path
from typing import IO

import pandas as pd

from benchmark.datasets.derive.loaders import SourceError
from benchmark.datasets.derive.readers import open_member
from benchmark.exact_csv import read_csv

_EXPRESSION_MEMBERS = (r".*RSEM_genes_normalized__data\.data\.txt",)


def read_full_table(path: Path, target: str) -> tuple[pd.DataFrame, pd.Series]:
    """Read the authors' table: patients by barcode, ``SYMBOL|ENTREZID`` and clinical columns."""
    frame = read_csv(path, index_col=0, low_memory=False).sort_index()
    if target not in frame.columns:
        raise SourceError(f"{path.name} has no column {target!r}")
    expression = frame.loc[:, [column for column in frame.columns if "|" in str(column)]]
    return expression, frame[target]


def read_firehose(path: Path) -> pd.DataFrame:
    """Read the archive: expression per patient."""
    with open_member(path, _EXPRESSION_MEMBERS) as stream:
        return keep_primary_tumours(read_firehose_expression(stream))


def read_published_samples(paths: Sequence[Path]) -> pd.DataFrame:
    """Read the authors' training, validation and test samples: each patient's values once."""
    tables = [read_csv(path, index_col=0) for path in paths]
    values = pd.concat([table.iloc[:, :-1] for table in tables])
    return values[~values.index.duplicated()]


def read_firehose_expression(stream: IO[str]) -> pd.DataFrame:
    """Return samples × genes: the file has genes as rows and two header lines."""
    header = stream.readline().rstrip("\n").split("\t")
    if not stream.readline().startswith("gene_id\t"):
        raise SourceError("the second line of the expression table does not start with gene_id")
    frame = read_csv(stream, sep="\t", header=None, names=header, index_col=0)
    return frame.apply(pd.to_numeric, errors="coerce").T


def keep_primary_tumours(expression: pd.DataFrame) -> pd.DataFrame:
    """Keep samples of type 01, one per patient, and name them by patient (12 characters)."""
    barcodes = pd.Index([str(barcode) for barcode in expression.index])
    expression = expression.loc[[barcode[13:15] == "01" for barcode in barcodes]].sort_index()
    expression.index = pd.Index([str(barcode)[:12].upper() for barcode in expression.index])
    return expression.loc[~expression.index.duplicated(keep="first")]
