"""What ``wpfs-bench run`` prints before and after the runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from benchmark.plan.hyperparameters import spell
from benchmark.plan.key import RunKey
from benchmark.run.forecast import DurationEstimator
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
    workers: int,
) -> None:
    """Print what would be run and how long it would take."""
    console.print(_make_plan_table(before, pending, estimator))
    console.print()
    console.print(describe_pending(before, pending, workers))
    seconds = estimator.estimate_jobs(pending, workers)
    if seconds is None:
        console.print("too little is known yet to estimate the time")
    elif pending:
        console.print(f"about {show_duration(seconds)}, from the runs done so far")


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
    quiet: bool,
) -> None:
    """Print the scores of all runs and the failures of this session; only these when quiet."""
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
    console.print(
        f"results are in {folder}; `wpfs-bench report --results {folder}` sums them up",
        markup=False,
        soft_wrap=True,
    )


def _make_plan_table(
    before: "JobStatus", pending: "Sequence[Job]", estimator: DurationEstimator
) -> Table:
    """Show per data set and model how many runs are done, have failed and are to do."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for head in ("data set", "model", "hyper-parameters"):
        table.add_column(head, overflow="fold")
    for head in ("done", "failed", "to do", "per run"):
        table.add_column(head, justify="right")
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
    table = Table(box=None, header_style="bold", pad_edge=False)
    for head in ("data set", "model", "hyper-parameters"):
        table.add_column(head, overflow="fold")
    for head in ("runs", "failed", "balanced accuracy", "s / run"):
        table.add_column(head, justify="right")
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


def _show_mean(values: Sequence[float]) -> str:
    """Return ``87.45 ± 5.32``: mean and sample standard deviation."""
    if not values:
        return ""
    if len(values) == 1:
        return f"{values[0]:.2f}"
    return f"{fmean(values):.2f} ± {stdev(values):.2f}"


def _row_of(job: "Job") -> Row:
    return job.key.dataset, job.key.model, spell(job.key.hyperparameters)
