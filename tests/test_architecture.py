"""Which package may import which: a row per package, whatever is not listed is forbidden."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

TOP = ("wpfs", "baselines", "benchmark")

#: Package, or room of ``benchmark`` -> those it may import, anywhere in a file: lazily and for type
#: checkers, too. ``benchmark`` stands for its own modules, which all its rooms may import.
ALLOWED: dict[str, set[str]] = {
    "wpfs": set(),
    "baselines": {"wpfs"},
    "benchmark": set(),
    "datasets": set(),
    "plan": {"baselines", "datasets"},
    "run": {"wpfs", "baselines", "datasets", "plan"},
    "results": {"plan", "run"},
    "genes": {"datasets", "plan", "run", "results"},
    "report": {"datasets", "plan", "run", "results", "genes"},
    "models": {"baselines", "datasets", "plan", "run", "results", "genes", "report"},
    "speed": {"wpfs", "baselines", "datasets", "plan", "run", "results", "report"},
    "cli": {"baselines", "datasets", "plan", "run", "results", "genes", "report", "models"}
    | {"speed"},
}

#: Libraries that no file of these rooms may import: their commands start without.
LIGHT = {"results", "genes", "report"}
HEAVY = {"torch", "sklearn", "lightgbm", "numba"}


def find_package(module: str) -> str | None:
    """Return the key of the table a module belongs to, None if it is another project's."""
    top, _, rest = module.partition(".")
    if top not in TOP:
        return None
    if top != "benchmark" or not rest:
        return top
    room = rest.partition(".")[0]
    if room == "__main__":
        return "cli"
    return room if (ROOT / top / room).is_dir() else top


def list_imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and module of every import, wherever it stands; relative ones made absolute."""
    module = path.relative_to(ROOT).with_suffix("").parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = [*module[: -node.level]] if node.level else []
            name = ".".join([*base, *([node.module] if node.module else [])])
            # ``from benchmark import report`` imports a package, too.
            yield from ((node.lineno, f"{name}.{alias.name}") for alias in node.names)


def list_violations(path: Path) -> Iterator[str]:
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    package = find_package(module)
    if package not in ALLOWED:
        yield f"{path}: {package} is not in the table"
        return
    allowed = {package, *ALLOWED[package], *(set() if package in TOP else {"benchmark"})}
    for line, name in list_imports(path):
        target = find_package(name)
        heavy = package in LIGHT and name.partition(".")[0] in HEAVY
        if heavy or (target is not None and target not in allowed):
            yield f"{path}:{line}: {package} imports {name}"


def test_packages_import_only_what_the_table_allows() -> None:
    files = [path for top in TOP for path in (ROOT / top).rglob("*.py")]
    violations = [violation for path in files for violation in list_violations(path)]
    assert not violations, "\n".join(violations)


@pytest.mark.parametrize(
    ("path", "line", "found"),
    [
        ("wpfs/x.py", "from benchmark import errors", True),
        ("benchmark/report/x.py", "def f():\n    from baselines.mlp import MLP", True),
        ("benchmark/report/x.py", "import sklearn.svm", True),
        ("benchmark/results/x.py", "from ..report import table", True),
        ("benchmark/new_room/x.py", "", True),
        ("benchmark/run/x.py", "import sklearn.svm, torch", False),
        ("benchmark/text.py", "from benchmark.errors import UserError", False),
        ("benchmark/report/x.py", "from benchmark.run.metrics import METRICS", False),
    ],
)
def test_violations_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, line: str, found: bool
) -> None:
    for room in (*TOP, *(f"benchmark/{room}" for room in ALLOWED if room not in TOP)):
        (tmp_path / room).mkdir()
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    file = tmp_path / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(line)
    assert bool(list(list_violations(file))) is found
