import os
import stat
from pathlib import Path

import pytest

from benchmark.errors import UserError
from benchmark.run.devices import Gpu, choose_gpus, list_gpus, plan_slots
from benchmark.run.executors.resources import Resources

TWO = [Gpu(0, "0", "A100"), Gpu(1, "1", "H100")]


@pytest.fixture
def fake_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put an ``nvidia-smi`` with two GPUs on the path."""
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\necho '0, GPU-aa, NVIDIA A100'\necho '1, GPU-bb, NVIDIA H100'\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


@pytest.mark.usefixtures("fake_driver")
def test_gpus_are_those_of_the_driver() -> None:
    assert list_gpus() == [Gpu(0, "0", "NVIDIA A100"), Gpu(1, "1", "NVIDIA H100")]


@pytest.mark.usefixtures("fake_driver")
@pytest.mark.parametrize(
    ("visible", "expected"),
    [
        ("1", [Gpu(0, "1", "NVIDIA H100")]),
        ("GPU-bb,GPU-aa", [Gpu(0, "GPU-bb", "NVIDIA H100"), Gpu(1, "GPU-aa", "NVIDIA A100")]),
        ("", []),
    ],
)
def test_only_gpus_a_batch_system_allotted_are_used(
    monkeypatch: pytest.MonkeyPatch, visible: str, expected: list[Gpu]
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert list_gpus() == expected


def test_without_a_driver_there_are_no_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert list_gpus() == []


@pytest.mark.parametrize(
    ("wanted", "indices"), [("0", [0]), ("1,0", [1, 0]), ("all", [0, 1]), ("1, 1", [1])]
)
def test_choice(wanted: str, indices: list[int]) -> None:
    assert [gpu.index for gpu in choose_gpus(wanted, TWO)] == indices


def test_a_gpu_that_does_not_exist_is_answered_with_those_that_do() -> None:
    with pytest.raises(UserError, match=r"no GPU 3; available: 0 \(A100\), 1 \(H100\), or all"):
        choose_gpus("3", TWO)
    with pytest.raises(UserError, match="no GPU is available on this machine"):
        choose_gpus("0", [])


@pytest.mark.parametrize("wanted", ["x", "", "0,,1", "-1"])
def test_what_names_no_gpu(wanted: str) -> None:
    with pytest.raises(UserError, match=f"--gpu {wanted}: write 0, 0,1 or all"):
        choose_gpus(wanted, [])


def test_workers_take_gpus_in_turn() -> None:
    slots = plan_slots(TWO, jobs=4)
    assert [slot.environment["CUDA_VISIBLE_DEVICES"] for slot in slots] == ["0", "1", "0", "1"]
    assert {slot.device for slot in slots} == {"cuda"}
    assert len(plan_slots(TWO, jobs_per_gpu=3)) == 6


def test_workers_on_the_cpu_see_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmark.run.devices.count_cores", lambda: 8)
    slots = plan_slots([], threads=3)
    assert len(slots) == 2
    assert {slot.environment["CUDA_VISIBLE_DEVICES"] for slot in slots} == {""}


def test_there_are_never_more_workers_than_runs() -> None:
    assert len(plan_slots([], jobs=10**9, n_runs=3)) == 3
    assert len(plan_slots(TWO, jobs_per_gpu=10**9, n_runs=3)) == 3
    assert Resources(jobs=10**9).count_workers(4) == 4
