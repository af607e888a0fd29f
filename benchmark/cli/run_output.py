"""What ``wpfs-bench run`` prints before and after the runs."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from benchmark.cli.result_options import DEFAULT_RESULTS
from benchmark.plan.hyperparameters import spell
from benchmark.plan.key import RunKey
from benchmark.run.forecast import DurationEstimator, ReferenceTimes, schedule
from benchmark.run.session import SessionResult
from benchmark.text import count_noun, show_duration

if TYPE_CHECKING:
    from benchmark.datasets.loading import DataSource
    from benchmark.plan.jobs import Job
    from benchmark.results.status import JobStatus

Records = Mapping[RunKey, Mapping[str, Any]]

Row = tuple[str, str, str]
"""Data set, model, label of the hyper-parameters."""


def print_own_tables(console: Console, sources: "Sequence[DataSource]") -> None:
    """Describe the user's own tables as they were read, and what may spoil the benchmark."""
    from benchmark.datasets.dataset import describe_table
    from benchmark.datasets.loading import load_dataset

    for source in sources:
        if source.own is not None:
            dataset = load_dataset(source)
            console.print(describe_table(dataset), markup=False, soft_wrap=True)
            for finding in dataset.provenance["findings"]:
                console.print(finding, markup=False, soft_wrap=True, style="yellow")


def print_plan(
    console: Console,
    before: "JobStatus",
    pending: "Sequence[Job]",
    estimator: DurationEstimator,
    workers: int | None,
) -> None:
    """Print what would be run and how long it would take."""
    console.print(_make_plan_table(before, pending, estimator))
    console.print()
    console.print(describe_pending(before, pending, workers))
    seconds = estimator.estimate_jobs(pending, workers or 1)
    if pending and workers is None:
        console.print("--workers 8,64 estimates the time on a cluster")
    elif seconds is None:
        console.print("too little is known yet to estimate the time")
    elif pending:
        console.print(f"about {show_duration(seconds)}, from the runs done so far")


def print_forecast(
    console: Console, pending: "Sequence[Job]", times: ReferenceTimes, workers: Sequence[int]
) -> None:
    """Print how long runs would take on each number of workers, and what that rests on."""
    by_model: dict[str, list[tuple[str, float]]] = {}
    unknown: set[str] = set()
    seconds = []
    for job in pending:
        expected = times.estimate(job.cell)
        if expected is None:
            unknown.add(job.key.model)
        else:
            by_model.setdefault(job.key.model, []).append((job.key.dataset, expected))
            seconds.append(expected)
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("model")
    for head in ("runs", "s / run", "hours"):
        table.add_column(head, justify="right")
    for model, found in sorted(by_model.items(), key=lambda item: -sum(s for _, s in item[1])):
        total = sum(s for _, s in found)
        table.add_row(
            model, f"{len(found):,}", f"{total / len(found):,.1f}", f"{total / 3600:,.1f}"
        )
    table.add_row("all", f"{len(seconds):,}", "", f"{sum(seconds) / 3600:,.1f}")
    console.print(table)
    console.print()
    table = Table(box=None, header_style="bold", pad_edge=False)
    for head in ("workers", "time", "times as fast", "busy"):
        table.add_column(head, justify="right")
    for count in workers:
        end = schedule(seconds, count)
        gain = sum(seconds) / end if end else 1.0
        table.add_row(
            f"{count:,}", show_duration(end), f"{gain:,.1f}", f"{100 * gain / count:.0f}%"
        )
    console.print(table)
    console.print()
    if seconds:
        console.print(f"The longest run takes {show_duration(max(seconds))}.")
    for note in _explain_forecast(pending, times, unknown):
        console.print(note, markup=False)


def _explain_forecast(
    pending: "Sequence[Job]", times: ReferenceTimes, unknown: set[str]
) -> Iterator[str]:
    """Yield which times are measured, which are scaled and how well, and what is left out."""
    yield "From the mean times of the reference runs, one thread each, in the order of the plan."
    models = {job.key.model for job in pending} - unknown
    datasets = list(dict.fromkeys(job.key.dataset for job in pending))
    scaled = [d for d in datasets if any((m, d) not in times.means for m in models)]
    if scaled:
        yield (
            f"Without reference runs of every method, so scaled by samples × features from other "
            f"data sets: {', '.join(scaled)}."
        )
        if ratios := times.check_sizes(models):
            low, middle, high = (ratios[int(q * (len(ratios) - 1))] for q in (0.1, 0.5, 0.9))
            yield (
                f"Where there are runs, that scaling gives {middle:.1f} times the true time "
                f"(median; {low:.1f} to {high:.1f} for 80% of methods and data sets)."
            )
    if unknown:
        left_out = sum(job.key.model in unknown for job in pending)
        yield (
            f"Left out: {count_noun(left_out, 'run')} of methods without reference runs: "
            f"{', '.join(sorted(unknown))}."
        )


def describe_pending(before: "JobStatus", pending: "Sequence[Job]", workers: int | None) -> str:
    """Return how many runs are to do, are done and failed."""
    parts = [f"{count_noun(len(pending), 'run')} to do"]
    if before.done:
        parts.append(f"{len(before.done)} done already")
    if before.failed:
        parts.append(f"{len(before.failed)} failed before")
    if pending:
        parts.append("on Ray" if workers is None else f"{workers} at a time")
    return ", ".join(parts)


def print_result(
    console: Console,
    planned: "Sequence[Job]",
    before: Records,
    session: SessionResult,
    folder: Path,
    commands: Sequence[str],
    quiet: bool,
) -> None:
    """Print the scores of all runs, the failures of this session and the commands to go on with.

    Only the failures when quiet.
    """
    if not quiet:
        console.print()
        console.print(_make_result_table(planned, {**before, **session.records}))
        console.print()
    for count, text in session.group_failures():
        console.print(f"failed {count}×: {text}", style="red", markup=False, soft_wrap=True)
    if quiet:
        return
    if session.failed:
        n_runs = session.ok + len(session.failed)
        console.print(
            f"{len(session.failed)} of {count_noun(n_runs, 'run')} failed; "
            "--retry-failed runs only what failed"
        )
    console.print(f"results are in {folder}; next:", markup=False, soft_wrap=True)
    for command in commands:
        console.print(f"  {command}", markup=False, soft_wrap=True)


def suggest_commands(
    results: Path, *, any_failed: bool, study: str | None, preset: str, assignments: Sequence[str]
) -> list[str]:
    """Return the two commands to copy after a run; they show the very runs that it made."""
    folder = [] if results == DEFAULT_RESULTS else ["--results", str(results)]
    chosen = ["--hyperparameters", preset] if preset != "paper" else []
    for assignment in assignments:
        chosen += ["--set", assignment]
    table = ["--table", study] if study else []
    page = ["--format", "html", "--output", "report.html"]
    show = ["report", *folder, *table, *chosen]
    then = ["status", "--failed", *folder] if any_failed else ["report", *folder, *chosen, *page]
    return [shlex.join(["wpfs-bench", *words]) for words in (show, then)]


def _make_plan_table(
    before: "JobStatus", pending: "Sequence[Job]", estimator: DurationEstimator
) -> Table:
    """Show per data set and model how many runs are done, have failed and are to do."""
    table = _begin_table("done", "failed", "to do", "per run")
    counts: dict[Row, list[int]] = {}
    cells: dict[Row, tuple[str, str]] = {}
    for column, jobs in enumerate((before.done, before.failed, pending)):
        for job in jobs:
            row = _row_of(job)
            cells[row] = job.cell
            counts.setdefault(row, [0, 0, 0])[column] += 1
    for row, (done, failed, to_do) in sorted(counts.items()):
        seconds = estimator.estimate(cells[row])
        table.add_row(
            *row,
            str(done),
            str(failed),
            str(to_do),
            "?" if seconds is None else show_duration(seconds),
        )
    return table


def _make_result_table(jobs: "Sequence[Job]", records: Records) -> Table:
    """Show per data set and model the test balanced accuracy over the runs that are done."""
    table = _begin_table("runs", "failed", "balanced\naccuracy", "s / run")
    rows: dict[Row, list[Mapping[str, Any]]] = {}
    for job in jobs:
        if job.key in records:
            rows.setdefault(_row_of(job), []).append(records[job.key])
    for row, found in rows.items():
        done = [record for record in found if record["status"] == "ok"]
        failed = len(found) - len(done)
        scores = [
            100 * record["balanced_accuracy_test"]
            for record in done
            if record.get("balanced_accuracy_test") is not None
        ]
        seconds = [record["seconds"] for record in done if record.get("seconds") is not None]
        table.add_row(
            *row,
            str(len(done)),
            f"[red]{failed}[/red]" if failed else "0",
            _show_mean(scores),
            f"{fmean(seconds):.1f}" if seconds else "",
        )
    return table


def _begin_table(*numbers: str) -> Table:
    """Make a table with the columns of a row's cell, which fold where it is narrow, and numbers."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for head in ("data set", "model", "hyper-\nparameters"):
        table.add_column(head, overflow="fold", no_wrap=head == "model")
    for head in numbers:
        table.add_column(head, justify="right", no_wrap=True)
    return table


def _show_mean(values: Sequence[float]) -> str:
    """Return ``87.45 ± 5.32``: mean and sample standard deviation."""
    if not values:
        return ""
    if len(values) == 1:
        return f"{values[0]:.2f}"
    return f"{fmean(values):.2f} ± {stdev(values):.2f}"


def _row_of(job: "Job") -> Row:
    return job.key.dataset, job.key.model, spell(job.key.hyperparameters)
