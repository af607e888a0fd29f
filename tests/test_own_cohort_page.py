"""docs/own-cohort.md: every command and the Python example run, on the files it names."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[1] / "docs" / "own-cohort.md").read_text(encoding="utf-8")
COMMANDS = [
    line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) for line in block.splitlines()
]
(PYTHON,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)


@pytest.mark.realdata
@pytest.mark.slow
def test_the_page_leads_from_two_files_to_a_ranked_table(cli, mirror, tmp_path, monkeypatch):
    for name in ("exprBC.rda", "samplesBC.rda"):
        shutil.copy(mirror / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    assert len(COMMANDS) < 10
    printed = ""
    for command in COMMANDS:
        program, *arguments = shlex.split(command)
        assert program == "wpfs-bench"
        answer = cli(*arguments)
        assert answer.code == 0, answer.err
        printed += answer.out
    assert "target?" in printed
    assert "--data exprBC.rda --labels samplesBC.rda --target pam50_subtype" in printed
    assert re.search(r"random-forest .*\d\d\.\d\d", printed)
    assert (tmp_path / "basal.html").stat().st_size > 10_000
    scope: dict = {}
    exec(PYTHON, scope)
    assert scope["dataset"].class_counts == (337, 63)


def test_every_finding_has_its_row():
    source = Path(__file__).parents[1] / "benchmark" / "datasets" / "own_table" / "findings.py"
    codes = set(re.findall(r'Finding\(\s*"([a-z0-9-]+)"', source.read_text(encoding="utf-8")))
    assert codes == set(re.findall(r"^\| `([a-z0-9-]+)` \|", PAGE, re.M))
