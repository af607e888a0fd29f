"""Options of commands that read results: their folder, and which of its runs."""

from collections.abc import Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from benchmark.cli.completion import complete_methods
from benchmark.errors import UserError
from benchmark.plan.select import split_list

DEFAULT_RESULTS = Path("results/runs")


class Preset(StrEnum):
    """Which hyper-parameters."""

    PAPER = "paper"
    DEFAULT = "default"
    TUNED = "tuned"


_runs = partial(typer.Option, rich_help_panel="Which runs")

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
Models = Annotated[
    list[str] | None,
    _runs(
        "--models",
        "--model",
        "-m",
        help="Only these methods, in this order: a,b,c or paper. Repeatable.",
        autocompletion=complete_methods,
    ),
]
ChosenPreset = Annotated[
    Preset,
    _runs("--hyperparameters", help="The paper's, the defaults, or tuned on validation data."),
]
Assignments = Annotated[
    list[str] | None,
    _runs("--set", help="Runs made with this hyper-parameter, name=value. Repeatable."),
]
Folds = Annotated[
    int | None,
    _runs("--folds", min=2, help="Runs of this cross-validation, where a data set has several."),
]
OutputFile = Annotated[Path | None, typer.Option("--output", "-o", help="Write to a file.")]


def check_preset(preset: Preset, assignments: Sequence[str] | None) -> None:
    """Raise a ``UserError`` if the values of hyper-parameters are asked for in two ways."""
    if assignments and preset is Preset.TUNED:
        raise UserError("--set and --hyperparameters tuned contradict each other: choose one")


def read_names(given: Sequence[str] | None, option: str) -> tuple[str, ...]:
    """Return the names in comma lists; a ``UserError`` if there is a list and no name in it."""
    names = tuple(split_list(given or ()))
    if given and not names:
        raise UserError(f"{option} {','.join(given)}: names nothing; leave it out for all")
    return names
