"""``wpfs-bench external``."""

import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchmark.cli.app import app
from benchmark.cli.data_options import DataDir, Registry, Transform
from benchmark.cli.result_options import DEFAULT_RESULTS, OutputFile, ResultsFolder, TableFormat
from benchmark.cli.table_options import DataChoice, list_words, make_table_options, takes_table
from benchmark.errors import UserError
from benchmark.report.formats.registry import FORMATS, check_format

if TYPE_CHECKING:
    from benchmark.datasets.loading import DataSource

_what = partial(typer.Option, rich_help_panel="What to run")


@app.command()
@takes_table("test_own", "test-", "Other table, if it is a file")
@takes_table("train_own", "train-", "Training table, if it is a file")
def external(
    train: Annotated[str, typer.Option(help="Cohort to train on: a data set's name, or a file.")],
    test: Annotated[str, typer.Option(help="Cohort to try on: a data set's name, or a file.")],
    model: Annotated[
        list[str] | None,
        _what(
            "--model", "-m", help="Method: name, comma list, glob, 'all' or 'paper'. Repeatable."
        ),
    ] = None,
    method: Annotated[
        list[str] | None, _what(help="A classifier of your own: path/to/file.py:ClassName.")
    ] = None,
    hyperparameters: Annotated[str, _what(help="paper or default.")] = "paper",
    set_: Annotated[
        list[str] | None, _what("--set", help="Hyper-parameter name=value. Repeatable.")
    ] = None,
    seed: Annotated[int, _what(min=0, max=2**32 - 1, help="Training seed.")] = 42,
    threads: Annotated[int, _what(min=1, help="Threads.")] = 1,
    rescale: Annotated[
        str, typer.Option(help="none, or cohort: standardise the other table by itself.")
    ] = "none",
    format: TableFormat = "table",
    output: OutputFile = None,
    calibration: Annotated[
        Path | None, typer.Option(help="Draw calibration into this file: .png, .pdf or .svg.")
    ] = None,
    results: ResultsFolder = DEFAULT_RESULTS,
    registry: Registry = None,
    data_dir: DataDir = None,
    transform: Transform = None,
    *,
    train_own: Mapping[str, Any],
    test_own: Mapping[str, Any],
) -> None:
    """Train methods on one cohort and score them on another, beside the cross-validation.

    Example: `external --train scanb-basal --test metabric.csv --test-target subtype
    --test-positive Basal --rescale cohort -m lasso,wpfs`.

    Exit code: 0 all methods were scored, 1 some failed, 2 a mistake in the command.
    """
    from benchmark.datasets.loading import load_dataset
    from benchmark.models.external import match_cohorts, validate
    from benchmark.models.external_report import (
        PICTURES,
        draw_calibrations,
        list_notes,
        make_table,
    )
    from benchmark.models.fit import FitRequest, resolve
    from benchmark.models.predict import RESCALINGS
    from benchmark.plan.hyperparameters import parse_assignments
    from benchmark.plan.select import choose_methods
    from benchmark.report.output import write_tables
    from benchmark.results.store import describe_unreadable

    check_format(format, tuple(FORMATS))
    if rescale not in RESCALINGS:
        raise UserError(f"--rescale {rescale}: use {' or '.join(RESCALINGS)}")
    if calibration is not None and calibration.suffix not in PICTURES:
        raise UserError(f"--calibration {calibration}: use a name with {' or '.join(PICTURES)}")
    methods = choose_methods([*(model or []), *(method or [])])
    if not methods:
        raise UserError("no method: name one with --model (`wpfs-bench models` lists them)")
    shared = {
        "data_dir": data_dir,
        "registries": tuple(registry or ()),
        "transform": transform,
    }
    source = _choose_source("train", train, train_own, shared)
    pair = match_cohorts(
        load_dataset(source), load_dataset(_choose_source("test", test, test_own, shared))
    )
    overrides = parse_assignments(set_ or [])
    requests = [FitRequest(name, hyperparameters, overrides, seed, threads) for name in methods]
    for request in requests:  # a mistake in the last must not show after the first was trained
        resolve(request, pair.train)
    found = []
    unreadable: list[Path] = []
    for result in validate(pair, requests, rescale, results, unreadable):
        typer.echo(f"{result.method}: {result.error or 'done'}", err=True)
        found.append(result)
    if unreadable:
        typer.echo(describe_unreadable(unreadable), err=True)
    notes = list_notes(pair, found, rescale)
    without = [name for name, result in zip(methods, found, strict=True) if not result.inside]
    if without:
        command = _make_command(without, hyperparameters, set_ or [], source)
        notes.append(f"To have cross-validated scores of {', '.join(without)} beside: {command}")
    write_tables([make_table(pair, found, notes, format)], format, output)
    if calibration is not None:
        drawn = draw_calibrations(pair, found, calibration)
        told = f"drawn to {calibration}" if drawn else "no method gave probabilities to draw"
        typer.echo(told, err=True)
    if any(result.error for result in found):
        raise typer.Exit(1)


def _choose_source(
    side: str, text: str, own: Mapping[str, Any], shared: Mapping[str, Any]
) -> "DataSource":
    path = Path(text).expanduser()
    is_file = path.is_file()
    try:
        table = make_table_options(path if is_file else None, own, f"{side}-", f"--{side} FILE")
        choice = DataChoice(table, {**shared, "impute": own.get("impute")})
        sources = choice.choose_sources([] if is_file else [text])
    except UserError as error:
        hint = "" if is_file else f" (and there is no file {text})"
        raise UserError(f"--{side}: {error}{hint}") from error
    if len(sources) != 1:
        raise UserError(f"--{side} {text}: name one data set, not {len(sources)}")
    return sources[0]


def _make_command(
    methods: Sequence[str], preset: str, assignments: Sequence[str], source: "DataSource"
) -> str:
    """Return the command that makes the runs on the training cohort."""
    from baselines._shared.registry import is_path

    names = [name for name in methods if not is_path(name)]
    words = ["wpfs-bench", "run", *(["-m", ",".join(names)] if names else [])]
    for name in methods:
        words += ["--method", name] if is_path(name) else []
    words += ["--hyperparameters", preset] if preset != "paper" else []
    for assignment in assignments:
        words += ["--set", assignment]
    own = source.own
    words += ["-d", source.name] if own is None else ["--data", str(own.path), *list_words(own)]
    words += ["--transform", source.transform] if source.transform else []
    return shlex.join(words)
