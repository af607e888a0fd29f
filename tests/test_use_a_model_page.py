"""docs/use-a-model.md: every command runs on the files it names, and the numbers are its."""

import re
import shlex
import shutil
from pathlib import Path

import pandas as pd
import pytest

PAGE = (Path(__file__).parents[1] / "docs" / "use-a-model.md").read_text(encoding="utf-8")
COMMANDS = [
    line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) for line in block.splitlines()
]


@pytest.mark.realdata
@pytest.mark.slow
def test_the_page_leads_from_a_cohort_to_predictions_on_another(cli, mirror, tmp_path, monkeypatch):
    for name in ("exprBC.rda", "samplesBC.rda"):
        shutil.copy(mirror / name, tmp_path / name)
    metabric = tmp_path / "metabric.csv.gz"
    shutil.copy(mirror / "metabric_mrna_zscores_1559x300.csv.gz", metabric)
    monkeypatch.chdir(tmp_path)
    assert len(COMMANDS) == 4
    plain = re.search(r"`-m elastic-net (--set .*?)`", PAGE)[1]
    external = COMMANDS[0].replace("elastic-net,linear-svm", f"elastic-net {plain}")
    printed = ""
    for command in (external, *COMMANDS[1:]):
        program, *arguments = shlex.split(command)
        assert program == "wpfs-bench"
        answer = cli(*arguments, columns=140)
        assert answer.code == 0, answer.err
        printed += answer.out + answer.err
    assert "195 shared genes" in printed
    row = re.search(r"elastic-net +(\d\d\.\d) .*?(\d\d\.\d) \(", printed)
    claimed = re.search(r"balanced accuracy of ([\d.]+)% and an AUROC of ([\d.]+)%", PAGE)
    assert claimed.groups() == row.groups()
    assert (tmp_path / "calibration.png").stat().st_size > 10_000
    assert "195 of the model's 195 genes found" in printed
    truth = pd.read_csv(metabric)["subtype"].eq("Basal")
    found = pd.read_csv("classes.csv")
    assert list(found.columns) == ["sample", "class", "p(not Basal)", "p(Basal)"]
    assert found["class"].eq("Basal").groupby(truth).mean().loc[True] > 0.8


def test_the_page_names_every_kind_of_file_and_what_cannot_be_kept():
    from baselines._shared import portable
    from baselines._shared.registry import discover

    for suffix in portable._FORMS:
        assert f"{suffix}`" in PAGE
    for method in discover().values():
        if getattr(method.estimator, "not_portable", None) is not None:
            assert method.title in PAGE
