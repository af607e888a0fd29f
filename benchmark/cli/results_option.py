"""``--results``, the same for every command."""

from pathlib import Path
from typing import Annotated

import typer

DEFAULT_RESULTS = Path("results/runs")

ResultsFolder = Annotated[
    Path,
    typer.Option(
        "--results",
        help="Folder of results.",
        file_okay=False,
        envvar="WPFS_BENCH_RESULTS",
        rich_help_panel="Results",
    ),
]
