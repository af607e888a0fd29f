"""From what a user asks for to a list of jobs."""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from baselines._shared.method import Method
from baselines._shared.registry import get_method
from benchmark.datasets.loading import DataSource, load_dataset
from benchmark.datasets.splits import FOLDS, REPEATS, check_folds, make_split
from benchmark.errors import UserError
from benchmark.plan.hyperparameters import (
    PRESETS,
    find_presets,
    list_hyperparameters,
    normalise,
    to_arguments,
    to_text,
)
from benchmark.plan.key import SEED, RunKey
from benchmark.plan.select import check_written_as_class

if TYPE_CHECKING:
    from benchmark.datasets.dataset import Dataset


@dataclass(frozen=True)
class Job:
    """A run to be done.

    Parameters
    ----------
    key
        Names the run.
    method
        Name or ``path/to/file.py:Class``, for ``baselines._shared.registry.get_method``.
    source
        Where the data set comes from.
    description
        Fields of the record that say what method and data set are, however the run ends.
    requires
        Import names of the libraries whose versions the record states.
    """

    key: RunKey
    method: str
    source: DataSource
    description: Mapping[str, Any] = field(default_factory=dict)
    requires: tuple[str, ...] = ()

    @property
    def cell(self) -> tuple[str, str]:
        """Model and data set."""
        return self.key.model, self.key.dataset


#: Of numpy's older generator, which scikit-learn uses.
_LARGEST_SEED = 2**32 - 1


@dataclass(frozen=True)
class RunRequest:
    """What a user asks ``wpfs-bench run`` for; what contradicts itself is refused.

    Parameters
    ----------
    methods
        Names or ``path/to/file.py:Class``.
    sources
        Where the data sets come from.
    preset
        ``paper``, ``default`` or ``tuned`` (every point of the grid).
    overrides
        Hyper-parameters in place of the preset's.
    study
        Name of a study of ``benchmark.plan.studies``; it chooses methods and hyper-parameters.
    repeats, folds, seeds
        Every combination is one run.
    """

    methods: Sequence[str]
    sources: Sequence[DataSource]
    preset: str = "paper"
    overrides: Mapping[str, Any] = field(default_factory=dict)
    study: str | None = None
    repeats: int = REPEATS
    folds: int = FOLDS
    seeds: Sequence[int] = (SEED,)

    def __post_init__(self) -> None:
        if not self.sources:
            raise UserError(
                "no data set: name one with --dataset (`wpfs-bench datasets` lists them)"
            )
        if self.preset not in PRESETS:
            raise UserError(f"--hyperparameters {self.preset}: choose one of {', '.join(PRESETS)}")
        if self.overrides and self.preset == "tuned":
            raise UserError("--set and --hyperparameters tuned contradict each other: choose one")
        if self.study is not None and self.preset != "paper":
            raise UserError(
                "--study chooses the hyper-parameters itself: leave --hyperparameters out"
            )
        if self.study is not None and self.methods:
            raise UserError("--study chooses the methods itself: leave --model out")
        if self.study is None and not self.methods:
            raise UserError("no method: name one with --model (`wpfs-bench models` lists them)")


#: A method with hyper-parameters on a data set.
Trial = tuple[str, DataSource, Mapping[str, Any]]


def make_jobs(request: RunRequest) -> list[Job]:
    """Return every run that is asked for, data set by data set, each once."""
    _check_ready(request.sources)
    jobs: dict[RunKey, Job] = {}
    references: dict[str, str] = {}
    checked: set[str] = set()
    for name, source, values in _list_trials(request):
        dataset = load_dataset(source)
        if dataset.name not in checked:
            _check_splits(dataset, request.repeats, request.folds)
            checked.add(dataset.name)
        method = find_method(name)
        other = references.setdefault(method.name, name)
        if other != name:
            raise UserError(
                f"{other} and {name} would both be called {method.name!r}: "
                "rename one of the classes"
            )
        hyperparameters = normalise(method, {**values, **request.overrides})
        check_hyperparameters(method, hyperparameters)
        description = {
            "stand_in_for": dataset.stand_in_for or "",
            "hyperparameters_of": dataset.hyperparameters_of,
            "dataset_differences": list(dataset.differences),
            "presets": list(find_presets(method, dataset.hyperparameters_of, hyperparameters)),
        }
        for repeat, fold, seed in itertools.product(
            range(request.repeats), range(request.folds), request.seeds
        ):
            key = RunKey(
                dataset=dataset.name,
                dataset_checksum=dataset.checksum,
                model=method.name,
                method_version=method.version,
                hyperparameters_text=to_text(hyperparameters),
                repeat=repeat,
                fold=fold,
                folds=request.folds,
                seed=seed,
            )
            jobs[key] = Job(key, name, source, description, method.requires)
    return list(jobs.values())


def check_hyperparameters(method: Method, hyperparameters: Mapping[str, Any]) -> None:
    """Refuse before the first run what the method's own check refuses, if it has one."""
    if not hasattr(method.estimator, "check_hyperparameters"):
        return
    try:
        method.estimator(**to_arguments(method, hyperparameters)).check_hyperparameters()
    except ValueError as error:
        raise UserError(f"{method.name}: {error}") from error


def _check_ready(sources: Sequence[DataSource]) -> None:
    """Refuse data sets that are not downloaded, naming all of them at once."""
    from benchmark.datasets.cache import check_ready

    names: dict[Any, list[str]] = {}
    for source in sources:
        if source.own is None and not source.imagine:
            names.setdefault((source.data_dir, source.registries), []).append(source.name)
    for (data_dir, registries), group in names.items():
        check_ready(group, data_dir, registries)


def _check_splits(dataset: "Dataset", repeats: int, folds: int) -> None:
    """Refuse before the first run a number of folds for which a split cannot be made."""
    try:
        check_folds(dataset.y, folds, dataset.groups, dataset.class_names)
        if dataset.groups is None:
            return
        for repeat, fold in itertools.product(range(repeats), range(folds)):
            make_split(dataset.y, repeat, fold, folds, dataset.groups)
    except UserError as error:
        raise UserError(f"data set {dataset.name}: {error}") from error


def find_method(name: str) -> Method:
    """Return a method that can run here."""
    from baselines._shared.registry import MethodError

    check_written_as_class(name)
    try:
        return get_method(name)
    except MethodError as error:
        raise UserError(str(error)) from error


def _list_trials(request: RunRequest) -> Iterator[Trial]:
    for source in request.sources:
        if request.study is not None:
            yield from _list_study(request.study, source, request.overrides)
            continue
        for name in request.methods:
            published = load_dataset(source).hyperparameters_of
            for values in list_hyperparameters(find_method(name), published, request.preset):
                yield name, source, values


def _list_study(name: str, source: DataSource, overrides: Mapping[str, Any]) -> Iterator[Trial]:
    from benchmark.plan.studies import STUDIES

    if name not in STUDIES:
        raise UserError(f"there is no study {name!r}: choose one of {', '.join(sorted(STUDIES))}")
    varied = {key for variant in STUDIES[name].variants for key in variant.changes}
    if clash := sorted(varied & set(overrides)):
        raise UserError(f"--set {clash[0]}: the study {name} varies it itself")
    if source.own is not None:
        raise UserError("--study needs data sets of a registry: put your table in a --registry")
    published = load_dataset(source).hyperparameters_of
    trials = STUDIES[name].runs(
        [source.name], lambda model, _: find_method(model).paper_hyperparameters(published)
    )
    if not trials:
        raise UserError(f"study {name} is not meant for the data set {source.name}")
    for method, dataset, values in trials:
        yield method, replace(source, name=dataset), values


def parse_shard(text: str) -> slice:
    """Read ``i/n`` with i from 1 to n: every n-th job, starting with the i-th."""
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    part, parts = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= part <= parts:
        raise UserError(f"--shard {text}: write it as i/n with i from 1 to n, for example 1/4")
    return slice(part - 1, None, parts)


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
