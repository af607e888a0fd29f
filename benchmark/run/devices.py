"""Which GPUs there are, and which worker sees which of them."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmark.errors import UserError


@dataclass(frozen=True)
class Gpu:
    """A GPU this process may use.

    Parameters
    ----------
    index
        As in ``--gpu``: its position among the visible ones.
    identifier
        What ``CUDA_VISIBLE_DEVICES`` has to hold for a worker to see only this one.
    name
        As the driver reports it.
    """

    index: int
    identifier: str
    name: str


@dataclass(frozen=True)
class Slot:
    """A place for one worker.

    Parameters
    ----------
    index
        0, 1, ...
    device
        Passed to methods that take one: ``cpu`` or ``cuda`` (the only GPU the worker sees).
    environment
        Variables of the worker that say which GPU it sees.
    node
        Name of the machine, "" for this one.
    """

    index: int
    device: str = "cpu"
    environment: Mapping[str, str] = field(default_factory=dict)
    node: str = ""


def list_gpus() -> list[Gpu]:
    """Ask the NVIDIA driver for GPUs, heeding ``CUDA_VISIBLE_DEVICES``; no driver, no GPUs."""
    if shutil.which("nvidia-smi") is None:
        return []
    try:
        asked = subprocess.run(
            ["nvidia-smi", "--query-gpu=index,uuid,name", "--format=csv,noheader"],
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    rows = [line.split(", ", 2) for line in asked.stdout.splitlines() if line.count(", ") >= 2]
    physical = {index: name for index, _, name in rows} | {uuid: name for _, uuid, name in rows}
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        identifiers = [index for index, _, _ in rows]
    else:
        identifiers = [text.strip() for text in visible.split(",") if text.strip()]
    return [
        Gpu(position, identifier, physical.get(identifier, "GPU"))
        for position, identifier in enumerate(identifiers)
    ]


def choose_gpus(wanted: str, gpus: Sequence[Gpu]) -> list[Gpu]:
    """Return the GPUs named by ``0``, ``0,1`` or ``all``.

    Raises
    ------
    UserError
        If the text is none of these, or one of the GPUs does not exist.
    """
    if not re.fullmatch(r"all|\s*\d+\s*(,\s*\d+\s*)*", wanted):
        raise UserError(f"--gpu {wanted}: write 0, 0,1 or all")
    if not gpus:
        raise UserError(
            f"--gpu {wanted}: no GPU is available on this machine; leave --gpu out to use the CPU"
        )
    if wanted == "all":
        return list(gpus)
    by_index = {str(gpu.index): gpu for gpu in gpus}
    names = [str(int(name)) for name in wanted.split(",")]
    unknown = [name for name in names if name not in by_index]
    if unknown:
        offer = ", ".join(f"{gpu.index} ({gpu.name})" for gpu in gpus)
        raise UserError(
            f"--gpu {wanted}: there is no GPU {', '.join(unknown)}; available: {offer}, or all"
        )
    return [by_index[name] for name in dict.fromkeys(names)]


def plan_slots(
    gpus: Sequence[Gpu],
    jobs: int | None = None,
    jobs_per_gpu: int = 1,
    threads: int = 1,
    n_runs: int | None = None,
) -> list[Slot]:
    """Spread workers over GPUs in turn (0, 1, 0, 1, ...), or over the cores without GPUs.

    Parameters
    ----------
    gpus
        The chosen GPUs; empty for the CPU.
    jobs
        Number of workers; by default one per core (or per ``threads`` cores), or
        ``jobs_per_gpu`` per GPU.
    jobs_per_gpu
        Workers that share a GPU.
    threads
        Threads of each worker.
    n_runs
        Runs there are: never more workers than these.
    """
    usual = len(gpus) * jobs_per_gpu if gpus else max(1, count_cores() // threads)
    count = jobs or usual
    if n_runs is not None:
        count = min(count, n_runs)
    if not gpus:
        return [Slot(i, "cpu", {"CUDA_VISIBLE_DEVICES": ""}) for i in range(count)]
    return [
        Slot(i, "cuda", {"CUDA_VISIBLE_DEVICES": gpus[i % len(gpus)].identifier})
        for i in range(count)
    ]


def count_cores() -> int:
    """Return the number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
