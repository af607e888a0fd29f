"""Arrays of runs: predictions, loss curves and importance scores, in npz files."""

import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from zipfile import ZipFile

import numpy as np

from benchmark.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

#: Bins of the importance histograms; scores of a sparsity network lie in (0, 1).
IMPORTANCE_BINS = np.linspace(0.0, 1.0, 21)

#: In place of ``importances`` in a store that took its runs from an archive: NaN but for the best.
BEST_IMPORTANCES = "best_importances"

#: Folder of a store with a file per table of the user's: the names of its features.
NAMES = ".names"


@dataclass(frozen=True, eq=False)
class FeatureScores:
    """What a run says of each feature.

    Parameters
    ----------
    scores
        (D,) importance, float32; NaN where an archive does not keep it.
    selected
        (D,) whether the method selected it; None if the method does not select.
    """

    scores: np.ndarray
    selected: np.ndarray | None


def rank_first(scores: np.ndarray, count: int) -> np.ndarray:
    """Return the features of the ``count`` largest scores in falling order; of equals the first.

    Features without a positive score are of no importance and left out.
    """
    useful = np.flatnonzero(scores > 0)
    if 0 < count < len(useful):  # sorting the first is much faster than sorting all
        least = np.partition(scores[useful], -count)[-count]
        useful = useful[scores[useful] >= least]
    return useful[np.argsort(-scores[useful], kind="stable")[:count]]


class RunArrays(Protocol):
    """Gives the arrays of a run; the key is the index of its row in the frame of runs."""

    @property
    def unreadable(self) -> Sequence[Path]:
        """Files that could not be read so far and were passed over."""

    def read_predictions(self, run: int) -> Mapping[str, np.ndarray]:
        """Return ``test_index``, ``y_true``, ``y_pred`` (n,) and ``proba`` (n, C), or nothing."""

    def read_history(self, run: int) -> Mapping[str, np.ndarray]:
        """Return ``step``, ``train_loss`` and ``valid_loss``, equally long, or nothing."""

    def read_importance_counts(self, run: int) -> np.ndarray | None:
        """Return how many features have a score in each of ``IMPORTANCE_BINS``, or None."""

    def read_scores(self, run: int) -> FeatureScores | None:
        """Return the importance of each feature and which were selected, or None."""

    def read_names(self, checksum: str) -> np.ndarray | None:
        """Return the names of the features of the table with a checksum, if they are kept."""


@dataclass(frozen=True)
class StoredArrays:
    """Arrays in the npz files beside the records of a store.

    Parameters
    ----------
    frame
        One row per run; its column ``path`` names the record.
    unreadable
        Files that could not be read so far; their runs count as having no arrays.
    """

    frame: "pd.DataFrame"
    unreadable: list[Path] = field(default_factory=list)

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

    def read_scores(self, run: int) -> FeatureScores | None:
        """Return the importance of each feature and which were selected, or None."""
        arrays = self._read(run, ("importances", BEST_IMPORTANCES, "selected"))
        scores = arrays.get("importances", arrays.get(BEST_IMPORTANCES))
        if scores is None:
            return None
        chosen = arrays.get("selected")
        if chosen is None:
            # Early runs tell how many; what the suite's methods select are their best scores.
            count = self.frame.loc[run, "n_selected"]
            if np.isnan(count):
                return FeatureScores(scores, None)
            chosen = rank_first(scores, int(count))
        selected = np.zeros(len(scores), dtype=bool)
        selected[chosen] = True
        return FeatureScores(scores, selected)

    def read_names(self, checksum: str) -> np.ndarray | None:
        """Return the names of the features of the table with a checksum, if they are kept."""
        file = locate_names(Path(self.frame["path"].iloc[0]).parents[3], checksum)
        if not file.exists():
            return None
        try:
            names = read_npz(file, ("names",)).get("names", np.empty(0))
        except UnreadableArraysError:
            names = np.empty(0)
        runs = self.frame.index[self.frame["dataset_checksum"] == checksum]
        scored = next((found for run in runs if (found := self.read_scores(int(run)))), None)
        shape = names.shape if scored is None else scored.scores.shape
        if names.dtype.kind == "U" and names.shape == shape:
            return names
        if file not in self.unreadable:
            self.unreadable.append(file)
        return None

    def _read(self, run: int, names: Sequence[str]) -> dict[str, np.ndarray]:
        record = Path(self.frame.loc[run, "path"])
        try:
            return read_arrays(record, names)
        except UnreadableArraysError:
            if (file := record.with_suffix(".npz")) not in self.unreadable:
                self.unreadable.append(file)
            return {}


def locate_names(folder: Path, checksum: str) -> Path:
    """Return where a store keeps the names of the features of the table with a checksum."""
    return folder / NAMES / f"{hashlib.sha256(checksum.encode()).hexdigest()[:16]}.npz"


def count_importances(scores: np.ndarray) -> np.ndarray | None:
    """Count the scores per bin; None unless all lie in [0, 1], as gates do.

    Parameters
    ----------
    scores
        (D,) importance of each feature.
    """
    if not (scores.size and scores.min() >= 0 and scores.max() <= 1):  # nor any NaN
        return None
    return np.histogram(scores, IMPORTANCE_BINS)[0]


def read_arrays(record: Path | str, names: Sequence[str] | None = None) -> dict[str, np.ndarray]:
    """Read the arrays beside a record.

    Parameters
    ----------
    record
        The JSON file (the frame's column ``path``).
    names
        The arrays to read; all without it.

    Returns
    -------
    dict
        Those there are of ``test_index``, ``y_true``, ``y_pred``, ``proba``, ``importances`` and
        ``history_*``; empty for a run that failed.
    """
    file = Path(record).with_suffix(".npz")
    return read_npz(file, names) if file.exists() else {}


class UnreadableArraysError(UserError):
    """An npz file is damaged or of another kind."""


def read_npz(file: Path, names: Sequence[str] | None = None) -> dict[str, np.ndarray]:
    """Read the arrays of an npz file, of ``names`` those it has."""
    try:
        return unpack_arrays(file.read_bytes(), names)
    except (ValueError, OSError) as error:
        raise UnreadableArraysError(
            f"{file} cannot be read: fetch it again, or delete it and its record and run it again"
        ) from error


def unpack_arrays(content: bytes, names: Sequence[str] | None = None) -> dict[str, np.ndarray]:
    """Return the arrays in the content of an npz file, of ``names`` those it has.

    Raises
    ------
    ValueError
        If it is damaged.
    """
    try:
        with ZipFile(io.BytesIO(content)) as members:
            # The last record of a zip file has their number at this place.
            if len(members.infolist()) != int.from_bytes(content[-12:-10], "little"):
                raise ValueError("the table of contents is not whole")
            stored = {name.removesuffix(".npy"): name for name in members.namelist()}
            wanted = set(names or stored)
            if not wanted <= stored.keys():
                wanted |= stored.keys()  # a damaged name is found when its array is read
            # ``read`` compares the checksum of a whole member; ``np.load`` stops reading where
            # the array ends, which a damaged header may misplace.
            arrays = {
                name: np.lib.format.read_array(io.BytesIO(members.read(stored[name])))
                for name in stored
                if name in wanted
            }
    except Exception as error:  # parsers of damaged files raise whatever they stumble on
        raise ValueError("it is not a whole npz file") from error
    return {name: arrays[name] for name in names or arrays if name in arrays}


def pack_arrays(arrays: Mapping[str, np.ndarray]) -> bytes:
    """Return the content of an npz file."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **dict(arrays))  # type: ignore[arg-type]
    return buffer.getvalue()
