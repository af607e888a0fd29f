"""Options that several commands share: where data is, and data of the user's own."""

from pathlib import Path
from typing import Annotated

import typer

_DATA = "Data"
_OWN = "Own data"

DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        help="Data folder. Default: WPFS_BENCH_DATA, else the platform's user data folder.",
        file_okay=False,
        rich_help_panel=_DATA,
    ),
]
Registry = Annotated[
    list[Path] | None,
    typer.Option(
        "--registry",
        help="YAML file with more data sets, of the form of datasets.yaml.",
        rich_help_panel=_DATA,
    ),
]
Mirror = Annotated[
    list[str] | None,
    typer.Option(
        "--mirror",
        help="Folder or address that holds the files, tried first. Also WPFS_BENCH_MIRROR.",
        rich_help_panel=_DATA,
    ),
]
DataFile = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="Your table, in any usual format; `wpfs-bench inspect FILE` shows how it is read.",
        rich_help_panel=_OWN,
    ),
]
Transform = Annotated[
    str | None,
    typer.Option(
        "--transform",
        help="log2p1: take log2(x + 1), for raw counts; of any data set.",
        rich_help_panel=_OWN,
    ),
]


def collect_mirrors(option: list[str] | None) -> tuple[str, ...]:
    """Return the mirrors of the option, then that of the environment."""
    import os

    from benchmark.datasets.download import is_web
    from benchmark.errors import UserError

    variable = os.environ.get("WPFS_BENCH_MIRROR")
    mirrors = (*(option or ()), *([variable] if variable else ()))
    for mirror in mirrors:
        if not is_web(mirror) and not Path(mirror).expanduser().is_dir():
            raise UserError(f"mirror {mirror!r} is neither a folder nor an http(s) address")
    return mirrors
