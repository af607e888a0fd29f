"""cBioPortal's expression tables: Hugo_Symbol, Entrez_Gene_Id, then a column per sample.

Its clinical tables are delimited text with comment lines.
"""

import pandas as pd

from benchmark.datasets.formats.delimited import decode, parse_text
from benchmark.datasets.formats.raw_table import Content, FormatError, RawTable, ReadOptions

SYMBOL, ENTREZ = "Hugo_Symbol", "Entrez_Gene_Id"


def read_cbioportal(content: Content, options: ReadOptions) -> RawTable:
    """Read an expression table; genes go by symbol, else by Entrez id."""
    text, _ = decode(content.data)
    frame = parse_text(text, "\t")
    column = SYMBOL if SYMBOL in frame.columns else ENTREZ
    if column not in frame.columns:
        raise FormatError(f"it has neither a column {SYMBOL} nor {ENTREZ}")
    genes = frame[column].astype("str")
    values = frame.drop(columns=[c for c in (SYMBOL, ENTREZ) if c in frame.columns])
    unnamed = genes.isna() | (genes == "nan")
    details = {"genes": column}
    if unnamed.any():
        details["genes without a name, left out"] = str(int(unnamed.sum()))
    values = values[~unnamed.to_numpy()].set_axis(pd.Index(genes[~unnamed], name=None), axis=0)
    return RawTable(values, True, details=details)
