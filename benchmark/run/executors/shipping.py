"""What a run needs on a machine that shares no files with this one: a table, a method's file."""

import hashlib
import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from baselines._shared.registry import is_path
from benchmark.datasets.dataset import Dataset
from benchmark.datasets.loading import DataSource, load_dataset
from benchmark.plan.jobs import Job

#: Of a data set: what splitting, fitting and scoring read, and the checksum covers.
_ARRAYS = ("X", "y", "feature_names", "sample_ids", "class_names", "groups")


@dataclass(frozen=True)
class ShippedTable(DataSource):
    """A table that another machine sent; ``path`` is that of its npz file."""

    path: Path = Path()

    def load(self) -> Dataset:
        """Load the data set."""
        with np.load(self.path, allow_pickle=False) as arrays:
            return Dataset(name=self.name, impute=self.impute, **arrays)


class Packer:
    """Makes jobs independent of this machine's files, each of which is read once.

    Parameters
    ----------
    keep
        Called once per file that jobs need, with its relative name and content.
    """

    def __init__(self, keep: Callable[[str, bytes], object]) -> None:
        self._keep = keep
        self._sources: dict[DataSource, ShippedTable] = {}
        self._methods: dict[str, str] = {}

    def pack(self, job: Job) -> Job:
        """Return the job with file names below the folder it is unpacked to."""
        if job.source not in self._sources:
            self._sources[job.source] = self._pack_table(load_dataset(job.source))
        if is_path(job.method) and job.method not in self._methods:
            self._methods[job.method] = self._pack_method(job.method)
        return replace(
            job,
            source=self._sources[job.source],
            method=self._methods.get(job.method, job.method),
        )

    def _pack_table(self, dataset: Dataset) -> ShippedTable:
        arrays = {name: getattr(dataset, name) for name in _ARRAYS}
        buffer = io.BytesIO()
        np.savez(buffer, **{name: a for name, a in arrays.items() if a is not None})
        name = f"tables/{dataset.checksum}.npz"
        self._keep(name, buffer.getvalue())
        return ShippedTable(name=dataset.name, impute=dataset.impute, path=Path(name))

    def _pack_method(self, reference: str) -> str:
        path, _, class_name = reference.rpartition(":")
        content = Path(path).read_bytes()
        name = f"methods/{hashlib.sha256(content).hexdigest()[:16]}/{Path(path).name}"
        self._keep(name, content)
        return f"{name}:{class_name}"


def list_files(job: Job) -> list[str]:
    """Return the names of the files a packed job needs."""
    table = [job.source.path.as_posix()] if isinstance(job.source, ShippedTable) else []
    return table + ([job.method.rpartition(":")[0]] if is_path(job.method) else [])


def unpack_job(job: Job, folder: Path) -> Job:
    """Return the packed job with the paths of its files, which are below a folder."""
    assert isinstance(job.source, ShippedTable)
    source = replace(job.source, path=folder / job.source.path)
    method = f"{folder / job.method}" if is_path(job.method) else job.method
    return replace(job, source=source, method=method)
