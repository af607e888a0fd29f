"""The binary file a table is kept in, ready to load.

A zip of .npy arrays, as numpy writes it, plus ``meta.json``, which can be read without numpy.
It is written to a temporary name, synced and renamed, so it is whole or not there.
"""

import io
import json
import os
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmark.errors import UserError

if TYPE_CHECKING:
    from benchmark.datasets.record import Dataset

#: Raised when tables already on disk have to be made anew.
FORMAT = 1
_META = "meta.json"
_ARRAYS = ("X", "y", "feature_names", "sample_ids", "class_names")


def write_table(path: Path, dataset: "Dataset", fingerprint: str) -> None:
    """Write a data set; ``fingerprint`` says of which registry entry it was made."""
    import numpy as np

    meta = {
        "format": FORMAT,
        "fingerprint": fingerprint,
        "name": dataset.name,
        "checksum": dataset.checksum,
        "samples": dataset.n_samples,
        "features": dataset.n_features,
        "classes": dict(zip(dataset.class_names.tolist(), dataset.class_counts, strict=True)),
        "hyperparameters_of": dataset.hyperparameters_of,
        "stand_in_for": dataset.stand_in_for,
        "differences": list(dataset.differences),
        "provenance": dict(dataset.provenance),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as stream:
            with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
                arrays = [*_ARRAYS, *(["groups"] if dataset.groups is not None else [])]
                for name in arrays:
                    with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                        np.lib.format.write_array(member, getattr(dataset, name))
                archive.writestr(_META, json.dumps(meta, indent=1))
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def remove_leftovers(path: Path) -> None:
    """Remove temporary files of writers that were killed; call it with the table locked."""
    for leftover in path.parent.glob(f".{path.name}.*.tmp"):
        leftover.unlink(missing_ok=True)


def read_meta(path: Path, fingerprint: str) -> dict[str, Any] | None:
    """Return what is known of a table; None when there is none, or it is damaged or outdated."""
    try:
        with zipfile.ZipFile(path) as archive:
            meta = json.loads(archive.read(_META))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile):
        return None
    if meta.get("format") != FORMAT or meta.get("fingerprint") != fingerprint:
        return None
    return meta


def read_table(path: Path) -> "Dataset":
    """Read a data set back and check that its content is what was written."""
    import numpy as np

    from benchmark.datasets.record import Dataset

    try:
        with zipfile.ZipFile(path) as archive:
            meta = json.loads(archive.read(_META))
            arrays = {
                member.removesuffix(".npy"): np.load(
                    io.BytesIO(archive.read(member)), allow_pickle=False
                )
                for member in archive.namelist()
                if member.endswith(".npy")
            }
        dataset = Dataset(
            name=meta["name"],
            **arrays,
            hyperparameters_of=meta["hyperparameters_of"],
            stand_in_for=meta["stand_in_for"],
            differences=tuple(meta["differences"]),
            provenance=meta["provenance"],
        )
    except (OSError, KeyError, ValueError, TypeError, zipfile.BadZipFile) as error:
        raise UserError(_damaged(path, str(error))) from None
    if dataset.checksum != meta["checksum"]:
        raise UserError(_damaged(path, "its checksum does not match"))
    return dataset


def _damaged(path: Path, reason: str) -> str:
    return (
        f"{path} is damaged ({reason}), make it anew with `wpfs-bench download --force {path.stem}`"
    )
