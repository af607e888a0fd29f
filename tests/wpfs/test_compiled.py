"""Machine code is made by one process and loaded by the others."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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


def start(folder: Path, program: str = PROGRAM, **variables: str) -> subprocess.Popen[str]:
    (folder / "program.py").write_text(program)
    root = Path(__file__).parents[2]
    return subprocess.Popen(
        [sys.executable, str(folder / "program.py")],
        env=os.environ
        | {"NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": str(root)}
        | variables,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_processes_that_start_together_compile_each_function_once(tmp_path: Path) -> None:
    assert sum(count_compilations([start(tmp_path), start(tmp_path)])) == 2


def test_without_a_folder_to_write_in_everyone_compiles(tmp_path: Path) -> None:
    """The cache is a help, no condition."""
    for name in ("cache", "__pycache__", "home"):  # wherever numba looks
        (tmp_path / name).write_text("in the way")
    home = str(tmp_path / "home")
    # Without the cache numba counts no misses.
    program = PROGRAM.split("print", maxsplit=1)[0] + "print(0)"
    process = start(tmp_path, program, HOME=home, XDG_CACHE_HOME=home)
    assert count_compilations([process]) == [0]


@pytest.mark.parametrize(("suffix", "size"), [(".nbi", 0), (".nbc", 60)])
def test_damaged_files_are_compiled_again_and_replaced(
    tmp_path: Path, suffix: str, size: int
) -> None:
    """As a full disk or a power cut leaves them."""
    count_compilations([start(tmp_path)])
    damaged = list(tmp_path.glob(f"cache/*/*{suffix}"))
    assert len(damaged) == 2
    for path in damaged:
        os.truncate(path, size)
    assert sum(count_compilations([start(tmp_path)])) > 0
    assert count_compilations([start(tmp_path)]) == [0]


INTERRUPTED = """
from wpfs.compiled import _locks, compiled

@compiled
def double(x):
    return 2 * x

def interrupt(*_):
    assert [lock.is_locked for lock in _locks.values()] == [True]
    raise KeyboardInterrupt

double._compiler.compile = interrupt
try:
    double(1.5)
except KeyboardInterrupt:
    print(sum(lock.is_locked for lock in _locks.values()))
"""


def test_an_interrupted_compilation_holds_nobody_up(tmp_path: Path) -> None:
    assert count_compilations([start(tmp_path, INTERRUPTED)]) == [0]


IMPORTING = """
from constants import SIZE
from wpfs.compiled import compiled

@compiled
def enlarge(x):
    return x + SIZE

print(enlarge(0))
"""


def test_a_constant_of_another_file_is_not_kept_when_it_changes(tmp_path: Path) -> None:
    path = os.pathsep.join((str(tmp_path), str(Path(__file__).parents[2])))
    for size in (512, 1024):
        (tmp_path / "constants.py").write_text(f"SIZE = {size}")
        process = start(tmp_path, IMPORTING, PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1")
        assert process.communicate()[0].strip() == str(size)
