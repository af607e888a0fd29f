"""The npz files of an archive: what is kept of the arrays of runs, end to end.

A file has an array ``offset`` that says where each run's piece begins; a run's number is its line
in ``runs.csv``.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmark.errors import UserError
from benchmark.results.arrays import (
    IMPORTANCE_BINS,
    FeatureScores,
    RunArrays,
    rank_first,
    unpack_arrays,
)

RUNS = "runs.csv"
PREDICTIONS = "predictions.npz"
CURVES = "curves.npz"
GENES = "genes.npz"
MANIFEST = "manifest.json"

#: File -> array of offsets -> the arrays that it divides among the runs, and their types.
_PIECES: Mapping[str, Mapping[str, Mapping[str, type]]] = {
    PREDICTIONS: {
        "offset": {"test_index": np.int32, "y_true": np.int16, "y_pred": np.int16},
        "proba_offset": {"proba": np.float16},
    },
    CURVES: {"offset": {"step": np.int32, "train_loss": np.float16, "valid_loss": np.float16}},
    GENES: {
        "offset": {"best": np.int32, "score": np.float32},
        "tied_offset": {"tied": np.uint8},
        "selected_offset": {"selected": np.uint8},
    },
}

#: File -> its array with a row per run, and what follows the number of runs in its shape.
_ROWS = {CURVES: ("importance_counts", (len(IMPORTANCE_BINS) - 1,)), GENES: ("width", ())}

#: So many features of a run keep their scores, and those that share the last one's.
BEST_KEPT = 100

#: Stands before the digest of a table in the name of the array with its feature names.
_NAMES = "names-"


@dataclass(frozen=True)
class Manifest:
    """What an archive holds: how many runs, and the digests of its files."""

    n_runs: int
    digests: Mapping[str, str]

    def fits(self, name: str, content: bytes) -> bool:
        """Return whether a file of the archive has the content it was written with."""
        return self.digests.get(name) == digest(content)


def read_manifest(folder: Path) -> Manifest | None:
    """Read the manifest; None for early archives, which have none."""
    file = folder / MANIFEST
    if not file.is_file():
        return None
    try:
        content = json.loads(file.read_bytes())
        return Manifest(int(content["runs"]), dict(content["sha256"]))
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise UserError(f"{file} is damaged: fetch the archive again") from error


def read_member(folder: Path, name: str, manifest: Manifest | None) -> bytes:
    """Read a file of an archive; a ``UserError`` if it is not the one that was written."""
    file = folder / name
    try:
        content = file.read_bytes()
    except FileNotFoundError as error:
        raise UserError(f"{file} is missing: fetch the archive again") from error
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}: fetch the archive again") from error
    if manifest and not manifest.fits(name, content):
        raise UserError(
            f"{file} is damaged: it is not the file that {MANIFEST} describes: fetch the archive "
            "again"
        )
    return content


def digest(content: bytes) -> str:
    """Return the digest of a file, as the manifest has it."""
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True)
class ArchivedArrays:
    """Arrays of an archive; a run's key is its line in ``runs.csv``.

    Parameters
    ----------
    folder
        The archive.
    n_runs
        Lines of ``runs.csv``.
    manifest
        What the files must be; None for early archives.
    """

    folder: Path
    n_runs: int
    manifest: Manifest | None = None

    @property
    def unreadable(self) -> Sequence[Path]:
        """Nothing: an archive is read whole or refused."""
        return ()

    @cached_property
    def _predictions(self) -> dict[str, np.ndarray]:
        return self._read(PREDICTIONS)

    @cached_property
    def _curves(self) -> dict[str, np.ndarray]:
        return self._read(CURVES)

    @cached_property
    def _genes(self) -> dict[str, np.ndarray]:
        return self._read(GENES)

    def _read(self, name: str) -> dict[str, np.ndarray]:
        """Read a file; of those that not every archive has, nothing where it is missing."""
        known = self.manifest.digests if self.manifest else ()
        if name != PREDICTIONS and name not in known and not (self.folder / name).exists():
            return {}
        file, pieces = self.folder / name, _PIECES[name]
        wanted = [*pieces, *(part for parts in pieces.values() for part in parts)]
        arrays = self._unpack(name, [*wanted, *_ROWS.get(name, ())[:1]])
        if arrays["offset"].shape != (self.n_runs + 1,):
            raise UserError(
                f"{file} is not of the same runs as {self.folder / RUNS}: fetch the archive again"
            )
        if fault := _find_fault(name, arrays, self.n_runs):
            raise UserError(f"{file} is damaged ({fault} does not fit): fetch the archive again")
        return arrays

    def _unpack(self, name: str, wanted: Sequence[str]) -> dict[str, np.ndarray]:
        file, content = self.folder / name, read_member(self.folder, name, self.manifest)
        try:
            arrays = unpack_arrays(content, wanted)
        except ValueError as error:
            raise UserError(f"{file} is damaged ({error}): fetch the archive again") from error
        missing = [name for name in wanted if name not in arrays and not name.startswith(_NAMES)]
        if missing:
            raise UserError(f"{file} is damaged (no {missing[0]}): fetch the archive again")
        return arrays

    def read_predictions(self, run: int) -> Mapping[str, np.ndarray]:
        """Return ``test_index``, ``y_true``, ``y_pred`` (n,) and ``proba`` (n, C), or nothing."""
        content = self._predictions
        rows = _piece(content["offset"], run)
        if rows.start == rows.stop:
            return {}
        proba = content["proba"][_piece(content["proba_offset"], run)]
        return {
            **{name: content[name][rows] for name in ("test_index", "y_true", "y_pred")},
            "proba": proba.astype(np.float32).reshape(rows.stop - rows.start, -1),
        }

    def read_history(self, run: int) -> Mapping[str, np.ndarray]:
        """Return ``step``, ``train_loss`` and ``valid_loss``, equally long, or nothing."""
        content = self._curves
        rows = _piece(content["offset"], run) if content else slice(0, 0)
        if rows.start == rows.stop:
            return {}
        return {
            name: content[name][rows].astype(np.float32)
            for name in ("step", "train_loss", "valid_loss")
        }

    def read_importance_counts(self, run: int) -> np.ndarray | None:
        """Return how many features have a score in each bin, or None."""
        if not self._curves:
            return None
        counts = self._curves["importance_counts"][run]
        return counts if counts.any() else None

    def read_scores(self, run: int) -> FeatureScores | None:
        """Return the importance of the best features (the others' are NaN) and the selected."""
        content = self._genes
        if not content or not (width := int(content["width"][run])):
            return None
        rows = _piece(content["offset"], run)
        best, kept = content["best"][rows], content["score"][rows]
        # A run with fewer positive scores than are kept has no others.
        scores = np.full(width, np.nan if len(best) == BEST_KEPT else 0, dtype=np.float32)
        scores[best] = kept
        tied = _unpack_set(content, "tied", run, width)
        if tied is not None:
            scores[tied] = kept[-1]
        return FeatureScores(scores, _unpack_set(content, "selected", run, width))

    def read_names(self, checksum: str) -> np.ndarray | None:
        """Return the names of the features of a table, if the archive keeps them."""
        member = _NAMES + checksum
        if GENES not in (self.manifest.digests if self.manifest else ()):
            return None
        names = self._unpack(GENES, (member,)).get(member)
        if names is not None and (names.dtype.kind != "U" or names.ndim != 1):
            raise UserError(f"{self.folder / GENES} is damaged (names): fetch the archive again")
        return names


def _find_fault(name: str, arrays: Mapping[str, np.ndarray], n_runs: int) -> str | None:
    """Return an array of a file that cannot be one of so many runs, None if all can."""
    lengths = {}
    for offset, parts in _PIECES[name].items():
        ends = arrays[offset]
        if ends.dtype.kind != "i" or ends.shape != (n_runs + 1,):
            return offset
        lengths[offset] = np.diff(ends)
        if ends[0] != 0 or (lengths[offset] < 0).any():
            return offset
        for part, dtype in parts.items():
            array = arrays[part]
            if array.dtype.kind != np.dtype(dtype).kind or array.shape != (int(ends[-1]),):
                return part
    rows, shape = _ROWS.get(name, ("", ()))
    if rows and (arrays[rows].dtype.kind != "i" or arrays[rows].shape != (n_runs, *shape)):
        return rows
    if name == PREDICTIONS:
        n_classes, rest = np.divmod(lengths["proba_offset"], np.maximum(lengths["offset"], 1))
        return "proba" if rest.any() or n_classes[lengths["offset"] == 0].any() else None
    if name == GENES:
        width, n_best = arrays["width"], lengths["offset"]
        if ((arrays["best"] < 0) | (arrays["best"] >= np.repeat(width, n_best))).any():
            return "best"
        for part in ("tied", "selected"):
            n_bytes = lengths[f"{part}_offset"]
            if ((n_bytes > 0) & (n_bytes != -(-width // 8))).any():
                return part
        return "tied" if lengths["tied_offset"][n_best == 0].any() else None
    return None


def gather_predictions(index: Sequence[int], source: RunArrays) -> dict[str, np.ndarray]:
    """Return the predictions of runs, as the archive keeps them."""
    runs = [source.read_predictions(run) for run in index]
    return {
        "offset": _offsets(len(run.get("y_true", ())) for run in runs),
        "proba_offset": _offsets(run["proba"].size if run else 0 for run in runs),
        **{
            name: _join(runs, name, dtype)
            for parts in _PIECES[PREDICTIONS].values()
            for name, dtype in parts.items()
        },
    }


def gather_curves(index: Sequence[int], source: RunArrays) -> dict[str, np.ndarray]:
    """Return the loss curves and importance histograms of runs, as the archive keeps them."""
    runs = [source.read_history(run) for run in index]
    counts = np.zeros((len(index), len(IMPORTANCE_BINS) - 1), dtype=np.int32)
    for row, run in enumerate(index):
        found = source.read_importance_counts(run)
        if found is not None:
            counts[row] = found
    return {
        "offset": _offsets(len(run.get("step", ())) for run in runs),
        **{name: _join(runs, name, dtype) for name, dtype in _PIECES[CURVES]["offset"].items()},
        "importance_counts": counts,
    }


def gather_scores(index: Sequence[int], source: RunArrays) -> dict[str, np.ndarray]:
    """Return the selections and best scores of runs, as the archive keeps them."""
    nothing = np.empty(0, np.uint8)
    widths, best, kept, tied, selected = [], [], [], [], []
    for run in index:
        found = source.read_scores(run) or FeatureScores(np.empty(0, np.float32), None)
        first = rank_first(found.scores, BEST_KEPT)
        scores = found.scores[first]
        widths.append(len(found.scores))
        best.append(first)
        kept.append(scores)
        # Gates saturate: more features than are kept may share the best score, and those kept
        # would be the first of the table.
        equal = found.scores == scores[-1] if len(first) == BEST_KEPT else nothing
        tied.append(np.packbits(equal) if equal.sum() > (scores == scores[-1:]).sum() else nothing)
        chosen = found.selected
        selected.append(nothing if chosen is None else np.packbits(chosen))
    return {
        "width": np.array(widths, dtype=np.int32),
        "offset": _offsets(map(len, best)),
        "best": _concatenate(best, np.int32),
        "score": _concatenate(kept, np.float32),
        "tied_offset": _offsets(map(len, tied)),
        "tied": _concatenate(tied, np.uint8),
        "selected_offset": _offsets(map(len, selected)),
        "selected": _concatenate(selected, np.uint8),
    }


def _unpack_set(
    content: Mapping[str, np.ndarray], name: str, run: int, width: int
) -> np.ndarray | None:
    """Return (width,) which features are in a run's set, None if it has none."""
    bits = content[name][_piece(content[f"{name}_offset"], run)]
    return np.unpackbits(bits, count=width).astype(bool) if len(bits) else None


def gather_names(
    frame: pd.DataFrame, source: RunArrays, names: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Return the names of the features of tables, of those where they are known."""
    found = {}
    for checksum in sorted(set(frame["dataset_checksum"])):
        known = names.get(checksum)
        known = source.read_names(checksum) if known is None else known
        if known is not None:
            found[_NAMES + checksum] = np.asarray(known, dtype=np.str_)
    return found


def _join(runs: list[Mapping[str, np.ndarray]], name: str, dtype: Any) -> np.ndarray:
    return _concatenate([np.asarray(run[name]).ravel() for run in runs if run], dtype)


def _concatenate(parts: Sequence[np.ndarray], dtype: Any) -> np.ndarray:
    return np.concatenate(parts).astype(dtype) if parts else np.empty(0, dtype)


def _offsets(lengths: Iterable[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(list(lengths), dtype=np.int64)]).astype(np.int64)


def _piece(offset: np.ndarray, run: int) -> slice:
    return slice(int(offset[run]), int(offset[run + 1]))
