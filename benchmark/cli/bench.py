"""``wpfs-bench bench``: how fast training steps, runs and the commands themselves are."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmark.cli.app import app
from benchmark.cli.result_options import TableFormat
from benchmark.errors import UserError
from benchmark.report.formats.registry import FORMATS, check_format


class Suite(StrEnum):
    """What to measure."""

    STEPS = "steps"
    PROFILE = "profile"
    FITS = "fits"
    RIVALS = "rivals"
    SCALING = "scaling"
    RUNNER = "runner"
    COMMANDS = "commands"
    ALL = "all"
    QUICK = "quick"


_WIDTHS = "1000,6000,20000"

#: Of ``--suite quick``, which takes two minutes.
_QUICK_WIDTHS = "1000"


@app.command()
def bench(
    suite: Annotated[
        Suite,
        typer.Option(
            help="Training steps, the parts of one, whole fits beside the alternatives, whole "
            "runs beside each other, parallel runs, the runner's overhead, commands, all of it, "
            "or all but whole runs in two minutes (quick)."
        ),
    ] = Suite.STEPS,
    features: Annotated[str, typer.Option(help="Numbers of features, joined by commas.")] = _WIDTHS,
    quick: Annotated[bool, typer.Option("--quick", help="Few repetitions: rough numbers.")] = False,
    output: Annotated[Path | None, typer.Option(help="Write the numbers as JSON.")] = None,
    read: Annotated[
        Path | None, typer.Option(help="Measure nothing; show what --output wrote.")
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option(help="Also show how long the steps of the WPFS runs in this folder take."),
    ] = None,
    table: Annotated[
        str,
        typer.Option(
            help="Only steps, ratios, memory, profile, fits, rivals, scaling, runner, commands "
            "or job."
        ),
    ] = "",
    format: TableFormat = "table",
) -> None:
    """Measure training steps against the alternatives, side by side in one run.

    Absolute times depend on the machine and on what else it does; the ratios are what counts.
    """
    import json

    from benchmark.report.output import write_tables, write_text
    from benchmark.speed.suites import SUITES, count_steps, measure
    from benchmark.speed.tables import build_job_table, build_speed_tables, check_tables

    check_format(format, tuple(FORMATS))
    suites = list(SUITES) if suite in (Suite.ALL, Suite.QUICK) else [suite.value]
    if suite is Suite.QUICK:
        # Whole runs are what takes longest, and on a small table they tell nothing.
        quick, features = True, _QUICK_WIDTHS if features == _WIDTHS else features
        suites.remove("rivals")
    if read is not None:
        _refuse_with_read(suite, features, quick, output)
        numbers: Mapping[str, Any] = _read(read)
        suites = ["steps" if name == "speed" else name for name in numbers]
    elif not {"steps", "fits"} & set(suites) and features != _WIDTHS:
        raise UserError("--features is for training steps and fits: use --suite steps, fits or all")
    widths = _read_widths(features)
    # Mistakes come to light before minutes are spent on measuring.
    check_tables(table, suites, with_job=results is not None)
    steps = None if results is None else count_steps(results)
    if output is not None and not output.parent.is_dir():
        raise UserError(f"--output {output}: there is no folder {output.parent}; make it first")
    if read is None:
        from rich.console import Console

        console = Console(stderr=True)
        with console.status("measuring") as status:
            # A status is invisible in a log file, and the whole takes a quarter of an hour.
            announce = status.update if console.is_terminal else console.print
            numbers = measure(suites, widths, quick, announce)
        if output is not None:
            write_text(json.dumps(numbers, indent=1) + "\n", output)
    tables = build_speed_tables(numbers)
    if steps is not None:
        tables.append(build_job_table(numbers, steps))
    write_tables([each for each in tables if table in ("", each.name)], format, None)


def _refuse_with_read(suite: Suite, features: str, quick: bool, output: Path | None) -> None:
    """Refuse options that --read would pass over in silence."""
    given = {
        "--suite": suite is not Suite.STEPS,
        "--features": features != _WIDTHS,
        "--quick": quick,
        "--output": output is not None,
    }
    options = [option for option, is_given in given.items() if is_given]
    if options:
        raise UserError(f"{', '.join(options)}: for measuring, leave out with --read")


def _read(file: Path) -> Mapping[str, Any]:
    import json

    from benchmark.speed.tables import build_speed_tables

    try:
        numbers = json.loads(file.read_text(encoding="utf-8"))
        if not build_speed_tables(numbers):
            raise ValueError("no measurement")
    except OSError as error:
        raise UserError(f"--read {file}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(
            f"--read {file}: not what `wpfs-bench bench --output` writes ({error})"
        ) from error
    return dict(numbers)


def _read_widths(text: str) -> list[int]:
    widths = [part.strip() for part in text.split(",")]
    if not all(width.isdecimal() and int(width) > 0 for width in widths):
        raise UserError(f"--features {text!r} is not a list of numbers such as 1000,6000")
    return [int(width) for width in widths]
