"""``wpfs-bench run``."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchmark.cli.app import app
from benchmark.cli.completion import complete_datasets, complete_methods, complete_studies
from benchmark.cli.config import use_config
from benchmark.cli.result_options import DEFAULT_RESULTS, ResultsFolder
from benchmark.cli.table_options import DataChoice, takes_data
from benchmark.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from benchmark.plan.jobs import Job
    from benchmark.results.status import JobStatus
    from benchmark.results.store import Store
    from benchmark.run.executors.resources import Resources
    from benchmark.run.forecast import DurationEstimator, ReferenceTimes
    from benchmark.run.session import SessionResult

_what = partial(typer.Option, rich_help_panel="What to run")
_protocol = partial(typer.Option, rich_help_panel="Protocol")
_resources = partial(typer.Option, rich_help_panel="Resources")
_results = partial(typer.Option, rich_help_panel="Results")


@app.command()
@takes_data
def run(
    model: Annotated[
        list[str] | None,
        _what(
            "--model",
            "-m",
            help="Method: name, comma list, glob, 'all' or 'paper'. Repeatable.",
            autocompletion=complete_methods,
        ),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        _what(
            "--dataset",
            "-d",
            help="Data set: name, comma list, glob, 'paper', 'more', 'all'. Repeatable.",
            autocompletion=complete_datasets,
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        _what(help="A classifier of your own: path/to/file.py:ClassName. Repeatable."),
    ] = None,
    study: Annotated[
        str | None,
        _what(help="Run a study of the paper instead of --model.", autocompletion=complete_studies),
    ] = None,
    repeats: Annotated[int, _protocol(min=1, help="Repeats of the cross-validation.")] = 5,
    folds: Annotated[int, _protocol(min=2, help="Folds of each repeat.")] = 5,
    seeds: Annotated[
        str,
        _protocol(help="Training seeds, for example 42 or 42,43,44."),
    ] = "42",
    hyperparameters: Annotated[
        str,
        _what(help="paper, default, or tuned (runs the whole grid)."),
    ] = "paper",
    set_: Annotated[
        list[str] | None,
        _what("--set", help="Hyper-parameter name=value. Repeatable."),
    ] = None,
    gpu: Annotated[
        str | None,
        _resources(help="GPUs to use: 0, 0,1 or all. Without it: the CPU."),
    ] = None,
    jobs: Annotated[
        int | None,
        _resources(min=1, help="Runs side by side (default: cores, or GPUs × --jobs-per-gpu)."),
    ] = None,
    jobs_per_gpu: Annotated[int, _resources(min=1, help="Runs that share a GPU.")] = 1,
    threads: Annotated[int, _resources(min=1, help="Threads of each run.")] = 1,
    timeout: Annotated[
        str | None,
        _resources(help="Stop a run after, for example, 90s, 15m or 2h."),
    ] = None,
    memory_limit: Annotated[
        str | None,
        _resources(help="Stop a run that uses more than, for example, 500M or 4G."),
    ] = None,
    executor: Annotated[
        str,
        _resources(help="local (processes of this machine) or ray (a cluster)."),
    ] = "local",
    ray_address: Annotated[
        str | None,
        _resources(help="Ray cluster: host:port or auto. Without it: a new one."),
    ] = None,
    gpu_fraction: Annotated[
        float | None,
        _resources(help="Share of a GPU that a run asks of Ray, for example 0.25."),
    ] = None,
    memory_per_run: Annotated[
        str | None,
        _resources(help="Memory that a run asks of Ray, for example 4G."),
    ] = None,
    results: ResultsFolder = DEFAULT_RESULTS,
    force: Annotated[bool, _results("--force", help="Run again what is done.")] = False,
    retry_failed: Annotated[
        bool,
        _results("--retry-failed", help="Run only what failed before."),
    ] = False,
    shard: Annotated[
        str | None,
        _results(help="Do only part i of n, for job arrays: i/n, from 1/n to n/n."),
    ] = None,
    dry_run: Annotated[
        bool,
        _results("--dry-run", help="Print what would be run, and stop."),
    ] = False,
    workers: Annotated[
        str | None,
        _results(help="With --dry-run: the time on so many workers, for example 1,8,64."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only failures.")] = False,
    config: Annotated[
        Path | None,
        typer.Option(
            callback=use_config,
            is_eager=True,
            help="YAML file whose keys are these flags; flags given here win.",
        ),
    ] = None,
    *,
    tables: DataChoice,
) -> None:
    """Train and score methods on data sets; what is done already is skipped.

    Exit code: 0 all runs are done, 1 some failed, 2 a mistake in the command, 70 an unexpected
    error, 130 stopped.
    """
    from rich.console import Console

    from benchmark.cli.run_output import (
        describe_pending,
        print_forecast,
        print_own_tables,
        print_plan,
        print_result,
        suggest_commands,
    )
    from benchmark.plan.hyperparameters import parse_assignments
    from benchmark.plan.jobs import RunRequest, make_jobs, parse_seeds, parse_shard
    from benchmark.plan.select import choose_methods
    from benchmark.results.expected import write_plan
    from benchmark.results.status import read_job_status
    from benchmark.results.store import Store
    from benchmark.run.executors.events import Limits
    from benchmark.run.executors.resources import Resources
    from benchmark.run.session import keep_feature_names
    from benchmark.text import parse_duration, parse_megabytes

    limits = Limits(
        None if timeout is None else parse_duration(timeout),
        None if memory_limit is None else parse_megabytes(memory_limit),
    )
    resources = Resources(
        executor,
        gpu,
        jobs,
        jobs_per_gpu,
        threads,
        limits,
        ray_address,
        gpu_fraction,
        None if memory_per_run is None else parse_megabytes(memory_per_run, "--memory-per-run"),
    )
    if force and retry_failed:
        raise UserError("--force and --retry-failed contradict each other: choose one")
    worker_counts = _parse_workers(workers)
    if worker_counts and not dry_run:
        raise UserError("--workers: only with --dry-run (--jobs sets the runs side by side)")
    training_seeds = parse_seeds(seeds)
    part = slice(None) if shard is None else parse_shard(shard)
    request = RunRequest(
        methods=choose_methods([*(model or []), *(method or [])]),
        sources=tables.choose_sources(dataset or [], imagine=bool(worker_counts)),
        preset=hyperparameters,
        overrides=parse_assignments(set_ or []),
        study=study,
        repeats=repeats,
        folds=folds,
        seeds=training_seeds,
    )
    planned = make_jobs(request)[part]
    console = Console(highlight=False)
    if not quiet:
        print_own_tables(console, request.sources)
    store = Store(results)
    if not dry_run:
        store.prepare()
    before = read_job_status(store, planned)
    pending = before.choose_pending(force, retry_failed)
    if worker_counts:
        print_forecast(console, pending, _read_reference_times(pending), worker_counts)
        return
    estimator = _make_estimator(before, pending, store.folder)
    places = resources.count_workers(len(pending))
    if dry_run:
        print_plan(console, before, pending, estimator, places)
        return
    if not quiet:
        nothing = retry_failed and not pending
        console.print(
            "nothing failed before" if nothing else describe_pending(before, pending, places)
        )
    write_plan(store.folder, [job.key for job in planned])
    keep_feature_names(planned, store)
    if retry_failed and not pending:
        return
    session = _do_jobs(console, store, pending, resources, estimator, quiet)
    commands = suggest_commands(
        results,
        any_failed=bool(session.failed),
        study=study,
        preset=hyperparameters,
        assignments=set_ or (),
    )
    print_result(console, planned, before.records, session, store.folder, commands, quiet)
    if session.failed:
        raise typer.Exit(1)


def _parse_workers(text: str | None) -> list[int]:
    """Read ``1,8,64``."""
    parts = [] if text is None else text.split(",")
    if not all(part.strip().isdecimal() and int(part) for part in parts):
        raise UserError(f"--workers {text}: write numbers above 0, for example 1,8,64")
    return [int(part) for part in parts]


def _read_reference_times(jobs: "Sequence[Job]") -> "ReferenceTimes":
    from benchmark.datasets.loading import load_dataset
    from benchmark.datasets.registry import list_expected
    from benchmark.results.durations import read_reference_durations
    from benchmark.run.forecast import ReferenceTimes

    sizes = {name: size.samples * size.features for name, size in list_expected().items()}
    for job in jobs:
        if job.key.dataset not in sizes:
            sizes[job.key.dataset] = load_dataset(job.source).X.size
    runs = read_reference_durations({job.key.model for job in jobs})
    return ReferenceTimes.from_runs(runs, sizes)


def _make_estimator(
    before: "JobStatus", pending: "Sequence[Job]", folder: Path
) -> "DurationEstimator":
    """Count the jobs that are done and, where these do not tell, runs on other data sets."""
    from itertools import chain

    from benchmark.results.durations import read_reference_durations, read_stored_durations
    from benchmark.run.forecast import DurationEstimator

    estimator = DurationEstimator.from_records(before.done, before.records)
    if any(estimator.estimate(job.cell) is None for job in pending):
        models = {job.key.model for job in before.jobs}
        for model, dataset, seconds in chain(
            read_stored_durations(folder, models), read_reference_durations(models)
        ):
            estimator.add_elsewhere((model, dataset), seconds)
    return estimator


def _do_jobs(
    console: "Console",
    store: "Store",
    jobs: "Sequence[Job]",
    resources: "Resources",
    estimator: "DurationEstimator",
    quiet: bool,
) -> "SessionResult":
    from benchmark.run.progress import make_view
    from benchmark.run.session import SessionResult, run_session, stop_on_termination

    if not jobs:
        return SessionResult()
    executor = resources.make_executor(store.folder, len(jobs))
    workers = resources.count_workers(len(jobs))
    expected = None if workers is None else estimator.estimate_jobs(jobs, workers)
    view = make_view(console, len(jobs), expected, quiet)
    try:
        with stop_on_termination(), executor, view:
            return run_session(jobs, store, executor, view, estimator)
    except KeyboardInterrupt:
        console.print(
            "Stopped. Finished runs are kept; give the same command again to go on.",
            style="yellow",
        )
        raise typer.Exit(130) from None
