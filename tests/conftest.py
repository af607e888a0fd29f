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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give slow tests to whichever process is free, first of all; keep other modules together."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
    for item in items:
        if item.get_closest_marker("slow") is None:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
