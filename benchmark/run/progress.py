"""Shows runs as they go: a live view on a terminal, plain lines elsewhere."""

import time
from typing import Any, Self

from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from benchmark.run.executors.events import Finished, Notice, Started
from benchmark.text import show_duration

#: Jobs shown by name; more run beside them on large machines.
_SHOWN_JOBS = 8


class View:
    """Shows a session to people: this one nothing, as ``--quiet`` wants it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def on_start(self, event: Started) -> None:
        """Show that a job began."""

    def on_finish(self, event: Finished, remaining: float | None) -> None:
        """Show that a job ended; ``remaining`` is the expected time to the end in seconds."""

    def on_notice(self, event: Notice) -> None:
        """Show a line about where the jobs are done."""


class PlainView(View):
    """One line per run, for logs."""

    def __init__(self, console: Console, total: int) -> None:
        self._console = console
        self._total = total
        self._done = 0

    def on_finish(self, event: Finished, remaining: float | None) -> None:
        """Print how the run ended."""
        self._done += 1
        left = "" if remaining is None else f", {show_duration(remaining)} left"
        self._console.print(
            f"[{self._done}/{self._total}] {event.job.key}: {_describe_outcome(event)} "
            f"({show_duration(event.seconds)}{left})",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )

    def on_notice(self, event: Notice) -> None:
        """Print it."""
        self._console.print(event.text, markup=False, highlight=False, soft_wrap=True)


class LiveView(View):
    """A bar with the expected time to the end, the running jobs, and failures as they happen."""

    def __init__(self, console: Console, total: int, expected: float | None) -> None:
        self._console = console
        self._total = total
        self._done = 0
        self._failed = 0
        self._begin = time.monotonic()
        self._end = None if expected is None else self._begin + expected
        self._running: dict[int, tuple[Started, float]] = {}
        self._live = Live(self, console=console, refresh_per_second=4, transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def on_start(self, event: Started) -> None:
        """List the job among the running ones."""
        self._running[event.slot.index] = (event, time.monotonic())

    def on_finish(self, event: Finished, remaining: float | None) -> None:
        """Move the bar; print a failure above it."""
        self._running.pop(event.slot.index, None)
        self._done += 1
        self._end = None if remaining is None else time.monotonic() + remaining
        if event.outcome.status != "ok":
            self._failed += 1
            self._live.console.print(
                f"[red]✗[/red] {escape(str(event.job.key))}: {escape(_describe_outcome(event))}",
                highlight=False,
            )

    def on_notice(self, event: Notice) -> None:
        """Print it above the bar."""
        self._live.console.print(event.text, markup=False, highlight=False, style="dim")

    def __rich__(self) -> Any:
        now = time.monotonic()
        overall = Table.grid(padding=(0, 1))
        counts = f"{self._done}/{self._total} runs"
        if self._failed:
            counts += f", [red]{self._failed} failed[/red]"
        overall.add_row(
            ProgressBar(total=max(1, self._total), completed=self._done, width=36),
            Text.from_markup(counts),
            Text(f"{show_duration(now - self._begin)} passed", style="dim"),
            Text(self._show_remaining(now), style="cyan"),
        )
        jobs = Table.grid(padding=(0, 1))
        if not self._running and self._done < self._total:
            jobs.add_row(Text("▸", style="green"), Text("starting workers", style="dim"), "")
        running = sorted(self._running.values(), key=lambda item: item[1])
        for event, begin in running[:_SHOWN_JOBS]:
            seconds = show_duration(now - begin)
            row = (str(event.job.key), Text(seconds, style="dim"))
            jobs.add_row(Text("▸", style="green"), *row, Text(event.slot.node, style="dim"))
        if len(running) > _SHOWN_JOBS:
            more = f"and {len(running) - _SHOWN_JOBS} more"
            nodes = {event.slot.node for event, _ in running}
            more += f", on {len(nodes)} nodes" if len(nodes) > 1 else ""
            jobs.add_row("", Text(more, style="dim"), "")
        return Group(jobs, overall)

    def _show_remaining(self, now: float) -> str:
        if self._end is None:
            return "estimating the time left" if self._done < self._total else ""
        return f"about {show_duration(max(0.0, self._end - now))} left"


def make_view(console: Console, total: int, expected: float | None, quiet: bool) -> View:
    """Choose how to show the runs."""
    if quiet:
        return View()
    if console.is_terminal:
        return LiveView(console, total, expected)
    return PlainView(console, total)


def _describe_outcome(event: Finished) -> str:
    record = event.outcome.record
    if event.outcome.status == "ok":
        return f"balanced accuracy {100 * record['balanced_accuracy_test']:.1f}"
    return f"{event.outcome.status}: {record['error']}"
