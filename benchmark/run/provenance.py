"""What a record says of the machine it was made on: versions, commit, processor, memory."""

import functools
import importlib.metadata
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

#: Name of the suite among the versions of a record.
SUITE = "wpfs-bench"

_PACKAGES = (SUITE, "numpy", "scikit-learn", "torch", "lightgbm")


def describe_environment(
    requires: Sequence[str], device: str, threads: int, started: str
) -> dict[str, Any]:
    """Return what a record says of the machine and the software of a run.

    Parameters
    ----------
    requires
        Import names of the libraries the method needs.
    device, threads, started
        Of the run.
    """
    return {
        "versions": list_versions(tuple(name.replace("_", "-") for name in requires)),
        "device": device,
        "threads": threads,
        "processor": name_processor(),
        "git_commit": find_commit(),
        "started": started,
    }


@functools.cache
def list_versions(extra: tuple[str, ...] = ()) -> dict[str, str]:
    """Return the versions of Python, of the main libraries and of ``extra`` packages."""
    versions = {"python": platform.python_version()}
    for package in (*_PACKAGES, *extra):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions


@functools.cache
def find_commit() -> str:
    """Return the git commit of the checkout this code runs from, "" if there is none."""
    checkout = Path(__file__).resolve().parents[2]
    if not (checkout / ".git").exists():
        return ""
    try:
        asked = subprocess.run(
            ["git", "-C", str(checkout), "rev-parse", "HEAD"],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return asked.stdout.strip()


@functools.cache
def name_processor() -> str:
    """Return the kind of processor: the same seed gives other bits on another kind.

    On Linux the family and model numbers follow the name, because virtual machines give
    processors of several generations one name.
    """
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    first = lines[: lines.index("")] if "" in lines else lines
    pairs = [line.split(":", 1) for line in first if ":" in line]
    facts = {name.strip(): value.strip() for name, value in pairs}
    if "model name" not in facts:
        return platform.machine()
    numbers = [f"{n} {facts[n]}" for n in ("cpu family", "model") if n in facts]
    return " ".join([facts["model name"], f"({', '.join(numbers)})" if numbers else ""]).strip()


def reset_peak_memory() -> None:
    """Let the peak memory of this process count from now on, where the system can."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def read_peak_memory() -> float:
    """Return the peak resident memory of this process in MB."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return _peak_since_start()


def _peak_since_start() -> float:
    if sys.platform == "win32":
        import psutil

        return psutil.Process().memory_info().peak_wset / 2**20
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 1024
