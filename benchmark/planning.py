"""From what a user asks for to a list of jobs."""

import difflib
import fnmatch
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmark.errors import UserError
from benchmark.protocol import FOLDS, REPEATS, SEED, RunKey, make_split

if TYPE_CHECKING:
    from baselines.method import Method
    from benchmark.datasets import Dataset
    from benchmark.runner import Job
    from benchmark.sources import DataSource
    from benchmark.store import Store

ALL = "all"
PAPER = "paper"
#: Of numpy's older generator, which scikit-learn uses.
_LARGEST_SEED = 2**32 - 1
HYPERPARAMETERS = ("paper", "default", "tuned")


@dataclass(frozen=True)
class Request:
    """What is to be run.

    Parameters
    ----------
    methods
        Names or ``path/to/file.py:Class``.
    sources
        Where the data sets come from.
    hyperparameters
        ``paper``, ``default`` or ``tuned`` (every point of the grid).
    overrides
        Hyper-parameters that hold whatever ``hyperparameters`` says.
    study
        Name of a study of ``benchmark.studies``; it chooses methods and hyper-parameters.
    repeats, folds, seeds
        Every combination is one run.
    """

    methods: Sequence[str]
    sources: Sequence["DataSource"]
    hyperparameters: str = "paper"
    overrides: Mapping[str, Any] = field(default_factory=dict)
    study: str | None = None
    repeats: int = REPEATS
    folds: int = FOLDS
    seeds: Sequence[int] = (SEED,)


@dataclass(frozen=True)
class Trial:
    """A method with hyper-parameters on a data set."""

    method: str
    source: "DataSource"
    values: Mapping[str, Any]


def make_jobs(request: Request) -> list["Job"]:
    """Return every run that is asked for, data set by data set, each once."""
    from benchmark.hyperparameters import normalise, to_text
    from benchmark.runner import Job, describe, load_dataset

    _check_ready(request.sources)
    jobs: dict[RunKey, Job] = {}
    references: dict[str, str] = {}
    checked: set[str] = set()
    for trial in _list_trials(request):
        dataset = load_dataset(trial.source)
        if dataset.name not in checked:
            _check_splits(dataset, request.repeats, request.folds)
            checked.add(dataset.name)
        method = find_method(trial.method)
        other = references.setdefault(method.name, trial.method)
        if other != trial.method:
            raise UserError(
                f"{other} and {trial.method} would both be called {method.name!r}: "
                "rename one of the classes"
            )
        settings = normalise(method, {**trial.values, **request.overrides})
        _check_settings(method, settings)
        description = describe(method, dataset, settings)
        for repeat, fold, seed in itertools.product(
            range(request.repeats), range(request.folds), request.seeds
        ):
            key = RunKey(
                dataset=dataset.name,
                dataset_checksum=dataset.checksum,
                model=method.name,
                method_version=method.version,
                settings=to_text(settings),
                repeat=repeat,
                fold=fold,
                folds=request.folds,
                seed=seed,
            )
            jobs[key] = Job(key, trial.method, trial.source, description)
    return list(jobs.values())


def _check_settings(method: "Method", settings: Mapping[str, Any]) -> None:
    """Let a method that can tell refuse its hyper-parameters before the first run."""
    from benchmark.hyperparameters import to_arguments

    if not hasattr(method.estimator, "check_hyperparameters"):
        return
    try:
        method.estimator(**to_arguments(method, settings)).check_hyperparameters()
    except ValueError as error:
        raise UserError(f"{method.name}: {error}") from error


def _check_ready(sources: Sequence["DataSource"]) -> None:
    """Name all data sets that are to be downloaded first, not one after the other."""
    from benchmark.datasets import check_ready

    names: dict[Any, list[str]] = {}
    for source in sources:
        if source.file is None:
            names.setdefault((source.data_dir, source.registries), []).append(source.name)
    for (data_dir, registries), group in names.items():
        check_ready(group, data_dir, registries)


def _check_splits(dataset: "Dataset", repeats: int, folds: int) -> None:
    """See before the first run that every split can be made."""
    from benchmark.datasets import check_folds

    check_folds(dataset, folds)
    if dataset.groups is None:
        return
    try:
        for repeat, fold in itertools.product(range(repeats), range(folds)):
            make_split(dataset.y, repeat, fold, folds, dataset.groups)
    except UserError as error:
        raise UserError(f"data set {dataset.name}: {error}") from error


def find_method(name: str) -> "Method":
    """Return a method that can run here."""
    from baselines.registry import MethodError, get_method

    try:
        return get_method(name)
    except MethodError as error:
        raise UserError(str(error)) from error


def _list_trials(request: Request) -> Iterator[Trial]:
    from benchmark.runner import load_dataset

    for source in request.sources:
        if request.study is not None:
            yield from _list_study(request.study, source, request.overrides)
            continue
        for name in request.methods:
            method, dataset = find_method(name), load_dataset(source)
            for values in list_presets(method, dataset, request.hyperparameters):
                yield Trial(name, source, values)


def _list_study(name: str, source: "DataSource", overrides: Mapping[str, Any]) -> Iterator[Trial]:
    from benchmark.runner import load_dataset
    from benchmark.studies import STUDIES

    if name not in STUDIES:
        raise UserError(f"there is no study {name!r}: choose one of {', '.join(sorted(STUDIES))}")
    varied = {key for variant in STUDIES[name].variants for key in variant.changes}
    if clash := sorted(varied & set(overrides)):
        raise UserError(f"--set {clash[0]}: the study {name} varies it itself")
    if source.file is not None:
        raise UserError("--study needs data sets of a registry: put your table in a --registry")
    published = load_dataset(source).hyperparameters_of
    trials = STUDIES[name].runs(
        [source.name], lambda model, _: find_method(model).paper_hyperparameters(published)
    )
    if not trials:
        raise UserError(f"study {name} is not meant for the data set {source.name}")
    for method, dataset, values in trials:
        yield Trial(method, replace(source, name=dataset), values)


def list_presets(method: "Method", dataset: "Dataset", preset: str) -> list[dict[str, Any]]:
    """Return the hyper-parameters of a preset: one set, or all points of the grid."""
    from benchmark.tuning import list_candidates

    published = dataset.hyperparameters_of
    if preset == "default":
        return [{}]
    if preset == "tuned":
        return list_candidates(method, published)
    return [method.paper_hyperparameters(published)]


def choose_methods(patterns: Sequence[str]) -> list[str]:
    """Resolve names, globs, ``all`` and ``paper`` (the paper's eleven) to methods.

    Methods that cannot run here are left out of globs and groups, and are an error by name.
    """
    from baselines.registry import find_catalogue, is_path

    catalogue = find_catalogue()
    names = [name for name in catalogue.methods if name not in catalogue.unavailable]
    published = [name for name in names if catalogue.methods[name].column is not None]
    known = [*names, *(name for name in catalogue.unavailable if name in catalogue.methods)]
    chosen = _choose(patterns, names, published, known, "method", "models", keep=is_path)
    return [_make_absolute(name) if is_path(name) else name for name in chosen]


def choose_datasets(patterns: Sequence[str], registries: Sequence[Any] = ()) -> list[str]:
    """Resolve names, globs, ``all`` and ``paper`` (the paper's nine) to data sets."""
    from benchmark.datasets.registry import known_names, paper_names

    names = list(known_names(registries))
    return _choose(
        patterns, names, list(paper_names()), names, "data set", "datasets", keep=_has_parameters
    )


def parse_shard(text: str) -> slice:
    """Read ``i/n`` with i from 1 to n: every n-th job, starting with the i-th."""
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    part, parts = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= part <= parts:
        raise UserError(f"--shard {text}: write it as i/n with i from 1 to n, for example 1/4")
    return slice(part - 1, None, parts)


@dataclass(frozen=True)
class Backlog:
    """Jobs by what the store has of them."""

    done: list["Job"]
    failed: list["Job"]
    missing: list["Job"]


def sort_jobs(store: "Store", jobs: Sequence["Job"]) -> Backlog:
    """Look up which jobs are done."""
    backlog = Backlog([], [], [])
    for job in jobs:
        status = store.read_status(job.key)
        if status is None:
            backlog.missing.append(job)
        elif status == "ok":
            backlog.done.append(job)
        else:
            backlog.failed.append(job)
    return backlog


def choose_pending(
    backlog: Backlog, planned: Sequence["Job"], force: bool = False, retry_failed: bool = False
) -> list["Job"]:
    """Return the jobs to do: what is not ``ok``, or everything, or only what failed."""
    if force:
        return list(planned)
    if retry_failed:
        return list(backlog.failed)
    done = {job.key for job in backlog.done}
    return [job for job in planned if job.key not in done]


def parse_seeds(text: str) -> tuple[int, ...]:
    """Read ``42`` or ``42,43,44``."""
    try:
        seeds = tuple(dict.fromkeys(int(part) for part in text.split(",") if part.strip()))
    except ValueError as error:
        raise UserError(f"--seeds {text}: write whole numbers, for example 42,43") from error
    if not seeds or min(seeds) < 0 or max(seeds) > _LARGEST_SEED:
        raise UserError(
            f"--seeds {text}: write whole numbers from 0 to {_LARGEST_SEED}, for example 42,43"
        )
    return seeds


def _choose(
    patterns: Sequence[str],
    names: Sequence[str],
    published: Sequence[str],
    known: Sequence[str],
    what: str,
    command: str,
    keep: Callable[[str], bool],
) -> list[str]:
    chosen: dict[str, None] = {}
    for pattern in split_list(patterns):
        if pattern == ALL:
            found = list(names)
        elif pattern == PAPER:
            found = list(published)
        elif keep(pattern) or pattern in known:
            found = [pattern]
        elif any(character in pattern for character in "*?["):
            found = fnmatch.filter(names, pattern)
        else:
            found = []
        if not found and what == "method" and pattern.endswith(".py"):
            raise UserError(f"no method {pattern!r}: write {pattern}:ClassName for a class of it")
        if not found:
            near = _nearest(pattern, known)
            raise UserError(f"no {what} {pattern!r}{near}: `wpfs-bench {command}` lists them")
        chosen |= dict.fromkeys(found)
    return list(chosen)


def split_list(texts: Iterable[str]) -> list[str]:
    """Split comma lists; a name with parameters of its own (``synthetic:a=1,b=2``) stays whole."""
    parts: list[str] = []
    for text in texts:
        for part in text.split(","):
            if parts and "=" in part and ":" in parts[-1] and ":" not in part:
                parts[-1] += f",{part.strip()}"
            elif part.strip():
                parts.append(part.strip())
    return parts


def _make_absolute(reference: str) -> str:
    """Make ``path/to/file.py:Class`` hold wherever a worker runs."""
    path, _, class_name = reference.rpartition(":")
    return f"{Path(path).expanduser().absolute()}:{class_name}"


def _has_parameters(name: str) -> bool:
    return ":" in name or "+" in name


def _nearest(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""
