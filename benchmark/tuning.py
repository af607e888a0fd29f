"""Grids of hyper-parameters, and the choice among them on validation data."""

import itertools
from typing import TYPE_CHECKING, Any

from benchmark.errors import UserError
from benchmark.hyperparameters import normalise

if TYPE_CHECKING:
    import pandas as pd

    from baselines.method import Method

#: What makes two runs rivals for the same place: they saw the same rows and the same seed.
SPLIT_COLUMNS = ("dataset", "dataset_checksum", "model", "repeat", "fold", "seed", "split_checksum")


def list_candidates(method: "Method", dataset: str) -> list[dict[str, Any]]:
    """Return the grid's points as normalised hyper-parameters, in the grid's order.

    Parameters
    ----------
    method
        The method; one without a grid has a single candidate.
    dataset
        The data set whose published values hold for what the grid does not vary.
    """
    base = method.paper_hyperparameters(dataset)
    candidates: list[dict[str, Any]] = []
    for values in itertools.product(*method.grid.values()):
        point = normalise(method, {**base, **dict(zip(method.grid, values, strict=True))})
        if point not in candidates:
            candidates.append(point)
    return candidates


def select(frame: "pd.DataFrame", by: str = "cross_entropy_valid") -> "pd.DataFrame":
    """Keep, per split, the grid candidate that did best on validation data.

    Ties, and methods whose validation loss is unknown, are decided by the validation balanced
    accuracy, then by the order of the hyper-parameters' hashes, so that the choice never
    depends on the order of the rows.

    Parameters
    ----------
    frame
        As ``store.read_frame`` gives it; rows that are not ``ok`` or not of a grid are dropped.
    by
        The column to minimise (a loss) or, if it starts with ``balanced_accuracy``, to
        maximise. Only validation columns are allowed: choosing on test would be cheating.

    Returns
    -------
    DataFrame
        One row per data set, model, repeat, fold and seed, in the order of the given frame.
    """
    if not by.endswith("_valid"):
        raise UserError(f"cannot select on {by}: only validation columns (…_valid) are allowed")
    in_grid = frame["presets"].map(lambda presets: "grid" in presets)
    pool = frame[(frame["status"] == "ok") & in_grid]
    ascending = not by.startswith("balanced_accuracy")
    ordered = pool.sort_values(
        [by, "balanced_accuracy_valid", "hyperparameters_hash"],
        ascending=[ascending, False, True],
        na_position="last",
        kind="stable",
    )
    best = ordered.drop_duplicates(list(SPLIT_COLUMNS), keep="first").index
    return frame.loc[frame.index.isin(best)]
