"""Tables about runs: what a plan holds, and how it ended."""

from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from rich.table import Table

from benchmark.plan.hyperparameters import label
from benchmark.plan.key import RunKey
from benchmark.run.session import Durations
from benchmark.text import show_duration

if TYPE_CHECKING:
    from benchmark.plan.jobs import Job
    from benchmark.results.status import Backlog


Row = tuple[str, str, str]
"""Data set, model, label of the hyper-parameters."""


def make_plan_table(backlog: "Backlog", todo: Sequence["Job"], durations: Durations) -> Table:
    """Show per data set and model how many runs are done, have failed and are to do."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for head in ("data set", "model", "settings"):
        table.add_column(head)
    for head in ("done", "failed", "to do", "per run"):
        table.add_column(head, justify="right")
    counts: dict[Row, list[int]] = {}
    cells: dict[Row, tuple[str, str]] = {}
    for column, jobs in enumerate((backlog.done, backlog.failed, todo)):
        for job in jobs:
            row = _row_of(job)
            cells[row] = job.cell
            counts.setdefault(row, [0, 0, 0])[column] += 1
    for row, (done, failed, pending) in sorted(counts.items()):
        seconds = durations.expect(cells[row])
        table.add_row(
            *row,
            str(done),
            str(failed),
            str(pending),
            "?" if seconds is None else show_duration(seconds),
        )
    return table


def make_result_table(jobs: Sequence["Job"], records: Mapping[RunKey, Mapping[str, Any]]) -> Table:
    """Show per data set and model the test balanced accuracy over the runs that are done."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for head in ("data set", "model", "settings"):
        table.add_column(head)
    for head in ("runs", "failed", "balanced accuracy", "s / run"):
        table.add_column(head, justify="right")
    rows: dict[Row, list[Mapping[str, Any]]] = {}
    for job in jobs:
        if job.key in records:
            rows.setdefault(_row_of(job), []).append(records[job.key])
    for row, found in rows.items():
        done = [record for record in found if record["status"] == "ok"]
        failed = len(found) - len(done)
        scores = [100 * record["balanced_accuracy_test"] for record in done]
        table.add_row(
            *row,
            str(len(done)),
            f"[red]{failed}[/red]" if failed else "0",
            show_mean(scores),
            f"{fmean(record['seconds'] for record in done):.1f}" if done else "",
        )
    return table


def show_mean(values: Sequence[float]) -> str:
    """Return ``87.45 ± 5.32``: mean and sample standard deviation."""
    if not values:
        return ""
    if len(values) == 1:
        return f"{values[0]:.2f}"
    return f"{fmean(values):.2f} ± {stdev(values):.2f}"


def _row_of(job: "Job") -> Row:
    return job.key.dataset, job.key.model, label(job.key.hyperparameters)
