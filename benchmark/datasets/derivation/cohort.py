"""The stratified sample of 200 patients."""

import pandas as pd

from benchmark.datasets.problems import SourceError

TEST, VALIDATION, TRAINING = 100, 50, 200
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
    from sklearn.model_selection import train_test_split

    needed = TEST + VALIDATION + TRAINING + labels.nunique()
    if len(labels) < needed:
        raise SourceError(f"only {len(labels)} patients have a label, {needed} are needed")
    try:
        rest, _ = train_test_split(labels, test_size=TEST, random_state=SEED, stratify=labels)
        rest, _ = train_test_split(rest, test_size=VALIDATION, random_state=SEED, stratify=rest)
        cohort, _ = train_test_split(rest, train_size=TRAINING, random_state=SEED, stratify=rest)
    except ValueError as error:
        raise SourceError(f"the patients cannot be sampled by class: {error}") from None
    return cohort.index
