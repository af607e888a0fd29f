"""``wpfs-bench doctor``."""

import pytest

from benchmark.datasets.download import Reachability


@pytest.fixture
def run(cli, monkeypatch):
    """Return a function that runs the command and gives what it prints."""
    monkeypatch.delenv("WPFS_BENCH_MIRROR", raising=False)
    monkeypatch.setattr(
        Reachability, "problem", lambda self, url: "refused" if "springer" in url else None
    )

    def execute(*arguments, columns):
        answer = cli("doctor", *arguments, columns=columns)
        assert answer.code == 0
        return answer.out

    return execute


def test_it_shows_versions_machine_data_and_mirrors(run, tmp_path):
    out = run("--data-dir", tmp_path / "not-yet", "--mirror", tmp_path, columns=400)
    for title in ("Versions", "Machine", "GPUs", "Data", "Mirrors"):
        assert f"\n{title}\n" in f"\n{out}"
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert any(line.startswith("scikit-learn 1.") for line in lines)
    assert any(line.startswith("memory") and "GiB free of" in line for line in lines)
    assert f"folder {tmp_path / 'not-yet'} (not yet there)" in lines
    assert "ready synthetic" in lines
    assert f"{tmp_path} folder" in lines
    assert "static-content.springer.com refused" in lines
    assert "raw.githubusercontent.com reachable" in lines
    assert lines.count("raw.githubusercontent.com reachable") == 1


def test_lists_are_broken_at_eighty_columns(run):
    out = run("--data-dir", "/nowhere", columns=80)
    # A path or a platform's name may be long; it stays whole beside its label.
    assert all(len(line) <= 80 or len(line.split()) <= 2 for line in out.splitlines())
    assert "tcga-tumor-grade-standin" in out
