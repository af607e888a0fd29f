"""TCGA head and neck cancer: the authors' full table, and the Broad Firehose archives."""

from pathlib import Path
from typing import IO

import numpy as np
import pandas as pd

from benchmark.datasets.derive.readers import open_member
from benchmark.datasets.failures import SourceError

GRADE = "tumor_grade"


SURVIVAL = "X2yr.RF.Surv."


TWO_YEARS = 730

_EXPRESSION_MEMBERS = (r".*RSEM_genes_normalized__data\.data\.txt",)

_CLINICAL_MEMBERS = (r"HNSC\.clin\.merged\.txt", r"HNSC\.merged_only_clinical_clin_format\.txt")

_EVENT_ROWS = ("days_to_new_tumor_event_after_initial_treatment", "days_to_death")

_CONTACT_ROWS = ("days_to_last_followup", "days_to_last_known_alive", "days_to_death")


def read_full_table(path: Path, target: str) -> tuple[pd.DataFrame, pd.Series]:
    """Read the authors' table: patients by barcode, ``SYMBOL|ENTREZID`` and clinical columns."""
    frame = pd.read_csv(path, index_col=0, low_memory=False).sort_index()
    if target not in frame.columns:
        raise SourceError(f"{path.name} has no column {target!r}")
    expression = frame.loc[:, [column for column in frame.columns if "|" in str(column)]]
    return expression, frame[target]


def read_firehose(expression: Path, clinical: Path, target: str) -> tuple[pd.DataFrame, pd.Series]:
    """Read both archives: expression per patient, and the label asked for."""
    with open_member(expression, _EXPRESSION_MEMBERS) as stream:
        values = read_firehose_expression(stream)
    with open_member(clinical, _CLINICAL_MEMBERS) as stream:
        patients = read_firehose_clinical(stream)
    values = keep_primary_tumours(values)
    patients = patients.loc[patients.index.intersection(values.index)].sort_index()
    label = {GRADE: grade_label, SURVIVAL: two_year_label}[target](patients)
    return values.loc[patients.index], label


def read_firehose_expression(stream: IO[str]) -> pd.DataFrame:
    """Return samples × genes: the file has genes as rows and two header lines."""
    header = stream.readline().rstrip("\n").split("\t")
    if not stream.readline().startswith("gene_id\t"):
        raise SourceError("the second line of the expression table does not start with gene_id")
    frame = pd.read_csv(stream, sep="\t", header=None, names=header, index_col=0)
    return frame.apply(pd.to_numeric, errors="coerce").T


def keep_primary_tumours(expression: pd.DataFrame) -> pd.DataFrame:
    """Keep samples of type 01, one per patient, and name them by patient (12 characters)."""
    barcodes = pd.Index([str(barcode) for barcode in expression.index])
    expression = expression.loc[[barcode[13:15] == "01" for barcode in barcodes]].sort_index()
    expression.index = pd.Index([str(barcode)[:12].upper() for barcode in expression.index])
    return expression.loc[~expression.index.duplicated(keep="first")]


def read_firehose_clinical(stream: IO[str]) -> pd.DataFrame:
    """Return patients × attributes: the file has attributes as rows."""
    rows = pd.read_csv(stream, sep="\t", header=None, index_col=0, dtype=str, low_memory=False)
    name = "patient.bcr_patient_barcode"
    if name not in rows.index:
        raise SourceError(f"the clinical table has no row {name}")
    patients = rows.T.set_index(name)
    patients.index = patients.index.str.upper()
    return patients


def grade_label(patients: pd.DataFrame) -> pd.Series:
    """Return G1, G2, ... per patient."""
    column = "patient.neoplasm_histologic_grade"
    if column not in patients.columns:
        raise SourceError(f"the clinical table has no row {column}")
    return patients[column].str.upper().rename(GRADE)


def two_year_label(patients: pd.DataFrame) -> pd.Series:
    """Return 0 for recurrence or death within two years, 1 if event-free beyond, else missing.

    An approximation: how the authors came by their label is not published.
    """
    event = _days(patients, _EVENT_ROWS).min(axis=1)
    contact = _days(patients, _CONTACT_ROWS).max(axis=1)
    return label_survival(event, contact)


def label_survival(event: pd.Series, contact: pd.Series) -> pd.Series:
    """Label survival from the days to the first event and to the last contact (NaN: none)."""
    followed = contact.fillna(-np.inf).combine(event.fillna(-np.inf), max)
    label = pd.Series(np.nan, index=event.index, name=SURVIVAL)
    label[event <= TWO_YEARS] = 0.0
    label[~(event <= TWO_YEARS) & (followed > TWO_YEARS)] = 1.0
    return label


def _days(patients: pd.DataFrame, endings: tuple[str, ...]) -> pd.DataFrame:
    """Return the columns with such endings as numbers: follow-ups repeat them."""
    columns = [c for c in patients.columns if str(c).rpartition(".")[2] in endings]
    if not columns:
        raise SourceError(f"the clinical table has no row ending in {' or '.join(endings)}")
    return patients[columns].apply(pd.to_numeric, errors="coerce")
