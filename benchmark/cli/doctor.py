"""``wpfs-bench doctor``."""

from typing import TYPE_CHECKING

import typer

from benchmark.cli.app import app
from benchmark.cli.data_options import DataDir, Mirror, Registry, collect_mirrors

if TYPE_CHECKING:
    from pathlib import Path

_PACKAGES = (
    "wpfs-bench", "torch", "numpy", "scipy", "scikit-learn", "pandas", "lightgbm",
    "pytorch-tabnet", "lassonet", "xgboost", "tabpfn", "tabicl", "pytabkit", "ray",
)  # fmt: skip
_GIB = 1 << 30


@app.command()
def doctor(mirror: Mirror = None, registry: Registry = None, data_dir: DataDir = None) -> None:
    """Show versions, hardware, the data folder, and which mirrors answer."""
    from benchmark.text import wrap_after

    mirrors = collect_mirrors(mirror)
    for title, lines in (
        ("Versions", _versions()),
        ("Machine", _machine()),
        ("GPUs", _gpus()),
        ("Data", _data(data_dir, tuple(registry or ()))),
        ("Mirrors", _mirrors(mirrors, tuple(registry or ()))),
    ):
        typer.secho(title, bold=True)
        for name, value in lines:
            typer.echo(f"  {name:<30} {wrap_after(33, value)}")


def _versions() -> list[tuple[str, str]]:
    import platform
    from importlib.metadata import PackageNotFoundError, version

    lines = [("python", f"{platform.python_version()} on {platform.platform(terse=True)}")]
    for package in _PACKAGES:
        try:
            lines.append((package, version(package)))
        except PackageNotFoundError:
            lines.append((package, "not installed"))
    return lines


def _machine() -> list[tuple[str, str]]:
    import psutil

    from benchmark.run.devices import count_cores

    memory = psutil.virtual_memory()
    return [
        (
            "processor cores",
            f"{psutil.cpu_count(logical=False) or '?'} ({count_cores()} usable threads)",
        ),
        ("memory", f"{memory.available / _GIB:.1f} GiB free of {memory.total / _GIB:.1f}"),
        ("OpenBLAS", _openblas()),
    ]


def _openblas() -> str:
    """Return for which processor OpenBLAS multiplies: networks here wait for little else."""
    import os

    import numpy  # noqa: F401 (loads the library)
    from threadpoolctl import threadpool_info

    kernels = {
        library["architecture"]
        for library in threadpool_info()
        if library["internal_api"] == "openblas"
    }
    chosen = " (set by OPENBLAS_CORETYPE)" if "OPENBLAS_CORETYPE" in os.environ else ""
    return f"kernels for {', '.join(sorted(kernels))}{chosen}" if kernels else "not in use"


def _gpus() -> list[tuple[str, str]]:
    try:
        import torch
    except ImportError as error:
        return [("torch", f"cannot be imported ({error})")]
    lines = []
    for index in range(torch.cuda.device_count()):
        free, total = torch.cuda.mem_get_info(index)
        name = torch.cuda.get_device_name(index)
        lines.append((f"cuda:{index}", f"{name}, {free / _GIB:.1f} GiB free of {total / _GIB:.1f}"))
    if torch.backends.mps.is_available():
        lines.append(("mps", "available, memory shared with the processor"))
    return lines or [("none", "torch sees none, everything runs on the processor")]


def _data(data_dir: "Path | None", registries: "tuple[Path, ...]") -> list[tuple[str, str]]:
    import shutil

    from benchmark.datasets.cache import find_data_folder
    from benchmark.datasets.listing import describe_all

    folder = find_data_folder(data_dir)
    existing = next(path for path in (folder.root, *folder.root.parents) if path.exists())
    free = shutil.disk_usage(existing).free
    rows = describe_all(folder, registries)
    lines = [
        (
            "folder",
            str(folder.root) if existing == folder.root else f"{folder.root} (not yet there)",
        ),
        ("free space", f"{free / _GIB:.1f} GiB"),
    ]
    for word, label in (
        ("ready", "ready"),
        ("differs", "ready, differ from the paper"),
        ("missing", "missing"),
    ):
        names = [row.name for row in rows if row.state == word]
        if names:
            lines.append((label, ", ".join(names)))
    return lines


def _mirrors(mirrors: tuple[str, ...], registries: "tuple[Path, ...]") -> list[tuple[str, str]]:
    from benchmark.datasets.download import Reachability, addresses_of, host_of, is_web
    from benchmark.datasets.registry import read_registries

    web = addresses_of(read_registries(registries).values())
    reachability = Reachability([*mirrors, *web])
    lines = [(mirror, "folder") for mirror in mirrors if not is_web(mirror)]
    for url in [*filter(is_web, mirrors), *web]:
        line = (host_of(url), reachability.problem(url) or "reachable")
        if line not in lines:
            lines.append(line)
    return lines
