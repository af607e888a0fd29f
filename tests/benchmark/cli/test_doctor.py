"""``wpfs-bench doctor``."""

import sys

import pytest

from benchmark.cli.app import main
from benchmark.datasets.reachability import Reachability


def test_it_shows_versions_machine_data_and_mirrors(monkeypatch, capsys, tmp_path):
    monkeypatch.delenv("WPFS_BENCH_MIRROR", raising=False)
    monkeypatch.setattr(
        Reachability, "problem", lambda self, url: "refused" if "springer" in url else None
    )
    arguments = ["--data-dir", str(tmp_path / "not-yet"), "--mirror", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["wpfs-bench", "doctor", *arguments])
    with pytest.raises(SystemExit) as caught:
        main()
    out = capsys.readouterr().out
    assert caught.value.code == 0
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
