"""``wpfs-bench bench``: how fast a training step and the suite itself are."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchmark.cli.app import app

if TYPE_CHECKING:
    from rich.table import Table

    from benchmark.speed.measurement import SpeedReport, StepTimes


class Suite(StrEnum):
    """What to measure."""

    STEPS = "steps"
    RUNNER = "runner"
    ALL = "all"


@app.command()
def bench(
    suite: Annotated[
        Suite, typer.Option(help="Training steps, the runner's own overhead, or both.")
    ] = Suite.STEPS,
    features: Annotated[
        str, typer.Option(help="Numbers of features, joined by commas.")
    ] = "1000,6000,20000",
    quick: Annotated[bool, typer.Option("--quick", help="A smoke run: few repetitions.")] = False,
    output: Annotated[Path | None, typer.Option(help="Write the numbers as JSON.")] = None,
) -> None:
    """Measure training steps against the alternatives, side by side in one run.

    Absolute times depend on the machine and on what else it does; the ratios are what counts.
    """
    import json
    import os

    from rich.console import Console

    from benchmark.provenance import find_commit, list_versions

    console = Console()
    numbers: dict[str, Any] = {
        "versions": list_versions(),
        "git_commit": find_commit(),
        "quick": quick,
    }
    if suite in (Suite.STEPS, Suite.ALL):
        from benchmark.speed.measurement import measure_speed

        cores = len(os.sched_getaffinity(0))
        with console.status("measuring") as status:
            report = measure_speed(
                _read_widths(features), sorted({1, cores}), quick, lambda what: status.update(what)
            )
        numbers["speed"] = report.as_dict()
        for table in _tabulate_speed(report):
            console.print(table)
    if suite in (Suite.RUNNER, Suite.ALL):
        from benchmark.overhead import measure_reading, measure_runs

        with console.status("measuring the runner"):
            numbers["runner"] = {
                "runs": measure_runs(50 if quick else 1000),
                "store": measure_reading(200 if quick else 10_000),
            }
        console.print_json(data=numbers["runner"])
    if output is not None:
        output.write_text(json.dumps(numbers, indent=1) + "\n")


def _read_widths(text: str) -> list[int]:
    from benchmark.errors import UserError

    widths = [part.strip() for part in text.split(",")]
    if not all(width.isdecimal() and int(width) > 0 for width in widths):
        raise UserError(f"--features {text!r} is not a list of numbers such as 1000,6000")
    return [int(width) for width in widths]


def _tabulate_speed(report: SpeedReport) -> list[Table]:
    from benchmark.speed.contenders import CONTENDERS

    def times(value: float | None) -> str:
        return "–" if value is None else f"{value:.1f}×"

    def milliseconds(row: StepTimes, name: str) -> str:
        value = row.milliseconds.get(name)
        return "–" if value is None else f"{value:.1f}"

    steps = _table("Milliseconds per training step, medians")
    ratios = _table("How many times longer, within the same run")
    for table in (steps, ratios):
        table.add_column("features", justify="right")
        table.add_column("threads", justify="right")
    for name in CONTENDERS:
        steps.add_column(name, justify="right")
    for head in ("literal/ours", "plain/ours", "ours/floor", "ours/floor as a library"):
        ratios.add_column(head, justify="right")
    for row in report.steps:
        case = f"{row.features}", f"{row.threads}"
        steps.add_row(*case, *(milliseconds(row, name) for name in CONTENDERS))
        ratios.add_row(
            *case,
            times(row.ratio("literal", "ours")),
            times(row.ratio("plain", "ours")),
            times(row.ratio("ours", "floor")),
            times(row.plain_process["ours"] / row.plain_process["floor"]),
        )
    reasons = sorted(
        {f"{row.features} features: {row.skipped}" for row in report.steps if row.skipped}
    )
    steps.caption = "\n".join(
        [f"{name}: {what}" for name, what in CONTENDERS.items()]
        + [f"literal skipped at {reason}" for reason in reasons]
    )
    ratios.caption = "as a library: without the memory settings that worker processes start with"

    memory = _table("Peak memory, MB")
    memory.add_column("features", justify="right")
    for name in CONTENDERS:
        memory.add_column(name, justify="right")
    for width, peaks in report.peak_memory_mb.items():
        memory.add_row(
            f"{width}", *(f"{peaks[name]:.0f}" if name in peaks else "–" for name in CONTENDERS)
        )

    nmf = _table("Milliseconds for 50 NMF updates")
    for head in ("features", "ours", "scikit-learn", "scikit-learn/ours"):
        nmf.add_column(head, justify="right")
    for width, values in report.nmf.items():
        ours, theirs = values["ours"], values["scikit-learn"]
        nmf.add_row(f"{width}", f"{ours:.0f}", f"{theirs:.0f}", times(theirs / ours))
    nmf.caption = "80 samples, rank 50, one thread"
    return [steps, ratios, memory, nmf]


def _table(title: str) -> Table:
    from rich import box
    from rich.table import Table

    return Table(
        title=title,
        box=box.SIMPLE,
        padding=(0, 1, 0, 0),
        title_justify="left",
        caption_justify="left",
    )
