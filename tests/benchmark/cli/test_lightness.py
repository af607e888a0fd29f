"""Commands import nothing slow that they do not need."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmark.plan.key import RunKey
from benchmark.results.store import Store

ROOT = Path(__file__).parents[3]

SLOW = ("torch", "sklearn", "scipy", "pandas", "numpy", "matplotlib", "lightgbm", "numba", "ray")

#: What a report must not wait for: scikit-learn alone takes longer to import than a report may.
SLOW_FOR_REPORTS = (
    *("torch", "sklearn", "scipy.stats", "baselines", "matplotlib", "lightgbm", "numba"),
)

#: What the reports that most people ask for need besides none of these.
SLOW_FOR_TEXT = (*SLOW_FOR_REPORTS, "jinja2")

PROBE = """
import json, sys
sys.argv = ["wpfs-bench", *json.loads(sys.argv[1])]
from benchmark.cli import main
try:
    main()
    code = 0
except SystemExit as stop:
    code = stop.code or 0
slow = [name for name in json.loads(sys.stdin.read()) if name in sys.modules]
print(json.dumps({"code": code, "slow": slow}), file=sys.stderr)
"""


def probe(arguments, slow, folder):
    """Return the exit code of a command and which of the slow modules it imported."""
    answer = subprocess.run(
        [sys.executable, "-c", PROBE, json.dumps(arguments)],
        input=json.dumps(slow),
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": "", "HOME": str(folder), "WPFS_BENCH_DATA": str(folder),
             "PYTHONPATH": str(ROOT)},
        cwd=folder,
    )  # fmt: skip
    return json.loads(answer.stderr.splitlines()[-1])


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["run", "--help"],
        ["download", "--help"],
        ["datasets"],
        ["datasets", "--json"],
        ["doctor", "--help"],
        ["status", "--results", "results"],
    ],
    ids=" ".join,
)
def test_commands_that_look_things_up_import_nothing_slow(arguments, tmp_path):
    key = RunKey("prostate", "abc", "knn", 1, "{}", repeat=0, fold=0)
    Store(tmp_path / "results").write(key, {"status": "ok"}, None)
    assert probe(arguments, SLOW, tmp_path) == {"code": 0, "slow": []}


@pytest.mark.parametrize(
    ("arguments", "slow"),
    [
        ([], SLOW_FOR_TEXT),
        (["--format", "csv"], SLOW_FOR_TEXT),
        (["--format", "markdown"], SLOW_FOR_TEXT),
        (["--format", "latex"], SLOW_FOR_TEXT),
        (["--table", "statistics"], SLOW_FOR_TEXT),
        (["--compare", "paper"], SLOW_FOR_TEXT),
        (["--format", "html", "--output", "report.html"], SLOW_FOR_REPORTS),
    ],
    ids=" ".join,
)
def test_reports_import_neither_methods_nor_what_they_need(arguments, slow, tmp_path):
    command = ["report", "--results", str(ROOT / "results" / "reference"), *arguments]
    assert probe(command, slow, tmp_path) == {"code": 0, "slow": []}


def test_genes_need_no_more_than_reports(tmp_path):
    key = RunKey("synthetic", "abc", "random-forest", 1, "{}", repeat=0, fold=0)
    record = {"status": "ok", "presets": ["paper"], "dataset_differences": [], "started": "now"}
    arrays = {"test_index": np.arange(30), "importances": np.arange(1000.0)}
    Store(tmp_path / "results").write(key, record, arrays)
    answer = probe(["genes", "--results", "results"], SLOW_FOR_TEXT, tmp_path)
    assert answer == {"code": 0, "slow": []}


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
