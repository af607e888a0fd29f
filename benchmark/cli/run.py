"""``wpfs-bench run``."""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchmark.cli.app import app
from benchmark.cli.data_options import (
    DataDir,
    DataFile,
    DataName,
    Groups,
    IdColumn,
    Impute,
    Registry,
    Target,
    Transform,
)
from benchmark.cli.results_option import DEFAULT_RESULTS, ResultsFolder
from benchmark.errors import UserError

if TYPE_CHECKING:
    from rich.console import Console

    from benchmark.plan.jobs import Job
    from benchmark.plan.key import RunKey
    from benchmark.results.status import Backlog
    from benchmark.results.store import Store
    from benchmark.run.executors.choice import Resources
    from benchmark.run.session import Tally


_WHAT = "What to run"
_PROTOCOL = "Protocol"
_RESOURCES = "Resources"
_RESULTS = "Results"


def _read_config(context: typer.Context, path: Path | None) -> Path | None:
    """Take a YAML file's values as defaults, so that flags win over the file."""
    if path is None:
        return None
    from benchmark.cli.config import Flag, read_config

    flags = {
        option.removeprefix("--"): Flag(
            parameter=str(parameter.name),
            find_mistake=partial(_find_mistake, context, parameter),
            repeatable=bool(getattr(parameter, "multiple", False)),
            switch=bool(getattr(parameter, "is_flag", False)),
        )
        for parameter in context.command.params
        for option in parameter.opts
        if option.startswith("--") and parameter.name not in ("config", "help")
    }
    context.default_map = read_config(path, flags)
    return path


def _find_mistake(context: typer.Context, parameter: Any, value: Any) -> str | None:
    try:
        parameter.process_value(context, value)
    except typer.BadParameter as error:
        return error.message
    return None


@app.command()
def run(
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            help="Method: name, comma list, glob, 'all' or 'paper'. Repeatable.",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            "--dataset",
            "-d",
            help="Data set: name, comma list, glob, 'all', 'paper'. Repeatable.",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help="A classifier of your own: path/to/file.py:ClassName. Repeatable.",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    study: Annotated[
        str | None,
        typer.Option(help="Run a study of the paper instead of --model.", rich_help_panel=_WHAT),
    ] = None,
    repeats: Annotated[
        int, typer.Option(min=1, help="Repeats of the cross-validation.", rich_help_panel=_PROTOCOL)
    ] = 5,
    folds: Annotated[
        int, typer.Option(min=2, help="Folds of each repeat.", rich_help_panel=_PROTOCOL)
    ] = 5,
    seeds: Annotated[
        str,
        typer.Option(help="Training seeds, for example 42 or 42,43,44.", rich_help_panel=_PROTOCOL),
    ] = "42",
    hyperparameters: Annotated[
        str,
        typer.Option(help="paper, default, or tuned (runs the whole grid).", rich_help_panel=_WHAT),
    ] = "paper",
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="Hyper-parameter name=value. Repeatable.", rich_help_panel=_WHAT
        ),
    ] = None,
    gpu: Annotated[
        str | None,
        typer.Option(
            help="GPUs to use: 0, 0,1 or all. Without it: the CPU.", rich_help_panel=_RESOURCES
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Runs side by side (default: cores, or GPUs × --jobs-per-gpu).",
            rich_help_panel=_RESOURCES,
        ),
    ] = None,
    jobs_per_gpu: Annotated[
        int, typer.Option(min=1, help="Runs that share a GPU.", rich_help_panel=_RESOURCES)
    ] = 1,
    threads: Annotated[
        int, typer.Option(min=1, help="Threads of each run.", rich_help_panel=_RESOURCES)
    ] = 1,
    timeout: Annotated[
        str | None,
        typer.Option(
            help="Stop a run after, for example, 90s, 15m or 2h.", rich_help_panel=_RESOURCES
        ),
    ] = None,
    memory_limit: Annotated[
        str | None,
        typer.Option(
            help="Stop a run that uses more than, for example, 500M or 4G.",
            rich_help_panel=_RESOURCES,
        ),
    ] = None,
    executor: Annotated[
        str,
        typer.Option(
            help="local (processes of this machine) or ray (a cluster).", rich_help_panel=_RESOURCES
        ),
    ] = "local",
    ray_address: Annotated[
        str | None,
        typer.Option(
            help="Ray cluster: host:port or auto. Without it: a new one.",
            rich_help_panel=_RESOURCES,
        ),
    ] = None,
    results: ResultsFolder = DEFAULT_RESULTS,
    force: Annotated[
        bool, typer.Option("--force", help="Run again what is done.", rich_help_panel=_RESULTS)
    ] = False,
    retry_failed: Annotated[
        bool,
        typer.Option(
            "--retry-failed", help="Run only what failed before.", rich_help_panel=_RESULTS
        ),
    ] = False,
    shard: Annotated[
        str | None,
        typer.Option(
            help="Do only part i of n, for job arrays: i/n, from 1/n to n/n.",
            rich_help_panel=_RESULTS,
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Print what would be run, and stop.", rich_help_panel=_RESULTS
        ),
    ] = False,
    data: DataFile = None,
    target: Target = None,
    id_: IdColumn = None,
    name: DataName = None,
    groups: Groups = None,
    registry: Registry = None,
    data_dir: DataDir = None,
    transform: Transform = None,
    impute: Impute = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only failures.")] = False,
    config: Annotated[
        Path | None,
        typer.Option(
            callback=_read_config,
            is_eager=True,
            help="YAML file whose keys are these flags; flags given here win.",
        ),
    ] = None,
) -> None:
    """Train and score methods on data sets; what is done already is skipped.

    Exit code: 0 all runs are done, 1 some failed, 2 a mistake in the command, 130 stopped.
    """
    from rich.console import Console

    from benchmark.plan.hyperparameters import parse_assignments
    from benchmark.plan.jobs import parse_seeds, parse_shard
    from benchmark.results.store import Store
    from benchmark.run.executors.choice import Resources
    from benchmark.run.executors.events import Limits
    from benchmark.text import parse_duration, parse_megabytes

    limits = Limits(
        None if timeout is None else parse_duration(timeout),
        None if memory_limit is None else parse_megabytes(memory_limit),
    )
    resources = Resources(executor, gpu, jobs, jobs_per_gpu, threads, limits, ray_address)
    if force and retry_failed:
        raise UserError("--force and --retry-failed contradict each other: choose one")
    training_seeds = parse_seeds(seeds)
    part = None if shard is None else parse_shard(shard)
    console = Console(highlight=False)
    sources = _list_sources(
        dataset or [],
        {
            "file": data and data.absolute(),
            "target": target,
            "id_column": id_,
            "groups": groups,
            "name": name,
        },
        {
            "data_dir": data_dir and data_dir.absolute(),
            "registries": tuple(path.absolute() for path in registry or ()),
            "transform": transform,
            "impute": impute,
        },
    )
    planned = _plan(
        [*(model or []), *(method or [])],
        sources,
        {
            "hyperparameters": hyperparameters,
            "study": study,
            "repeats": repeats,
            "folds": folds,
            "seeds": training_seeds,
            "overrides": parse_assignments(set_ or []),
        },
    )
    if part is not None:
        planned = planned[part]
    if not quiet:
        _print_own_table(console, sources)
    store = Store(results)
    if dry_run:
        _print_plan(console, store, planned, resources.count_workers(), force, retry_failed)
        return
    store.prepare()
    _run(console, store, planned, resources, force, retry_failed, quiet)


def _list_sources(names: list[str], own: dict[str, Any], options: dict[str, Any]) -> list[Any]:
    from benchmark.datasets.loading import DataSource
    from benchmark.plan.select import choose_datasets

    chosen = choose_datasets(names, options["registries"]) if names else []
    sources = [DataSource(name=name, **options) for name in chosen]
    if own["file"] is not None:
        plain = {key: options[key] for key in ("transform", "impute", "registries")}
        sources.append(DataSource(**{**own, "name": own["name"] or ""}, **plain))
    elif given := [f"--{key.removesuffix('_column')}" for key, value in own.items() if value]:
        raise UserError(f"{', '.join(given)}: only with --data FILE")
    if not sources:
        raise UserError("no data set: name one with --dataset (`wpfs-bench datasets` lists them)")
    return sources


def _print_own_table(console: "Console", sources: list[Any]) -> None:
    from benchmark.datasets.dataset import describe_table
    from benchmark.datasets.loading import load_dataset

    for source in sources:
        if source.own is not None:
            text = describe_table(load_dataset(source))
            console.print(text, markup=False, soft_wrap=True)


def _plan(
    models: list[str],
    sources: list[Any],
    options: dict[str, Any],
) -> "list[Job]":
    from benchmark.plan.hyperparameters import HYPERPARAMETERS
    from benchmark.plan.jobs import Request, make_jobs
    from benchmark.plan.select import choose_methods

    if options["hyperparameters"] not in HYPERPARAMETERS:
        raise UserError(
            f"--hyperparameters {options['hyperparameters']}: "
            f"choose one of {', '.join(HYPERPARAMETERS)}"
        )
    if options["overrides"] and options["hyperparameters"] == "tuned":
        raise UserError("--set and --hyperparameters tuned contradict each other: choose one")
    if options["study"] is not None and options["hyperparameters"] != "paper":
        raise UserError("--study chooses the hyper-parameters itself: leave --hyperparameters out")
    if options["study"] is not None and models:
        raise UserError("--study chooses the methods itself: leave --model out")
    if options["study"] is None and not models:
        raise UserError("no method: name one with --model (`wpfs-bench models` lists them)")
    chosen = choose_methods(models)
    if models and not chosen:
        raise UserError(f"--model {','.join(models)}: names nothing")
    return make_jobs(Request(methods=chosen, sources=sources, **options))


def _run(
    console: "Console",
    store: "Store",
    planned: "list[Job]",
    resources: "Resources",
    force: bool,
    retry_failed: bool,
    quiet: bool,
) -> None:
    from benchmark.results.expected import write_plan
    from benchmark.results.status import choose_pending, sort_jobs
    from benchmark.run.progress import make_view
    from benchmark.run.session import measure_durations, run_session, stop_on_termination

    backlog = sort_jobs(store, planned)
    todo = choose_pending(backlog, planned, force, retry_failed)
    workers = min(resources.count_workers(), len(todo)) or 1
    if not quiet:
        told = _tell_backlog(backlog, len(todo), workers)
        console.print("nothing failed before" if retry_failed and not todo else told)
    write_plan(store.folder, [job.key for job in planned])
    durations = measure_durations(backlog.list_finished())
    expected = durations.expect_all(Counter(job.cell for job in todo), workers)
    executor = resources.make_executor(store.folder, len(todo))
    view = make_view(console, len(todo), expected, quiet)
    try:
        with stop_on_termination(), executor, view:
            tally = run_session(todo, store, executor, view, durations, workers)
    except KeyboardInterrupt:
        console.print(
            "Stopped. Finished runs are kept; give the same command again to go on.",
            style="yellow",
        )
        raise typer.Exit(130) from None
    _print_end(console, store, planned, backlog.records | tally.records, tally, quiet)
    if tally.failed:
        raise typer.Exit(1)


def _tell_backlog(backlog: "Backlog", todo: int, workers: int) -> str:
    from benchmark.text import count_noun

    parts = [f"{count_noun(todo, 'run')} to do"]
    if backlog.done:
        parts.append(f"{len(backlog.done)} done already")
    if backlog.failed:
        parts.append(f"{len(backlog.failed)} failed before")
    if todo:
        parts.append(f"{workers} at a time")
    return ", ".join(parts)


def _print_plan(
    console: "Console",
    store: "Store",
    planned: "list[Job]",
    workers: int,
    force: bool,
    retry_failed: bool,
) -> None:
    from benchmark.cli.run_tables import make_plan_table
    from benchmark.results.status import choose_pending, sort_jobs
    from benchmark.run.session import measure_durations
    from benchmark.text import show_duration

    backlog = sort_jobs(store, planned)
    durations = measure_durations(backlog.list_finished())
    todo = choose_pending(backlog, planned, force, retry_failed)
    expected = durations.expect_all(Counter(job.cell for job in todo), workers)
    console.print(make_plan_table(backlog, todo, durations))
    console.print()
    console.print(_tell_backlog(backlog, len(todo), workers))
    if expected is None:
        console.print("no run is done yet, so the time cannot be estimated")
    elif todo:
        console.print(f"about {show_duration(expected)}, from the runs done so far")


def _print_end(
    console: "Console",
    store: "Store",
    planned: "list[Job]",
    records: Mapping["RunKey", Mapping[str, Any]],
    tally: "Tally",
    quiet: bool,
) -> None:
    from benchmark.cli.run_tables import make_result_table
    from benchmark.text import count_noun

    if not quiet:
        console.print()
        console.print(make_result_table(planned, records))
        console.print()
    for count, text in tally.group_failures():
        console.print(f"failed {count}×: {text}", style="red", markup=False, soft_wrap=True)
    if quiet:
        return
    if tally.failed:
        console.print(
            f"{len(tally.failed)} of {count_noun(tally.ok + len(tally.failed), 'run')} failed; "
            "--retry-failed runs only what failed"
        )
    console.print(
        f"results are in {store.folder}; `wpfs-bench report --results {store.folder}` sums them up",
        markup=False,
        soft_wrap=True,
    )
