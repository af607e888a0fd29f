"""Reading the runs a report is made of, from a store or from an archive."""

from pathlib import Path

import pandas as pd

from benchmark.errors import UserError
from benchmark.report.archive import is_archive, read_archive
from benchmark.report.arrays import RunArrays, StoredArrays


def read_results(
    folder: Path, unreadable: list[Path] | None = None
) -> tuple[pd.DataFrame, RunArrays]:
    """Read all runs of a folder and where their arrays are.

    Parameters
    ----------
    folder
        A store (one JSON file per run) or an archive (``runs.csv`` and two npz files).
    unreadable
        Takes the records that cannot be read; without it the first of them is an error.

    Raises
    ------
    UserError
        If there is no run in it.
    """
    if is_archive(folder):
        return read_archive(folder)
    from benchmark.store import read_frame

    frame = read_frame(folder, unreadable)
    if frame.empty:
        state = "holds no runs" if folder.is_dir() else "does not exist"
        raise UserError(
            f"results folder {folder} {state}: start with `wpfs-bench run`, or name another "
            "with --results"
        )
    return frame, StoredArrays(frame)
