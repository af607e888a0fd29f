"""From a full study to the paper's cohort: its patients, genes and classes."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmark.datasets.derive.loaders import SourceError
from benchmark.datasets.labels import sort_labels

#: Patients of the authors' splits; the paper's cohorts are the training samples of 200.
TEST, VALIDATION, TRAINING = 100, 50, 200

#: The authors' largest training sample: a pool of patients to replace others from.
LARGEST = 330

SEED = 42


def sample_cohort(labels: pd.Series) -> pd.Index:
    """Choose patients as the authors did: their training cohort, in the order it came out.

    Three stratified splits, each with seed 42: 100 test patients are set aside, then 50 for
    validation, and 200 of the others are the cohort (paper, appendix "Datasets").

    Parameters
    ----------
    labels
        Class per patient, sorted by patient.
    """
    return _draw_training(labels, TRAINING)


def replace_missing(cohort: pd.Index, labels: pd.Series, available: pd.Index) -> pd.Index:
    """Return the cohort with another patient of the same class in place of each missing one.

    Replacements are taken from the authors' training sample of 330 patients, in its order.

    Parameters
    ----------
    cohort
        As ``sample_cohort`` chooses it from ``labels``.
    labels
        Class per patient, sorted by patient.
    available
        Patients with values.
    """
    pool = _draw_training(labels, LARGEST)
    others = labels.loc[pool[pool.isin(available) & ~pool.isin(cohort)]]
    spare = {name: iter(group.index) for name, group in others.groupby(others)}
    known = set(available)
    try:
        return pd.Index([p if p in known else next(spare[labels[p]]) for p in cohort])
    except (KeyError, StopIteration):
        raise SourceError("too few patients with values to replace those without") from None


def _draw_training(labels: pd.Series, size: int) -> pd.Index:
    """Return a training sample of the authors' splits."""
    from sklearn.model_selection import train_test_split

    needed = TEST + VALIDATION + size + labels.nunique()
    if len(labels) < needed:
        raise SourceError(f"only {len(labels)} patients have a label, {needed} are needed")
    try:
        for held_out in (TEST, VALIDATION):
            labels, _ = train_test_split(
                labels, test_size=held_out, random_state=SEED, stratify=labels
            )
        sample, _ = train_test_split(labels, train_size=size, random_state=SEED, stratify=labels)
    except ValueError as error:
        raise SourceError(f"the patients cannot be sampled by class: {error}") from None
    return sample.index


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


def map_labels(
    labels: pd.Series, mapping: tuple[tuple[str, str], ...], drop_unlisted: bool
) -> pd.Series:
    """Turn spelt labels into class names; rows to leave out are absent from what is returned."""
    if not mapping:
        return labels.dropna()
    known = dict(mapping)
    strange = sorted({str(label) for label in labels.dropna()} - known.keys())
    if strange and not drop_unlisted:
        raise SourceError(f"unknown labels {', '.join(strange[:5])} (known: {', '.join(known)})")
    return labels.map(known).dropna()


def encode_classes(
    names: pd.Series, classes: tuple[str, ...]
) -> tuple[NDArray[np.int64], NDArray[np.str_]]:
    """Return codes and class names: in the registry's order, else sorted (numbers as numbers)."""
    order = list(classes) or sort_labels(names)
    codes = {name: code for code, name in enumerate(order)}
    return np.asarray(names.map(codes), dtype=np.int64), np.array(order, dtype=np.str_)
