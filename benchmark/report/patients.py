"""Scores by patient: how much depends on who was sampled."""

import math
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pandas as pd

from benchmark.results.arrays import RunArrays


def count_hits(
    frame: pd.DataFrame, arrays: RunArrays, datasets: Iterable[str]
) -> Iterator[tuple[str, str, pd.Series]]:
    """Yield the share of runs that named each patient's class, cell by cell.

    Parameters
    ----------
    frame
        One row per run; its index is the key of ``arrays``.
    arrays
        Where the test predictions are.
    datasets
        Which of the frame's data sets.

    Yields
    ------
    tuple
        Data set, method, and what ``average_hits`` makes of its runs.
    """
    good = frame[frame["status"].eq("ok") & frame["dataset"].isin(list(datasets))]
    for (dataset, model), runs in good.groupby(["dataset", "model"], sort=False)["status"]:
        predictions = (arrays.read_predictions(int(run)) for run in runs.index)
        yield str(dataset), str(model), average_hits(predictions)


def average_hits(predictions: Iterable[Mapping[str, np.ndarray]]) -> pd.Series:
    """Return the share of runs that named a patient's class, by ``label`` and ``patient``.

    Parameters
    ----------
    predictions
        Of each run ``test_index``, ``y_true`` and ``y_pred`` (n,), or nothing.
    """
    columns = {"label": "y_true", "patient": "test_index", "named": "y_pred"}
    runs = [run for run in predictions if run]
    # One frame for all runs: one per run would take a third of the time of --compare paper.
    tests = pd.DataFrame(
        {
            column: np.concatenate([run[name] for run in runs]) if runs else np.empty(0, dtype=int)
            for column, name in columns.items()
        }
    )
    return tests["named"].eq(tests["label"]).groupby([tests["label"], tests["patient"]]).mean()


def score_patients(hits: pd.Series) -> float:
    """Return the balanced accuracy over these patients; NaN if there is none."""
    return float(hits.groupby(level="label").mean().mean())


def measure_patient_error(hits: pd.Series) -> float:
    """Return the standard error of a balanced accuracy over patients, sampled within classes.

    Patients are taken to be independent, so what other patients to train on would change is not
    in it.

    Parameters
    ----------
    hits
        As ``average_hits`` gives them.

    Returns
    -------
    float
        A fraction; NaN if a class has fewer than two patients.
    """
    if hits.empty:
        return math.nan
    classes = hits.groupby(level="label").agg(["var", "size"])
    return math.sqrt((classes["var"] / classes["size"]).sum(skipna=False)) / len(classes)
