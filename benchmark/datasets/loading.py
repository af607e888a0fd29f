"""From a name, or a user's own file, to a frozen record."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmark.datasets import synthetic
from benchmark.datasets.cache import check_ready, find_data_folder, read_stored_table
from benchmark.datasets.dataset import Dataset, apply_transform, check_imputation, take_sample
from benchmark.datasets.names import SYNTHETIC, parse_sample, parse_transform
from benchmark.datasets.own_table.options import TableOptions
from benchmark.datasets.registry import Entry, find_entry
from benchmark.errors import UserError
from benchmark.text import count_noun


@dataclass(frozen=True)
class DataSource:
    """What to load.

    Parameters
    ----------
    name
        As ``benchmark.datasets.load`` takes it; "" for a table of the user's.
    own
        How to read a table of the user's, None for a data set of a registry.
    data_dir, registries, transform, impute
        Passed to the loader.
    imagine
        Whether a table that is missing here may be one of zeros, of the size that the registry
        states: to plan with, never to run.
    """

    name: str = ""
    own: TableOptions | None = None
    data_dir: Path | None = None
    registries: tuple[Path, ...] = ()
    transform: str | None = None
    impute: str | None = None
    imagine: bool = False

    def is_ready(self) -> bool:
        """Return whether there is a table to load."""
        try:
            check_ready([] if self.own else [self.name], self.data_dir, self.registries)
        except UserError:
            return False
        return True

    def load(self) -> Dataset:
        """Load the data set."""
        if self.imagine and not self.is_ready():
            return imagine_dataset(find_entry(self.name, self.registries))
        if self.own is not None:
            return read_table(self.own, self.transform, self.registries)
        return load(
            self.name,
            data_dir=self.data_dir,
            registries=self.registries,
            transform=self.transform,
            impute=self.impute,
        )


def load(
    name: str,
    data_dir: Path | None = None,
    registries: Sequence[Path] = (),
    transform: str | None = None,
    impute: str | None = None,
) -> Dataset:
    """Load a data set by name.

    Parameters
    ----------
    name
        A name of ``datasets.yaml`` or of ``registries``; ``metabric-dr:samples=60`` is a
        stratified sample of one. Or ``synthetic``, with parameters as in
        ``synthetic:samples=100,features=5000``. ``+log2p1`` at its end is a transform, so the
        name of a loaded record loads it again.
    data_dir
        Data folder; by default ``WPFS_BENCH_DATA``, else the platform's.
    registries
        YAML files of the form of ``datasets.yaml`` with more data sets.
    transform
        None or ``"log2p1"``.
    impute
        None or ``"median"``: kept in the record for the runner, which fits it on training rows.
    """
    name, transform = _choose_transform(name, transform)
    check_imputation(impute)
    if name.partition(":")[0] == SYNTHETIC:
        made = synthetic.load_synthetic(**synthetic.parse_parameters(name))
        dataset = replace(made, impute=impute)
    else:
        base, size = parse_sample(name)
        check_ready([base], data_dir, registries)
        entry = find_entry(base, registries)
        table = find_data_folder(data_dir).table(base)
        dataset = read_stored_table(table, entry, impute, data_dir)
        dataset = dataset if size is None else take_sample(dataset, size)
    missing = int(np.isnan(dataset.X).sum())
    if missing and impute is None:
        raise UserError(
            f"data set {name!r}: {count_noun(missing, 'missing value')}, use --impute median "
            "(fitted on each training split)"
        )
    return apply_transform(dataset, transform)


def imagine_dataset(entry: Entry) -> Dataset:
    """Return a table of zeros with the size and classes that the registry states."""
    if entry.expected is None:
        raise UserError(f"the registry states no size of {entry.name!r}: `wpfs-bench download` it")
    size = entry.expected
    return Dataset(
        name=entry.name,
        X=np.zeros((size.samples, size.features), dtype=np.float32),
        y=np.repeat(np.arange(len(size.counts)), size.counts),
        feature_names=np.arange(size.features).astype(np.str_),
        sample_ids=np.arange(size.samples).astype(np.str_),
        class_names=np.asarray(entry.classes, dtype=np.str_),
        hyperparameters_of=entry.hyperparameters_of or entry.name,
        stand_in_for=entry.stand_in_for,
    )


def read_table(
    options: TableOptions, transform: str | None = None, registries: Sequence[Path] = ()
) -> Dataset:
    """Read a table of the user's; a finding that stops a run is an error unless accepted.

    Parameters
    ----------
    options
        Where it is and how to read it, for example
        ``TableOptions(Path("expression.csv"), labels=Path("clinic.csv"), target="response")``.
    transform
        As for ``load``.
    registries
        As for ``load``: the names in them are taken, too.
    """
    from benchmark.datasets.own_table.read import read_own_table

    check_imputation(options.impute)
    reading = read_own_table(options, registries)
    reading.check(options.accept)
    return apply_transform(reading.dataset, transform)


def _choose_transform(name: str, transform: str | None) -> tuple[str, str | None]:
    base, named = parse_transform(name)
    if named is not None and transform not in (None, named):
        raise UserError(f"{name} and transform {transform} contradict each other")
    return base, named or transform


@functools.lru_cache(maxsize=2)
def load_dataset(source: DataSource) -> "Dataset":
    """Load a data set; workers do many runs on the same one in a row."""
    return source.load()
