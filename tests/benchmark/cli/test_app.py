"""Errors become one line and an exit code."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmark.results import status

Cli = Callable[..., Any]

MAIN = "from benchmark.cli import main; main()"


def make_error() -> Exception:
    error = ValueError("two\nlines, " + "long " * 200)
    error.__cause__ = OSError(13, "Permission denied", "/somewhere/runs.csv")
    return error


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (KeyError("fold"), "error: KeyError: 'fold' (unexpected; --debug shows where)"),
        (
            OSError(13, "Permission denied", "/somewhere/r0.json"),
            "error: PermissionError: [Errno 13] Permission denied: '/somewhere/r0.json' "
            "(unexpected; --debug shows where)",
        ),
        (make_error(), "..., in /somewhere/runs.csv (unexpected; --debug shows where)"),
    ],
)
def test_unexpected_errors_have_a_code_of_their_own_and_name_the_file(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, line: str
) -> None:
    def fail(_: Path) -> None:
        raise error

    monkeypatch.setattr(status, "count_runs", fail)
    answer = cli("status", "--results", tmp_path)
    assert answer.code == 70
    assert answer.err.endswith(line + "\n")
    assert answer.err.count("\n") == 1
    assert len(answer.err) < 450


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("> /dev/full", "cannot write to the standard output: No space left on device"),
        (">&-", "standard output is closed: give it a file"),
    ],
)
def test_output_that_cannot_be_written_is_one_line(
    tmp_path: Path, where: str, message: str
) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -c "$1" status --results "$2" {where}',
         sys.executable, MAIN, tmp_path],
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {message}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "code"), [(["--help"], 0), (["status", "--results", "-"], 2)]
)
def test_a_process_ends_at_once_with_its_exit_code_and_nothing_is_lost(
    tmp_path: Path, arguments: list[str], code: int
) -> None:
    program = (
        "import atexit, sys; atexit.register(print, 'last'); from benchmark.cli import run_process;"
        f" sys.argv = ['wpfs-bench', *{arguments}]; run_process(); print('never')"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True
    )
    assert ended.returncode == code
    assert ended.stdout.endswith("last\n")
    assert ("Usage" in ended.stdout) is (code == 0)
    assert ("there is no folder" in ended.stderr) is (code == 2)
