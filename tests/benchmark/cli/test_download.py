"""``wpfs-bench download``: what is printed, and the exit code."""

import pytest

from benchmark.datasets.download import Reachability

FOUR = ["prostate", "toxicity", "tcga-2ysurvival-standin", "tcga-tumor-grade-standin"]


@pytest.fixture
def run(cli, monkeypatch, tmp_path):
    """Return a function that runs the command and gives exit code, output and errors."""
    monkeypatch.delenv("WPFS_BENCH_MIRROR", raising=False)
    monkeypatch.setenv("WPFS_BENCH_DATA", str(tmp_path / "data"))

    def execute(*arguments):
        answer = cli("download", *arguments, columns=100)
        return answer.code, answer.out, answer.err

    return execute


@pytest.fixture
def no_network(monkeypatch):
    """Make every host unreachable, as on a machine without network."""
    monkeypatch.setattr(Reachability, "problem", lambda self, url: "name not resolved")


@pytest.mark.realdata
def test_a_mirror_folder_makes_four_ready_and_a_second_run_does_nothing(run, mirror, tmp_path):
    code, out, _ = run(*FOUR, "--mirror", mirror)
    assert code == 0
    assert str(tmp_path / "data") in out
    assert "prostate: 102 x 5966, classes 50 / 52" in out
    assert "toxicity: 171 x 5748, classes 45 / 45 / 39 / 42" in out
    assert "differs from the paper: 153 of the paper's 200 patients" in out
    written = {p: p.stat().st_mtime_ns for p in (tmp_path / "data").rglob("*") if p.is_file()}
    code, out, _ = run(*FOUR, "--mirror", mirror)
    assert code == 0
    assert out.count("already there") == 4
    assert written == {
        p: p.stat().st_mtime_ns for p in (tmp_path / "data").rglob("*") if p.is_file()
    }


@pytest.mark.realdata
def test_a_collection_is_downloaded_by_its_name(run, mirror):
    code, out, _ = run("more", "--mirror", mirror)
    assert code == 0
    assert out.count("ready   ") == 10
    assert "scanb-basal: 200 x 3026, classes 169 / 31" in out


@pytest.mark.realdata
def test_the_mirror_may_come_from_the_environment(run, mirror, monkeypatch):
    monkeypatch.setenv("WPFS_BENCH_MIRROR", str(mirror))
    code, out, _ = run("prostate")
    assert code == 0
    assert "ready" in out


@pytest.mark.realdata
def test_some_fail_and_the_others_are_kept(run, mirror, no_network):
    code, out, _ = run("cll", "prostate", "--mirror", mirror)
    assert code == 1
    assert "ready   prostate" in out
    assert "failed  cll: " in out
    assert "CLL_SUB_111.mat" in out


def test_without_network_there_is_one_line_per_data_set(run, no_network, tmp_path):
    code, out, err = run()
    failed = [line for line in out.splitlines() if line.startswith("failed")]
    assert code == 1
    assert len(failed) == 9
    assert all("name not resolved" in line and "place by hand" in line for line in failed)
    assert f"9 of 9 failed. To place a file by hand, save it in {tmp_path / 'data' / 'raw'}" in out
    assert err == ""
    assert not list((tmp_path / "data" / "raw").iterdir())


def test_an_unknown_name_is_a_mistake(run):
    code, _, err = run("prostat")
    assert code == 2
    assert "did you mean 'prostate'?" in err
    assert err.count("\n") == 1


def test_a_mirror_that_is_nothing_is_a_mistake(run):
    code, _, err = run("prostate", "--mirror", "/no/such/folder")
    assert code == 2
    assert "neither a folder nor an http(s) address" in err


def test_own_registry_with_a_local_file(run, tmp_path):
    rows = "\n".join(f"s{i},{i},{i % 3},{'yes' if i % 2 else 'no'}" for i in range(20))
    (tmp_path / "mine.csv").write_text(f"id,a,b,outcome\n{rows}\n")
    (tmp_path / "mine.yaml").write_text(
        """
datasets:
  mine:
    title: Mine
    citation: me
    licence: free
    sources:
      - note: my disk
        loader: table
        files: [{name: mine.csv, urls: [mine.csv]}]
        id: id
        target: outcome
"""
    )
    code, out, _ = run("mine", "--registry", tmp_path / "mine.yaml")
    assert code == 0, out
    assert "mine: 20 x 2, classes 10 / 10" in out


def test_a_data_folder_that_cannot_be_made_is_explained(run, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = run("prostate", "--data-dir", tmp_path / "file" / "below")
    assert code == 2
    assert "choose another folder with --data-dir" in err


def test_the_help_of_force_says_what_is_kept(run):
    _, out, _ = run("--help")
    assert "verified raw files are kept" in " ".join(out.replace("│", " ").split())


def test_a_wrong_file_placed_by_hand_is_mentioned(run, no_network, tmp_path):
    raw = tmp_path / "data" / "raw"
    raw.mkdir(parents=True)
    (raw / "Prostate_GE.mat").write_bytes(b"another file")
    code, out, _ = run("prostate")
    assert code == 1
    assert "failed  prostate: raw folder: Prostate_GE.mat has the wrong content" in out


def test_nothing_to_do_for_the_built_in_data_set(run):
    code, out, _ = run("synthetic")
    assert code == 0
    assert "Data folder" in out
