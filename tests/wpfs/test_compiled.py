"""Machine code is made by one process and loaded by the others."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
from wpfs.compiled import compiled

@compiled
def double(x):
    return 2 * x

@compiled
def quadruple(x):
    return double(double(x))

assert quadruple(1.5) == 6.0
print(sum(sum(f.stats.cache_misses.values()) for f in (double, quadruple)))
"""


def count_compilations(processes: list[subprocess.Popen[str]]) -> list[int]:
    counts = [int(process.communicate()[0]) for process in processes]
    assert all(process.returncode == 0 for process in processes)
    return counts


def start(folder: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")}
    arguments = [sys.executable, str(folder / "program.py")]
    root = Path(__file__).parents[2]
    return subprocess.Popen(
        arguments,
        env=environment | {"PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
        text=True,
    )


def test_processes_that_start_together_compile_each_function_once(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    assert sum(count_compilations([start(tmp_path), start(tmp_path)])) == 2


def test_without_a_folder_for_it_everyone_compiles(tmp_path: Path) -> None:
    """The lock is a help, no condition."""
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "cache").write_text("in the way")
    assert count_compilations([start(tmp_path)]) == [2]
