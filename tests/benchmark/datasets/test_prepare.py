"""From a registry entry to a ready table, and what happens when that fails on the way."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from benchmark.datasets import cache
from benchmark.datasets.cache import find_state
from benchmark.datasets.derive.cohort import encode_classes, map_labels
from benchmark.datasets.download import Fetcher, FetchError, Reachability, StorageError
from benchmark.datasets.labels import spell_labels
from benchmark.datasets.loading import load
from benchmark.datasets.prepare import prepare
from benchmark.datasets.registry import read_registries, read_registry
from benchmark.errors import UserError


@pytest.fixture
def tiny(site, write_registry, mat_bytes):
    """A data set with one good address."""
    site.files["tiny.mat"] = mat_bytes
    return read_registry(write_registry(f"{site.url}/tiny.mat", content=mat_bytes))["tiny"]


@pytest.fixture
def fetcher(folder):
    return Fetcher(folder, reachability=Reachability(timeout=2), read_timeout=1)


def test_a_data_set_becomes_ready_and_loads(tiny, folder, fetcher):
    assert find_state(tiny, folder).kind == "missing"
    assert prepare(tiny, fetcher).kind == "ready"
    dataset = load("tiny", data_dir=folder.root, registries=[tiny.registry])
    assert dataset.X.shape == (30, 40)
    assert dataset.class_counts == (12, 18)
    assert dataset.class_names.tolist() == ["low", "high"]
    assert dataset.provenance["files"] == {"tiny.mat": {"verified": "sha256"}}


def test_what_is_ready_is_left_alone(site, tiny, folder, fetcher):
    prepare(tiny, fetcher)
    before = folder.table("tiny").stat().st_mtime_ns
    prepare(tiny, fetcher)
    assert folder.table("tiny").stat().st_mtime_ns == before
    assert len(site.requests) == 1


def test_force_rebuilds_the_table_from_the_verified_file(site, tiny, folder, fetcher):
    prepare(tiny, fetcher)
    folder.table("tiny").write_bytes(b"damaged")
    assert prepare(tiny, fetcher, force=True).kind == "ready"
    assert len(site.requests) == 1


def test_a_damaged_table_counts_as_missing_and_is_replaced(tiny, folder, fetcher):
    prepare(tiny, fetcher)
    content = folder.table("tiny").read_bytes()
    folder.table("tiny").write_bytes(content[: len(content) // 2])
    assert find_state(tiny, folder).kind == "missing"
    assert prepare(tiny, fetcher).kind == "ready"
    assert folder.table("tiny").read_bytes() == content


def test_a_changed_registry_entry_makes_the_table_outdated(
    site, folder, fetcher, write_registry, mat_bytes, tiny
):
    prepare(tiny, fetcher)
    path = write_registry(f"{site.url}/tiny.mat", content=mat_bytes)
    path.write_text(path.read_text().replace("{1: low, 2: high}", "{1: high, 2: low}"))
    changed = read_registry(path)["tiny"]
    assert find_state(changed, folder).kind == "missing"
    assert prepare(changed, fetcher).kind == "differs"


def test_another_mirror_does_not_make_the_table_outdated(
    folder, fetcher, tiny, write_registry, mat_bytes
):
    prepare(tiny, fetcher)
    moved = read_registry(write_registry("https://elsewhere.invalid/x", content=mat_bytes))["tiny"]
    assert find_state(moved, folder).kind == "ready"


def test_differences_are_stored_and_travel(folder, fetcher, write_registry, mat_bytes, site):
    site.files["tiny.mat"] = mat_bytes
    path = write_registry(f"{site.url}/tiny.mat", content=mat_bytes)
    path.write_text(
        path.read_text().replace("features: 40, counts: [12, 18]", "features: 41, counts: [11, 19]")
    )
    entry = read_registry(path)["tiny"]
    assert prepare(entry, fetcher).kind == "differs"
    dataset = load("tiny", data_dir=folder.root, registries=[path])
    assert dataset.differences == (
        "It has 40 features, not 41.",
        "Class low has 12 samples, not 11.",
        "Class high has 18 samples, not 19.",
    )


def test_not_ready_says_what_to_run(folder, tiny):
    with pytest.raises(
        UserError, match=r"not ready .* `wpfs-bench download tiny --registry .*more.yaml --data-dir"
    ):
        load("tiny", data_dir=folder.root, registries=[tiny.registry])


def test_an_unreadable_file_is_a_reason_not_a_crash(site, folder, fetcher, write_registry):
    site.files["tiny.mat"] = b"this is no MATLAB file" * 100
    entry = read_registry(write_registry(f"{site.url}/tiny.mat"))["tiny"]
    with pytest.raises(FetchError, match=r"tiny\.mat"):
        prepare(entry, fetcher)
    assert not find_state(entry, folder).ready


def test_the_next_source_is_tried_and_all_reasons_are_kept(
    site, fetcher, write_registry, mat_bytes
):
    site.files["good.mat"] = mat_bytes
    path = write_registry(f"{site.url}/bad.mat", content=b"never served")
    second = """
      - note: the second way
        loader: mat
        files:
          - name: good.mat
            urls: [URL/good.mat]
        labels: {1: low, 2: high}
        differences: [It came the second way.]
"""
    path.write_text(path.read_text().rstrip() + second.replace("URL", site.url))
    entry = read_registry(path)["tiny"]
    assert prepare(entry, fetcher).meta["differences"] == ["It came the second way."]
    del site.files["good.mat"]
    (fetcher.folder.raw("good.mat")).unlink()
    with pytest.raises(FetchError, match="HTTP 404"):
        prepare(entry, fetcher, force=True)


def test_a_full_disk_while_writing_the_table_leaves_none(tiny, folder, fetcher, monkeypatch):
    def fail(fd):
        raise OSError(28, "No space left on device")

    fetcher.fetch(tiny.sources[0].files[0])
    monkeypatch.setattr(cache.os, "fsync", fail)
    with pytest.raises(StorageError):
        prepare(tiny, fetcher)
    assert not find_state(tiny, folder).ready
    assert [p.name for p in folder.table("x").parent.iterdir()] == []


def test_leftovers_of_a_killed_writer_are_swept(tiny, folder, fetcher):
    tables = folder.table("tiny").parent
    tables.mkdir(parents=True)
    (tables / ".tiny.npz.12345.tmp").write_bytes(b"half")
    prepare(tiny, fetcher)
    assert [p.name for p in tables.iterdir()] == ["tiny.npz"]


def run_download(registry, folder):
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "benchmark", "download", "tiny"),
            *("--registry", str(registry), "--data-dir", str(folder.root)),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={k: v for k, v in os.environ.items() if k != "WPFS_BENCH_MIRROR"},
    )


def test_two_processes_at_once_do_no_harm(site, tiny, folder):
    processes = [run_download(tiny.registry, folder) for _ in range(2)]
    outputs = [process.communicate(timeout=60) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], outputs
    assert len(site.requests) == 1
    assert find_state(tiny, folder).kind == "ready"


def test_kill_9_in_the_middle_then_a_clean_rerun(site, folder, write_registry, make_mat):
    content = make_mat(300_000)
    site.files["tiny.mat"] = content

    def stall(handler, content):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content[: len(content) // 2])
        handler.wfile.flush()
        time.sleep(30)

    registry = write_registry(f"{site.url}/tiny.mat", content=content)
    entry = read_registry(registry)["tiny"]
    site.tricks["tiny.mat"] = [stall]
    process = run_download(registry, folder)
    part = folder.raw("tiny.mat.part")
    deadline = time.monotonic() + 60
    while not (part.exists() and part.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert 0 < part.stat().st_size < len(content)
    assert not folder.raw("tiny.mat").exists()
    assert not find_state(entry, folder).ready

    again = run_download(registry, folder)
    output, errors = again.communicate(timeout=60)
    assert again.returncode == 0, errors
    assert "ready" in output
    assert find_state(entry, folder).kind == "ready"
    assert site.requests[-1][1] is not None, "the second run goes on where the first was killed"


def test_rows_keep_the_order_of_the_file(tiny, folder, fetcher):
    prepare(tiny, fetcher)
    dataset = load("tiny", data_dir=folder.root, registries=[tiny.registry])
    assert dataset.y.tolist() == [0] * 12 + [1] * 18
    assert dataset.sample_ids[:2].tolist() == ["row-01", "row-02"]


def test_label_5_of_lung_is_left_out_and_nothing_else():
    """The real file could not be fetched here; its labels are known (design notes)."""
    entry = read_registries()["lung"]
    labels = pd.Series(np.repeat([1, 2, 5, 3, 4], [139, 17, 6, 21, 20]).astype(np.uint8))
    names = map_labels(spell_labels(labels), entry.sources[0].labels, True)
    codes, classes = encode_classes(names, entry.classes)
    assert np.bincount(codes).tolist() == [139, 17, 21, 20]
    assert classes.tolist() == ["adenocarcinoma", "normal", "squamous", "carcinoid"]
    assert set(range(203)) - set(names.index) == set(range(156, 162))
