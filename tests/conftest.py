"""What every test can ask for."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

# Tests never depend on the clock.
settings.register_profile("suite", deadline=None)
settings.load_profile("suite")


@pytest.fixture(scope="session")
def mirror() -> Path:
    """Return the folder of real files; skip where there is none."""
    folder = Path(
        os.environ.get("WPFS_BENCH_MIRROR") or Path(__file__).parents[2] / "shared" / "data"
    )
    if not (folder / "Prostate_GE.mat").is_file():
        pytest.skip(f"no real data in {folder}: set WPFS_BENCH_MIRROR")
    return folder


@dataclass(frozen=True)
class Answer:
    """Exit code, standard output and errors of a command."""

    code: int
    out: str
    err: str


@pytest.fixture
def cli(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Answer]:
    """Return a function that gives a command line to ``wpfs-bench`` in this process."""
    from benchmark.cli import main

    def call(*arguments: object, columns: int = 110) -> Answer:
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(sys, "argv", ["wpfs-bench", *(str(a) for a in arguments)])
        code = 0
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return call
