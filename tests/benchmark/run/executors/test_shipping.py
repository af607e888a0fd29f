"""What travels with a run, without a cluster."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmark.datasets.loading import DataSource
from benchmark.plan.jobs import Job, RunRequest, make_jobs
from benchmark.run.execute import execute_job
from benchmark.run.executors.shipping import Packer, list_files, unpack_job
from benchmark.run.metrics import SCORE_COLUMNS


def test_a_packed_job_needs_nothing_of_this_machine(
    methods_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "own.csv"
    rows = [f"{i % 2},{'' if i == 3 else i % 7},{i * i % 11}" for i in range(40)]
    table.write_text("\n".join(["target,a,b", *rows]))
    from benchmark.datasets.own_table.options import TableOptions

    own = DataSource(own=TableOptions(table, target="target", impute="median"))
    jobs = make_jobs(RunRequest([f"{methods_file}:Trees"], [own], repeats=1))
    expected = [execute_job(job).record for job in jobs]

    files: dict[str, bytes] = {}
    kept: list[str] = []

    def keep(name: str, content: bytes) -> None:
        kept.append(name)
        files[name] = content

    packer = Packer(keep)
    packed = [packer.pack(job) for job in jobs]
    table.unlink()
    methods_file.unlink()
    node = tmp_path / "node"
    for name, content in files.items():
        (node / name).parent.mkdir(parents=True, exist_ok=True)
        (node / name).write_bytes(content)
    assert len(kept) == len(set(kept)) == 2  # each file once, however many runs need it
    assert all(set(list_files(job)) == set(files) for job in packed)
    for job, record in zip(packed, expected, strict=True):
        found = execute_job(unpack_job(job, node)).record
        assert found["status"] == "ok", found["error"]
        assert [found[name] for name in SCORE_COLUMNS] == [record[name] for name in SCORE_COLUMNS]


def test_a_table_that_was_changed_on_the_way_is_noticed(
    make_tiny_jobs: Callable[..., list[Job]], tmp_path: Path
) -> None:
    files: dict[str, bytes] = {}
    packer = Packer(files.__setitem__)
    one = packer.pack(make_tiny_jobs("Constant")[0])
    other = DataSource("synthetic:samples=60,features=30,informative=2")
    wrong = packer.pack(dataclasses.replace(make_tiny_jobs("Constant")[1], source=other))
    (tmp_path / "tables").mkdir()
    (tmp_path / one.source.path).write_bytes(files[wrong.source.path.as_posix()])  # type: ignore[attr-defined]
    job = unpack_job(dataclasses.replace(one, method="majority"), tmp_path)
    assert "changed while the runs were going on" in execute_job(job).record["error"]
