"""Importing methods is cheap, and no method knows of another."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import baselines
from baselines._shared.registry import discover

FOLDER = Path(baselines.__file__).parent
HEAVY = ("torch", "numba", "lightgbm", "lassonet", "pytorch_tabnet", "xgboost", "tabpfn")


def test_finding_the_methods_imports_nothing_heavy():
    code = (
        f"import sys\n"
        f"from baselines._shared.registry import discover\n"
        f"assert 'tabnet' in discover()\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_no_method_imports_another(path: Path):
    method_files = {
        Path(sys.modules[m.estimator.__module__].__file__ or "").stem for m in discover().values()
    } - {path.stem}
    tree = ast.parse(path.read_text())
    imported = {
        node.module.removeprefix("baselines.")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("baselines.")
    }
    assert imported & method_files == set()


def test_every_method_is_cited():
    assert all(method.reference and method.title for method in discover().values())


def test_the_methods_cover_the_columns_of_the_papers_table_and_no_others():
    paper = yaml.safe_load((FOLDER.parent / "results" / "paper.yaml").read_text())
    columns = {method.paper_column for method in discover().values() if method.paper_column}
    assert columns == set(paper["methods"])
