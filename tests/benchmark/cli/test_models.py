import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from baselines._shared import registry

Cli = Callable[..., Any]


def test_methods_are_listed_one_line_each(cli: Cli) -> None:
    answer = cli("models")
    assert answer.code == 0
    lines = {line.split()[0]: line.split() for line in answer.out.splitlines() if line.strip()}
    assert lines["fsnet"] == ["fsnet", "FsNet", "2020", "network", "genes", "yes", "yes"]
    assert lines["ridge"] == ["ridge", "Ridge", "1970", "linear", "yes"]


def test_one_method_is_shown_in_full(cli: Cli) -> None:
    text = " ".join(cli("models", "show", "fsnet").out.split())
    assert "arXiv:2001.08322" in text
    assert "learning_rate = 0.003 (0.001, 0.003)" in text
    assert "cll: embedding_size = 70" in text
    assert "in the paper's as FsNet; studies mirrored, fsnet" in text
    assert "prostate 1 min 06 s" in text.partition("median per run, one thread:")[2]


def test_a_method_of_ones_own_is_shown(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("from sklearn.svm import LinearSVC\n")
    text = " ".join(cli("models", "show", f"{path}:LinearSVC").out.split())
    assert "LinearSVC on z-scored features." in text
    assert "C = 1.0" in text
    assert "no reference run of it is here" in text


def test_an_unknown_method_is_not_shown(cli: Cli) -> None:
    assert cli("models", "show", "no-such").code == 2


def test_one_method_as_json(cli: Cli) -> None:
    row = json.loads(cli("models", "show", "lasso", "--json").out)
    assert row["kind"] == "linear"
    assert row["selects_genes"]
    assert len(row["reference_seconds"]["prostate"]) == 25


def test_json(cli: Cli) -> None:
    methods = {m["name"]: m for m in json.loads(cli("models", "--json").out)["methods"]}
    boosting = methods["lightgbm"]
    assert boosting["in_paper"]
    assert boosting["grid"] == {"learning_rate": [0.1, 0.01], "max_depth": [1, 2]}
    assert boosting["hyperparameters"]["patience"] == 100
    assert "random_state" not in boosting["hyperparameters"]
    assert boosting["paper_values"]["lung"]["max_depth"] == 1


def test_what_cannot_be_used_is_listed_with_the_reason(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = registry.find_catalogue()
    catalogue = registry.Catalogue(
        found.methods, {"lightgbm": "needs lightgbm", "broken": "ImportError: no"}
    )
    monkeypatch.setattr(registry, "find_catalogue", lambda: catalogue)
    answer = cli("models")
    assert answer.code == 0
    assert "lightgbm cannot run: needs lightgbm" in answer.out
    assert "cannot be loaded: broken: ImportError: no" in answer.out


@pytest.mark.slow
def test_checking_a_method_of_ones_own(cli: Cli, methods_file: Path) -> None:
    answer = cli("models", "check", f"{methods_file}:NotANumber")
    assert answer.code == 1
    assert "✗ three-classes" in answer.out
    assert cli("models", "check", f"{methods_file}:Nothing").code == 2


def test_checking_a_file_alone_says_what_to_write(cli: Cli) -> None:
    answer = cli("models", "check", "mine.py")
    assert answer.code == 2
    assert answer.err == "error: no method 'mine.py': write mine.py:ClassName for a class of it\n"


@pytest.mark.parametrize("command", ["models check {}", "models show {}", "run -m {} -d synthetic"])
@pytest.mark.parametrize("name", ["sklearn.svm:LinearSVC", "sklearn.svm.LinearSVC"])
def test_a_class_of_a_package_needs_a_file(cli: Cli, command: str, name: str) -> None:
    answer = cli(*command.format(name).split())
    assert answer.code == 2
    assert answer.err == (
        f"error: no method '{name}': import the class in a file of yours and write "
        "path/to/file.py:ClassName\n"
    )
