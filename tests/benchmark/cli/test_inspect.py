"""``wpfs-bench inspect``: what it shows, and that the command it ends with runs."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Counts of 6 genes in rows for 20 samples, a gene twice, and labels of 19 of them."""
    rng = np.random.default_rng(0)
    genes = pd.DataFrame(
        rng.poisson(300, (6, 20)),
        index=["A", "A", "C", "D", "E", "F"],
        columns=[f"S{i}q" for i in range(20)],
    )
    genes.to_csv(tmp_path / "counts.tsv", sep="\t")
    clinic = pd.DataFrame({"sample": genes.columns[:19], "arm": ["x", "y"] * 9 + ["x"]})
    clinic.to_csv(tmp_path / "clinic.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_a_target_its_candidates_are_shown(cli, files):
    answer = cli("inspect", "counts.tsv", "--labels", "clinic.csv")
    assert answer.code == 0
    assert "genes in rows" in answer.out
    assert "arm: x 10, y 9" in answer.out
    last = answer.out.splitlines()[-1].strip()
    assert last == "wpfs-bench inspect counts.tsv --labels clinic.csv --target COLUMN"


def test_the_command_it_ends_with_runs(cli, files):
    answer = cli("inspect", "counts.tsv", "--labels", "clinic.csv", "--target", "arm")
    assert answer.code == 0
    assert "raw counts" in answer.out
    assert "needs --duplicates first" in answer.out
    assert "needs --drop-unmatched" in answer.out
    command = next(line for line in answer.out.splitlines() if "wpfs-bench run" in line)
    words = shlex.split(command)[1:]
    words[words.index("-m") + 1] = "majority"
    ran = cli(*words, "--results", files / "runs", "--repeats", "1", "--folds", "3", "-q")
    assert ran.code == 0, ran.err


def test_json_holds_what_people_see(cli, files):
    answer = cli("inspect", "counts.tsv", "--labels", "clinic.csv", "--target", "arm", "--json")
    found = json.loads(answer.out)
    assert found["classes"] == {"x": 10, "y": 9}
    assert (found["n_samples"], found["n_features"]) == (19, 5)
    assert found["command"].startswith("wpfs-bench run -m ")
    assert set(found["needed"]) == {"duplicates first", "drop-unmatched"}


def test_nothing_is_written(cli, files):
    before = sorted(files.rglob("*"))
    cli("inspect", "counts.tsv", "--labels", "clinic.csv", "--target", "arm")
    assert sorted(files.rglob("*")) == before


def test_a_finding_is_shown_with_its_help(cli, files):
    table = pd.read_csv(files / "counts.tsv", sep="\t", index_col=0)
    table.loc["G"] = range(20)
    table.to_csv(files / "counts.tsv", sep="\t")
    answer = cli("inspect", "counts.tsv", "--labels", "clinic.csv", "--target", "arm")
    assert "stop id-column" in answer.out
    assert "name it with --id" in answer.out


@pytest.mark.realdata
def test_metabrics_clinical_tables_are_read_as_they_are(cli, mirror):
    answer = cli("inspect", mirror / "cbioportal_data_clinical_patient.txt")
    assert answer.code == 0
    assert "2509" in answer.out
    assert "comment lines" in answer.out
