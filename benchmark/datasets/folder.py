"""The data folder: where raw files, tables and locks are."""

import os
from dataclasses import dataclass
from pathlib import Path

from benchmark.errors import UserError

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
