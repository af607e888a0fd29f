import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from baselines._shared import registry

Cli = Callable[..., Any]


def test_methods_are_listed_with_their_hyperparameters(cli: Cli) -> None:
    answer = cli("models")
    assert answer.code == 0
    assert "random-forest ●" in answer.out
    assert "max_depth=5 (3, 5, 7)" in " ".join(answer.out.split())


def test_json(cli: Cli) -> None:
    methods = {m["name"]: m for m in json.loads(cli("models", "--json").out)["methods"]}
    boosting = methods["lightgbm"]
    assert boosting["in_paper"]
    assert boosting["grid"] == {"learning_rate": [0.1, 0.01], "max_depth": [1, 2]}
    assert boosting["hyperparameters"]["patience"] == 100
    assert "random_state" not in boosting["hyperparameters"]
    assert boosting["paper"]["lung"]["max_depth"] == 1


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
    assert "unavailable: needs lightgbm" in answer.out
    assert "cannot be loaded: broken: ImportError: no" in answer.out


@pytest.mark.slow
def test_checking_a_method_of_ones_own(cli: Cli, methods_file: Path) -> None:
    answer = cli("models", "check", f"{methods_file}:NotANumber")
    assert answer.code == 1
    assert "✗ three-classes" in answer.out
    assert cli("models", "check", f"{methods_file}:Nothing").code == 2
