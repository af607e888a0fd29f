"""docs/add-a-method.md, carried out from its first block to its last."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "add-a-method.md"


@pytest.mark.slow
def test_the_page_does_what_it_says(
    cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answers = {}
    for language, text in re.findall(r"```(\w+)\n(.*?)```", PAGE.read_text(), re.DOTALL):
        if language == "python":
            path = Path(text.splitlines()[0].removeprefix("# "))
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            continue
        for command in text.splitlines():
            program, *arguments = shlex.split(command)
            assert program == "wpfs-bench"
            answers[command] = cli(*arguments)
            assert answers[command].code == 0, (command, answers[command].out)
    first, last = (answer.out for command, answer in answers.items() if " report " in command)
    score = r" +[\d.]+ \(n=5\)"
    assert re.search(rf"synthetic{score * 2}", first)
    assert re.search(rf"synthetic{score * 3}", last)
