"""``wpfs-bench datasets``."""

import json

import pytest

from benchmark.datasets.cache import DataFolder
from benchmark.datasets.download import Fetcher
from benchmark.datasets.prepare import prepare
from benchmark.datasets.registry import read_registries


@pytest.fixture
def run(cli, monkeypatch, tmp_path):
    """Return a function that runs the command and gives exit code, output and errors."""
    monkeypatch.setenv("WPFS_BENCH_DATA", str(tmp_path / "data"))

    def execute(*arguments, columns=100):
        answer = cli("datasets", *arguments, columns=columns)
        return answer.code, answer.out, answer.err

    return execute


def test_the_table_fits_eighty_columns_with_one_line_each(run):
    code, out, _ = run(columns=80)
    assert code == 0
    lines = out.splitlines()
    assert max(map(len, lines[:-3])) <= 80
    for name in ("cll", "tcga-tumor-grade-standin", "synthetic"):
        assert sum(line.strip().startswith(name + " ") for line in lines) == 1
    assert "11/49/51" in out
    assert "1 of 22 ready" in out


def test_a_wide_terminal_shows_source_and_licence(run):
    _, out, _ = run(columns=140)
    assert "licence" in out
    assert "scikit-feature" in out
    assert "ODbL" in out


def test_json_has_everything(run):
    code, out, _ = run("--json")
    rows = {row["name"]: row for row in json.loads(out)}
    assert code == 0
    assert len(rows) == 22
    assert rows["lung"]["classes"] == {
        "adenocarcinoma": 139,
        "normal": 17,
        "squamous": 21,
        "carcinoid": 20,
    }
    assert rows["cll"]["state"] == "missing"
    assert rows["synthetic"]["state"] == "ready"
    assert rows["tcga-2ysurvival-standin"]["stand_in_for"] == "tcga-2ysurvival"
    assert all(row["citation"] and row["licence"] and row["source"] for row in rows.values())


def test_show_gives_citation_digests_and_addresses(run, tmp_path):
    code, out, _ = run("show", "metabric-dr")
    assert code == 0
    assert "Rueda et al." in out
    assert "no digest known: cannot be verified" in out
    assert "https://datahub.assets.cbioportal.org/brca_metabric.tar.gz" in out
    assert str(tmp_path / "data" / "raw" / "brca_metabric.tar.gz") in out
    assert "wpfs-bench download metabric-dr" in out


def test_show_a_stand_in_says_what_it_is_not(run):
    _, out, _ = run("show", "tcga-tumor-grade-standin")
    assert "tcga-tumor-grade (it is not the paper's table)" in out
    assert "G1 25, G2 124, G3 51" in out


def test_show_synthetic_names_its_parameters(run):
    _, out, _ = run("show", "synthetic")
    assert "samples, features, informative, classes, noise, seed" in out


def test_show_breaks_prose_at_eighty_columns_but_no_address(run):
    _, out, _ = run("show", "metabric-dr", columns=80)
    lines = out.splitlines()
    long = [line for line in lines if len(line) > 80]
    assert all(len(line.split()) == 1 for line in long)
    citation = next(i for i, line in enumerate(lines) if line.startswith("citation "))
    assert lines[citation + 1].startswith(" " * 14 + "breast")


def test_show_puts_all_values_in_one_column(run):
    _, out, _ = run("show", "synthetic", columns=80)
    assert all(line[13] == " " and line[14] != " " for line in out.splitlines())


def test_show_an_unknown_name_gives_the_nearest(run):
    code, _, err = run("show", "smoke")
    assert code == 2
    assert "did you mean 'smk'?" in err


@pytest.mark.realdata
def test_what_is_ready_is_shown_with_its_checksum(run, mirror, tmp_path):
    fetcher = Fetcher(DataFolder(tmp_path / "data"), [str(mirror)])
    for name in ("prostate", "tcga-2ysurvival-standin"):
        prepare(read_registries()[name], fetcher)
    _, out, _ = run()
    assert "3 of 22 ready" in out
    assert "stand-in" in out
    _, out, _ = run("show", "prostate", "--json")
    (row,) = json.loads(out)
    assert row["state"] == "ready"
    assert row["checksum"].startswith("beb6f719")
