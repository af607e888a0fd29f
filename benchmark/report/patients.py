"""How far a score could lie elsewhere had other patients been sampled."""

import math
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from benchmark.report.arrays import RunArrays


def estimate_patient_errors(
    frame: pd.DataFrame, arrays: RunArrays, datasets: Iterable[str]
) -> dict[tuple[str, str], float]:
    """Estimate the standard error of every cell over the patients that were tested.

    Parameters
    ----------
    frame
        One row per run; its index is the key of ``arrays``.
    arrays
        Where the test predictions are.
    datasets
        Which of the frame's data sets.

    Returns
    -------
    dict
        (data set, method) -> standard error of the balanced accuracy, a fraction.
    """
    good = frame[frame["status"].eq("ok") & frame["dataset"].isin(list(datasets))]
    return {
        (str(dataset), str(model)): measure_patient_error(
            arrays.read_predictions(int(run)) for run in runs.index
        )
        for (dataset, model), runs in good.groupby(["dataset", "model"])
    }


def measure_patient_error(predictions: Iterable[Mapping[str, np.ndarray]]) -> float:
    """Return the standard error of a balanced accuracy over patients, sampled within classes.

    A patient counts with the share of runs that named their class; between them these shares are
    taken to be independent, so what other patients to train on would change is not in it.

    Parameters
    ----------
    predictions
        Of each run ``test_index``, ``y_true`` and ``y_pred`` (n,), or nothing.

    Returns
    -------
    float
        A fraction; NaN if a class has fewer than two patients.
    """
    known = [
        pd.DataFrame(
            {
                "patient": run["test_index"],
                "label": run["y_true"],
                "hit": run["y_pred"] == run["y_true"],
            }
        )
        for run in predictions
        if run
    ]
    if not known:
        return math.nan
    shares = pd.concat(known).groupby(["label", "patient"])["hit"].mean()
    classes = shares.groupby(level="label").agg(["var", "size"])
    total = (classes["var"] / classes["size"]).sum(skipna=False)
    return math.sqrt(total) / len(classes)
