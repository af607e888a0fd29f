"""Commands that only look things up import nothing slow."""

import json
import subprocess
import sys

import pytest

SLOW = ("torch", "sklearn", "scipy", "pandas", "numpy", "matplotlib", "lightgbm", "numba", "ray")

PROBE = """
import json, sys
sys.argv = ["wpfs-bench", *json.loads(sys.argv[1])]
from benchmark.cli import main
try:
    main()
except SystemExit as stop:
    code = stop.code
slow = [name for name in json.loads(sys.stdin.read()) if name in sys.modules]
print(json.dumps({"code": code, "slow": slow}), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["download", "--help"],
        ["datasets"],
        ["datasets", "--json"],
        ["doctor", "--help"],
    ],
    ids=" ".join,
)
def test_nothing_slow_is_imported(arguments, tmp_path):
    answer = subprocess.run(
        [sys.executable, "-c", PROBE, json.dumps(arguments)],
        input=json.dumps(SLOW),
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": "", "HOME": str(tmp_path), "WPFS_BENCH_DATA": str(tmp_path)},
        cwd=tmp_path,
    )
    assert json.loads(answer.stderr.splitlines()[-1]) == {"code": 0, "slow": []}


def test_known_names_need_no_numpy(tmp_path):
    code = (
        "import sys; from benchmark.datasets.registry import known_names as names;"
        "print(len(names()));"
        "sys.exit(any(name in sys.modules for name in ('numpy', 'pandas', 'torch')))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert answer.stdout.strip() == "22"
