"""What every test can ask for."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def mirror() -> Path:
    """Return the folder of real files; skip where there is none."""
    folder = Path(
        os.environ.get("WPFS_BENCH_MIRROR") or Path(__file__).parents[2] / "shared" / "data"
    )
    if not (folder / "Prostate_GE.mat").is_file():
        pytest.skip(f"no real data in {folder}: set WPFS_BENCH_MIRROR")
    return folder
