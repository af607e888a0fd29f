"""Arrays of single runs: predictions, loss curves, distributions of importance scores."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import pandas as pd

#: Bins of the importance histograms; scores of a sparsity network lie in (0, 1).
IMPORTANCE_BINS = np.linspace(0.0, 1.0, 21)


class RunArrays(Protocol):
    """Gives the arrays of a run; the key is the index of its row in the frame of runs."""

    def read_predictions(self, run: int) -> Mapping[str, np.ndarray]:
        """Return ``test_index``, ``y_true``, ``y_pred`` (n,) and ``proba`` (n, C), or nothing."""

    def read_history(self, run: int) -> Mapping[str, np.ndarray]:
        """Return ``step``, ``train_loss`` and ``valid_loss``, equally long, or nothing."""

    def read_importance_counts(self, run: int) -> np.ndarray | None:
        """Return how many features have a score in each of ``IMPORTANCE_BINS``, or None."""


@dataclass(frozen=True)
class StoredArrays:
    """Arrays in the npz files beside the records of a store.

    Parameters
    ----------
    frame
        One row per run; its column ``path`` names the record.
    """

    frame: pd.DataFrame

    def read_predictions(self, run: int) -> Mapping[str, np.ndarray]:
        """Return ``test_index``, ``y_true``, ``y_pred`` (n,) and ``proba`` (n, C), or nothing."""
        arrays = self._read(run, ("test_index", "y_true", "y_pred", "proba"))
        return arrays if len(arrays) == 4 else {}

    def read_history(self, run: int) -> Mapping[str, np.ndarray]:
        """Return ``step``, ``train_loss`` and ``valid_loss``, equally long, or nothing."""
        names = ("history_step", "history_train_loss", "history_valid_loss")
        arrays = self._read(run, names)
        if len(arrays) < len(names):
            return {}
        return {name.removeprefix("history_"): array for name, array in arrays.items()}

    def read_importance_counts(self, run: int) -> np.ndarray | None:
        """Return how many features have a score in each of ``IMPORTANCE_BINS``, or None."""
        scores = self._read(run, ("importances",)).get("importances")
        return None if scores is None else count_importances(scores)

    def _read(self, run: int, names: tuple[str, ...]) -> dict[str, np.ndarray]:
        file = Path(self.frame.loc[run, "path"]).with_suffix(".npz")
        if not file.is_file():
            return {}
        with np.load(file, allow_pickle=False) as content:
            return {name: content[name] for name in names if name in content}


def count_importances(scores: np.ndarray) -> np.ndarray | None:
    """Count the scores per bin; None unless all lie in [0, 1], as gates do.

    Parameters
    ----------
    scores
        (D,) importance of each feature.
    """
    if scores.size == 0 or scores.min() < 0 or scores.max() > 1:
        return None
    return np.histogram(scores, IMPORTANCE_BINS)[0]
