import io
from collections.abc import Callable

import pytest
from rich.console import Console

from benchmark.plan.jobs import Job
from benchmark.run.devices import Slot
from benchmark.run.executors.events import Finished, Notice, Started
from benchmark.run.outcome import Outcome
from benchmark.run.progress import LiveView, PlainView, View, make_view

MakeJobs = Callable[..., list[Job]]

OK = Outcome({"status": "ok", "error": "", "balanced_accuracy_test": 0.876}, {})
BAD = Outcome({"status": "timeout", "error": "stopped after 8 s [--timeout]"})


def make_console(terminal: bool) -> Console:
    return Console(file=io.StringIO(), force_terminal=terminal, width=150, highlight=False)


def read(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_plain_lines_say_how_each_run_ended(make_tiny_jobs: MakeJobs) -> None:
    jobs = make_tiny_jobs("Trees")
    console = make_console(terminal=False)
    view = PlainView(console, total=2)
    view.on_finish(Finished(jobs[0], Slot(0), OK, 1.25), remaining=65)
    view.on_finish(Finished(jobs[1], Slot(0), BAD, 8), remaining=None)
    first, second = read(console).splitlines()
    assert first.startswith("[1/2] synthetic:")
    assert first.endswith("trees r0-f0-s42: balanced accuracy 87.6 (1.2 s, 1 min 05 s left)")
    assert second.endswith("r0-f1-s42: timeout: stopped after 8 s [--timeout] (8.0 s)")


def test_the_live_view_shows_running_jobs_counts_and_failures(make_tiny_jobs: MakeJobs) -> None:
    jobs = make_tiny_jobs("Trees")
    console = make_console(terminal=True)
    view = LiveView(console, total=3, expected=None)
    with view:
        console.print(view)
        assert "starting workers" in read(console)
        assert "estimating the time left" in read(console)
        view.on_start(Started(jobs[0], Slot(0)))
        view.on_start(Started(jobs[1], Slot(1)))
        view.on_finish(Finished(jobs[0], Slot(0), BAD, 8), remaining=600)
        console.print(view)
    shown = read(console)
    assert "stopped after 8 s [--timeout]" in shown
    assert "trees r0-f1-s42" in shown
    assert "1/3 runs" in shown
    assert "left" in shown


@pytest.mark.parametrize("terminal", [True, False])
def test_notices_are_lines_of_their_own(terminal: bool) -> None:
    console = make_console(terminal)
    with make_view(console, 3, None, quiet=False) as view:
        view.on_notice(Notice("node c7 [gpu] joined"))
    assert "node c7 [gpu] joined" in read(console)


def test_runs_on_a_cluster_show_their_nodes(make_tiny_jobs: MakeJobs) -> None:
    console = make_console(terminal=True)
    view = LiveView(console, total=20, expected=None)
    for index, job in enumerate(make_tiny_jobs("Trees", repeats=2)):
        view.on_start(Started(job, Slot(index, node=f"c{index % 3}")))
    console.print(view)
    shown = read(console)
    assert shown.count("c0") == 3
    assert "and 2 more, on 3 nodes" in shown


def test_many_running_jobs_are_summed_up(make_tiny_jobs: MakeJobs) -> None:
    console = make_console(terminal=True)
    view = LiveView(console, total=12, expected=1)
    for number, job in enumerate(make_tiny_jobs("Trees", repeats=3)[:12]):
        view.on_start(Started(job, Slot(number)))
    console.print(view)
    assert "and 4 more" in read(console)


@pytest.mark.parametrize(
    ("terminal", "quiet", "kind"),
    [(True, False, LiveView), (False, False, PlainView), (True, True, View)],
)
def test_the_view_fits_where_it_is_shown(terminal: bool, quiet: bool, kind: type) -> None:
    assert type(make_view(make_console(terminal), 1, None, quiet)) is kind
