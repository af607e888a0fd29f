"""The data folder: its paths, the files that tables are kept in, and which tables are ready.

Listing what is ready reads a few hundred bytes per table and imports no numpy.
"""

import io
import json
import os
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from benchmark.datasets.names import SYNTHETIC, parse_sample, parse_transform
from benchmark.datasets.registry import Entry, find_entry
from benchmark.errors import UserError
from benchmark.files import write_atomically

if TYPE_CHECKING:
    from benchmark.datasets.dataset import Dataset


VARIABLE = "WPFS_BENCH_DATA"


@dataclass(frozen=True)
class DataFolder:
    """Paths inside the data folder; nothing is created until it is written to."""

    root: Path

    def raw(self, file_name: str) -> Path:
        """Return where a file is kept as it was published."""
        return self.root / "raw" / file_name

    def table(self, dataset: str) -> Path:
        """Return where a data set's table is kept, ready to load."""
        return self.root / "tables" / f"{dataset}.npz"

    def lock(self, what: str) -> Path:
        """Return the lock file that guards one raw file or table; its folder is created."""
        path = self.root / "locks" / f"{what}.lock"
        self.create(path.parent)
        return path

    def create(self, folder: Path) -> None:
        """Make a folder of the data folder."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                f"cannot create {folder} ({error.strerror}), choose another folder with "
                f"--data-dir or {VARIABLE}"
            ) from None


def find_data_folder(option: Path | None = None) -> DataFolder:
    """Return the folder named by the option, else by the environment, else the platform's."""
    chosen = option or os.environ.get(VARIABLE)
    if chosen:
        return DataFolder(Path(chosen).expanduser().absolute())
    import platformdirs

    return DataFolder(platformdirs.user_data_path("wpfs-bench", appauthor=False))


#: Raised when tables already on disk have to be rebuilt.
FORMAT = 1

_META = "meta.json"


def write_table(path: Path, dataset: "Dataset", fingerprint: str) -> None:
    """Write a data set; ``fingerprint`` says of which registry entry it was made."""
    import numpy as np

    meta = {
        "format": FORMAT,
        "fingerprint": fingerprint,
        "checksum": dataset.checksum,
        "samples": dataset.n_samples,
        "features": dataset.n_features,
        "classes": dict(zip(dataset.class_names.tolist(), dataset.class_counts, strict=True)),
        "differences": list(dataset.differences),
        "provenance": dict(dataset.provenance),
    }
    arrays = ["X", "y", "feature_names", "sample_ids", "class_names"]
    if dataset.groups is not None:
        arrays.append("groups")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in arrays:
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, getattr(dataset, name))
        archive.writestr(_META, json.dumps(meta, indent=1))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, buffer.getvalue())


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


def read_stored_table(
    path: Path, entry: Entry, impute: str | None = None, data_dir: Path | None = None
) -> "Dataset":
    """Read the table of an entry back and check that its content is what was written.

    What can change without another table is taken from the entry: whose hyper-parameters apply,
    and what it stands in for. ``data_dir`` is for the command that rebuilds a damaged one.
    """
    import numpy as np

    from benchmark.datasets.dataset import Dataset

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
            name=entry.name,
            **arrays,
            hyperparameters_of=entry.hyperparameters_of or entry.name,
            stand_in_for=entry.stand_in_for,
            differences=tuple(meta["differences"]),
            impute=impute,
            provenance=meta["provenance"],
        )
        damage = "" if dataset.checksum == meta["checksum"] else "its checksum does not match"
    except (OSError, KeyError, ValueError, TypeError, zipfile.BadZipFile) as error:
        damage = str(error)
    if damage:
        chosen = f" --data-dir {data_dir}" if data_dir else ""
        raise UserError(
            f"{path} is damaged ({damage}), rebuild it with "
            f"`wpfs-bench download --force {entry.name}{chosen}`"
        )
    return dataset


@dataclass(frozen=True)
class State:
    """Whether a data set can be loaded; ``differs``: yes, but not quite the expected table."""

    kind: Literal["ready", "differs", "missing"]
    meta: dict[str, Any] = field(default_factory=dict)

    @property
    def ready(self) -> bool:
        """Whether it can be loaded."""
        return self.kind != "missing"


def find_state(entry: Entry, folder: DataFolder) -> State:
    """Return the state of a data set in the data folder."""
    meta = read_meta(folder.table(entry.name), entry.fingerprint)
    if meta is None:
        return State("missing")
    return State("differs" if meta["differences"] else "ready", meta)


def check_ready(
    names: Iterable[str], data_dir: Path | None = None, registries: Sequence[Path] = ()
) -> None:
    """Raise one ``UserError`` that names every data set ``load`` could not load.

    Parameters
    ----------
    names
        As ``load`` takes them: with sample sizes and transforms, and ``synthetic``, too.
    data_dir, registries
        As for ``load``.
    """
    folder = find_data_folder(data_dir)
    bases = dict.fromkeys(
        parse_sample(base)[0]
        for base in (parse_transform(name)[0] for name in names)
        if base.partition(":")[0] != SYNTHETIC
    )
    entries = [find_entry(base, registries) for base in bases]
    missing = [entry for entry in entries if not find_state(entry, folder).ready]
    if not missing:
        return
    homes = {entry.registry for entry in missing}
    words = ["wpfs-bench download", *(entry.name for entry in missing)]
    words += [f"--registry {path}" for path in registries if Path(path) in homes]
    words += [f"--data-dir {data_dir}"] if data_dir else []
    what = (
        f"data set {missing[0].name!r} is" if len(missing) == 1 else f"{len(missing)} data sets are"
    )
    raise UserError(f"{what} not ready in {folder.root}, run `{' '.join(words)}`")
