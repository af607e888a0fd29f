"""``wpfs-bench bench``: how fast a training step, a job and the suite itself are."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmark.cli.app import app
from benchmark.cli.report import Format
from benchmark.errors import UserError


class Suite(StrEnum):
    """What to measure."""

    STEPS = "steps"
    SCALING = "scaling"
    RUNNER = "runner"
    ALL = "all"


@app.command()
def bench(
    suite: Annotated[
        Suite,
        typer.Option(help="Training steps, runs side by side, the runner's overhead, or all."),
    ] = Suite.STEPS,
    features: Annotated[
        str, typer.Option(help="Numbers of features, joined by commas.")
    ] = "1000,6000,20000",
    quick: Annotated[bool, typer.Option("--quick", help="A smoke run: few repetitions.")] = False,
    output: Annotated[Path | None, typer.Option(help="Write the numbers as JSON.")] = None,
    read: Annotated[
        Path | None, typer.Option(help="Measure nothing; show what --output wrote.")
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option(help="Runs of WPFS in this folder: also show how long their steps take."),
    ] = None,
    table: Annotated[
        str, typer.Option(help="Only steps, ratios, memory, nmf, scaling, runner or job.")
    ] = "",
    format: Annotated[
        Format, typer.Option("--format", "-f", help="All formats of report but html.")
    ] = Format.TABLE,
) -> None:
    """Measure training steps against the alternatives, side by side in one run.

    Absolute times depend on the machine and on what else it does; the ratios are what counts.
    """
    import json

    from benchmark.report.writing import write_tables
    from benchmark.speed.tables import build_job_table, build_speed_tables

    if format is Format.HTML:
        raise UserError("--format html is for report: choose another")
    numbers = _measure(suite, features, quick) if read is None else _read(read)
    tables = build_speed_tables(numbers)
    if results is not None:
        if "speed" not in numbers:
            raise UserError("--results needs measured training steps: use --suite steps or all")
        tables.append(build_job_table(numbers, _count_steps(results)))
    if output is not None:
        output.write_text(json.dumps(numbers, indent=1) + "\n")
    names = [each.name for each in tables]
    if table and table not in names:
        raise UserError(f"--table {table}: not measured, there are {', '.join(names)}")
    tables = [each for each in tables if table in ("", each.name)]
    write_tables(tables, format.value, None)


def _measure(suite: Suite, features: str, quick: bool) -> dict[str, Any]:
    import os

    from rich.console import Console

    from benchmark.provenance import find_commit, list_versions

    cores = len(os.sched_getaffinity(0))
    numbers: dict[str, Any] = {
        "versions": list_versions(),
        "git_commit": find_commit(),
        "quick": quick,
    }
    with Console(stderr=True).status("measuring") as status:
        if suite in (Suite.STEPS, Suite.ALL):
            from benchmark.speed.measurement import measure_speed

            numbers["speed"] = measure_speed(
                _read_widths(features), sorted({1, cores}), quick, lambda what: status.update(what)
            ).as_dict()
        if suite in (Suite.SCALING, Suite.ALL):
            from benchmark.speed.scaling import measure_scaling

            status.update("measuring runs side by side")
            width, steps, runs = (200, 20, 2) if quick else (6000, 200, 8)
            found = measure_scaling(sorted({1, cores}), width, steps, runs)
            numbers["scaling"] = {
                "features": width,
                "steps": steps,
                "cores": cores,
                "jobs": found,
            }
        if suite in (Suite.RUNNER, Suite.ALL):
            from benchmark.overhead import measure_reading, measure_runs

            status.update("measuring the runner")
            numbers["runner"] = {
                "runs": measure_runs(50 if quick else 1000),
                "store": measure_reading(200 if quick else 10_000),
            }
    return numbers


def _read(file: Path) -> Mapping[str, Any]:
    import json

    try:
        numbers = json.loads(file.read_text())
    except OSError as error:
        raise UserError(f"--read {file}: {error.strerror}") from error
    except ValueError as error:
        raise UserError(f"--read {file}: not JSON ({error})") from error
    if not isinstance(numbers, dict) or not {"speed", "scaling", "runner"} & numbers.keys():
        raise UserError(f"--read {file}: not written by `wpfs-bench bench --output`")
    return numbers


def _read_widths(text: str) -> list[int]:
    widths = [part.strip() for part in text.split(",")]
    if not all(width.isdecimal() and int(width) > 0 for width in widths):
        raise UserError(f"--features {text!r} is not a list of numbers such as 1000,6000")
    return [int(width) for width in widths]


def _count_steps(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Return data set -> its number of features, WPFS runs with the paper's values, their steps."""
    from benchmark.datasets.registry import read_registries
    from benchmark.report.assemble import Report, Request
    from benchmark.report.reading import read_results

    frame = Report(read_results(folder)[0], Request(models=("wpfs",))).frame
    good = frame[frame["status"] == "ok"]
    widths = {
        name: entry.expected.features
        for name, entry in read_registries().items()
        if entry.expected is not None
    }
    return {
        str(dataset): (widths[str(dataset)], len(runs), int(runs["steps"].sum()))
        for dataset, runs in good.groupby("dataset")
        if dataset in widths
    }
