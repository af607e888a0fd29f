"""Where a data set comes from, as a plain value that workers can be sent."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmark.datasets import Dataset


@dataclass(frozen=True)
class DataSource:
    """What to load.

    Parameters
    ----------
    name
        As ``benchmark.datasets.load`` takes it; for a file the name its results go by, or ""
        for the file's own.
    file
        The user's own table, None for a data set of a registry.
    target, id_column, groups
        Columns of the user's table.
    data_dir, registries, transform, impute
        Passed to the loader.
    """

    name: str
    file: Path | None = None
    target: str | None = None
    id_column: str | None = None
    groups: str | None = None
    data_dir: Path | None = None
    registries: tuple[Path, ...] = ()
    transform: str | None = None
    impute: str | None = None

    def load(self) -> "Dataset":
        """Load the data set."""
        from benchmark import datasets

        if self.file is not None:
            return datasets.load_file(
                self.file,
                target=self.target,
                id_column=self.id_column,
                name=self.name or None,
                groups=self.groups,
                transform=self.transform,
                impute=self.impute,
                registries=self.registries,
            )
        return datasets.load(
            self.name,
            data_dir=self.data_dir,
            registries=self.registries,
            transform=self.transform,
            impute=self.impute,
        )
