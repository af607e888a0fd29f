"""What the shell offers on Tab."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmark.plan.methods import read_method_cards
from benchmark.plan.studies import STUDIES

REGISTRY = """
datasets:
  cohort-a:
    title: Mine
    citation: me
    licence: free
    sources:
      - note: my disk
        loader: table
        files: [{name: mine.csv, urls: [mine.csv]}]
        target: outcome
"""


def ask(line):
    """Return the variables with which bash asks what may follow a line."""
    words = line.split(" ")
    return {
        "_WPFS_BENCH_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }


@pytest.fixture
def press_tab(cli, monkeypatch, tmp_path):
    """Return a function that gives what bash is offered at the end of a line."""
    monkeypatch.chdir(tmp_path)

    def call(line):
        for name, value in ask(line).items():
            monkeypatch.setenv(name, value)
        answer = cli()
        assert (answer.code, answer.err) == (0, "")
        return answer.out.split()

    return call


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("wpfs-bench run -d pro", ["prostate"]),
        ("wpfs-bench run -d prostate,to", ["prostate,toxicity"]),
        ("wpfs-bench run -d prostate,pro", []),
        ("wpfs-bench run --model linear", ["linear-svm"]),
        ("wpfs-bench run --study lam", ["lambda"]),
        ("wpfs-bench run --registry mine.yaml -d co", ["cohort-a"]),
        ("wpfs-bench run --registry missing.yaml -d pro", ["prostate"]),
        ("wpfs-bench report -d tox", ["toxicity"]),
        ("wpfs-bench report -m wp", ["wpfs"]),
        ("wpfs-bench report --table summ", ["summary"]),
        ("wpfs-bench report --against majo", ["majority"]),
        ("wpfs-bench datasets show tox", ["toxicity"]),
        ("wpfs-bench download tox", ["toxicity"]),
        ("wpfs-bench models show fsn", ["fsnet"]),
        ("wpfs-bench models check fsn", ["fsnet"]),
    ],
)
def test_names_are_completed(press_tab, tmp_path, line, offered):
    (tmp_path / "mine.yaml").write_text(REGISTRY)
    assert press_tab(line) == offered


def test_every_method_and_study_is_offered(press_tab):
    assert set(press_tab("wpfs-bench run -m ")) == {*read_method_cards(), "all", "paper"}
    assert press_tab("wpfs-bench run --study ") == list(STUDIES)


@pytest.mark.parametrize("line", ["wpfs-bench run -m wpf", "wpfs-bench run -d pro"])
def test_nothing_slow_is_imported_for_a_name(tmp_path, line):
    code = (
        "import sys\nfrom benchmark.cli import main\n"
        "try: main()\n"
        "finally: print([m for m in ('numpy', 'torch', 'sklearn', 'pandas') if m in sys.modules])"
    )
    root = Path(__file__).parents[3]
    answer = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, **ask(line), "PYTHONPATH": str(root)},
    )
    assert answer.stdout.split() == [{"m": "wpfs", "d": "prostate"}[line.split("-")[-1][0]], "[]"]
