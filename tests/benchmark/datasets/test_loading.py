"""Loading by name: what it costs."""

import hashlib
import subprocess
import sys
from types import SimpleNamespace

import pytest

from benchmark.datasets.download import Fetcher
from benchmark.datasets.loading import load
from benchmark.datasets.prepare import prepare
from benchmark.datasets.registry import read_registry


@pytest.fixture
def registry(site, folder, write_registry, mat_bytes):
    """A registry with one data set, which is ready."""
    site.files["tiny.mat"] = mat_bytes
    path = write_registry(f"{site.url}/tiny.mat", content=mat_bytes)
    prepare(read_registry(path)["tiny"], Fetcher(folder))
    return path


def test_the_digest_of_a_table_is_computed_once(registry, folder, monkeypatch):
    made = []
    digests = SimpleNamespace(sha256=lambda: made.append(hashlib.sha256()) or made[-1])
    monkeypatch.setattr("benchmark.datasets.dataset.hashlib", digests)
    dataset = load("tiny", data_dir=folder.root, registries=[registry], impute="median")
    assert len(dataset.checksum) == 64
    assert dataset.impute == "median"
    assert len(made) == 1


LOAD = """
import sys
from pathlib import Path
from benchmark.datasets import load
load("tiny", data_dir=Path(sys.argv[1]), registries=[Path(sys.argv[2])])
sys.exit("pandas" in sys.modules)
"""


def test_a_ready_data_set_is_loaded_without_pandas(registry, folder):
    subprocess.run([sys.executable, "-c", LOAD, str(folder.root), str(registry)], check=True)
