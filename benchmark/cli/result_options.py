"""Options of commands that read results: their folder, and which of its runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmark.cli.completion import complete_methods
from benchmark.cli.shared_options import takes
from benchmark.errors import UserError
from benchmark.plan.select import split_list
from benchmark.report.formats.registry import FORMATS

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
TableFormat = Annotated[str, typer.Option("--format", "-f", help=f"One of {', '.join(FORMATS)}.")]
OutputFile = Annotated[Path | None, typer.Option("--output", "-o", help="Write to a file.")]


@dataclass(frozen=True)
class RunChoice:
    """Which runs of a folder a command is about, by its options; see ``ReportRequest``."""

    models: tuple[str, ...]
    preset: str
    overrides: Mapping[str, Any]
    folds: int | None


def _choose_runs(
    models: list[str] | None, hyperparameters: Preset, set_: list[str] | None, folds: int | None
) -> RunChoice:
    from benchmark.plan.hyperparameters import parse_assignments

    if set_ and hyperparameters is Preset.TUNED:
        raise UserError("--set and --hyperparameters tuned contradict each other: choose one")
    overrides = parse_assignments(set_ or ())
    return RunChoice(read_names(models, "--models"), hyperparameters.value, overrides, folds)


#: Adds the options that choose runs; the argument ``chosen`` is a ``RunChoice``.
takes_runs = takes(
    "chosen",
    {
        "models": (Models, None),
        "hyperparameters": (ChosenPreset, Preset.PAPER),
        "set_": (Assignments, None),
        "folds": (Folds, None),
    },
    _choose_runs,
)


def read_names(given: Sequence[str] | None, option: str) -> tuple[str, ...]:
    """Return the names in comma lists; a ``UserError`` if there is a list and no name in it."""
    names = tuple(split_list(given or ()))
    if given and not names:
        raise UserError(f"{option} {','.join(given)}: names nothing; leave it out for all")
    return names
