"""METABRIC breast cancer: cBioPortal's expression and the labels of Rueda et al."""

from pathlib import Path
from typing import IO

import pandas as pd

from benchmark.datasets.derive.loaders import SourceError
from benchmark.datasets.derive.readers import open_member
from benchmark.exact_csv import read_csv

_EXPRESSION_MEMBERS = (
    r"data_mrna_illumina_microarray\.txt",
    r"data_mrna_agilent_microarray\.txt",
    r"data_expression(_median)?\.txt",
)

_PATIENT = "METABRIC.ID"


def read_metabric(expression: Path, clinical: Path, target: str) -> tuple[pd.DataFrame, pd.Series]:
    """Read expression per patient and the label asked for, both sorted by patient."""
    with open_member(expression, _EXPRESSION_MEMBERS) as stream:
        values = read_expression(stream)
    with clinical.open(encoding="utf-8", errors="replace", newline=None) as stream:
        labels = read_labels(stream, target, clinical.name)
    patients = values.index.intersection(labels.index).sort_values()
    return values.loc[patients], labels.loc[patients]


def read_expression(stream: IO[str]) -> pd.DataFrame:
    """Return patients × genes from cBioPortal's table of genes × patients."""
    frame = _read_tab_separated(stream)
    if "Hugo_Symbol" not in frame.columns:
        raise SourceError("the expression table has no column 'Hugo_Symbol'")
    frame = frame.dropna(subset=["Hugo_Symbol"]).set_index("Hugo_Symbol")
    frame = frame.drop(columns=["Entrez_Gene_Id"], errors="ignore")
    return frame.apply(pd.to_numeric, errors="coerce").T


def read_labels(stream: IO[str], target: str, name: str) -> pd.Series:
    """Return the label per patient, from the tab-separated table S6."""
    frame = _read_tab_separated(stream)
    missing = [column for column in (_PATIENT, target) if column not in frame.columns]
    if missing:
        found = ", ".join(str(column) for column in frame.columns[:6])
        raise SourceError(
            f"{name} lacks the columns {', '.join(missing)} (it has {found}, ...); "
            "is it Supplementary Table 6 of Rueda et al.?"
        )
    frame = frame.drop_duplicates(subset=_PATIENT)
    # Tables that went through R may have MB.0002 for MB-0002.
    patients = frame[_PATIENT].astype(str).str.strip().str.replace(".", "-", regex=False)
    return pd.Series(frame[target].to_numpy(), index=pd.Index(patients), name=target)


def _read_tab_separated(stream: IO[str]) -> pd.DataFrame:
    """Read a table below its comment lines; a # further down is part of the data."""
    line = stream.readline()
    while line.startswith("#"):
        line = stream.readline()
    header = line.rstrip("\n").split("\t")
    return read_csv(stream, sep="\t", header=None, names=header, low_memory=False)
