"""What a user should know of a table before the first run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from benchmark.datasets.dataset import Dataset, count_constant
from benchmark.datasets.labels import spell_labels
from benchmark.datasets.own_table.findings import Finding
from benchmark.datasets.own_table.options import TableOptions
from benchmark.datasets.own_table.read import read_own_table
from benchmark.datasets.own_table.samples import read_samples
from benchmark.datasets.own_table.values import Scale

#: A column with more values is hardly the label.
_MOST_CLASSES = 10


@dataclass(frozen=True)
class Inspection:
    """What was found.

    Parameters
    ----------
    details
        How the file was read.
    n_samples, n_features
        Of the table.
    first_samples, first_features
        Names.
    classes
        Class -> samples; empty without a target.
    candidates
        Column -> (value -> samples): what the target may be, where none was named.
    groups
        Groups that keep samples in one fold, None without ``--groups``.
    missing, constant
        Missing values, and features with one value only.
    scale
        What the values look like.
    findings
        What may spoil a benchmark.
    needed
        Flags that a run needs and why: ``flag value`` -> reason.
    options
        The user's options with those flags.
    """

    details: Mapping[str, str]
    n_samples: int
    n_features: int
    first_samples: Sequence[str]
    first_features: Sequence[str]
    classes: Mapping[str, int] = field(default_factory=dict)
    candidates: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    groups: int | None = None
    missing: int = 0
    constant: int = 0
    scale: Scale = field(default_factory=lambda: Scale("unknown"))
    findings: Sequence[Finding] = ()
    needed: Mapping[str, str] = field(default_factory=dict)
    options: TableOptions | None = None


_FIRST = 3


def inspect_table(options: TableOptions, registries: Sequence[Path] = ()) -> Inspection:
    """Read a table as leniently as can be, and report what a run would want to be told.

    Without a target only what is known before labels are looked at.
    """
    lenient = replace(options, drop_unmatched=options.labels is not None)
    table = read_samples(lenient)
    if options.target is None and table.target is None:
        names = [str(name) for name in table.frame.columns]
        return Inspection(
            table.details,
            len(table.frame),
            len(names),
            [str(name) for name in table.frame.index[:_FIRST]],
            names[:_FIRST],
            candidates=_find_candidates(table.facts, table.frame),
            missing=int(table.frame.isna().sum().sum()),
        )
    lenient = replace(
        lenient,
        impute="median",
        duplicates=options.duplicates or "first",
        drop_unlabelled=True,
    )
    reading = read_own_table(lenient, registries, table)
    dataset, details = reading.dataset, dict(reading.details)
    needed = _find_needed(options, dataset, details)
    accepted = tuple(f.code for f in reading.findings if f.level == "stop")
    return Inspection(
        details,
        dataset.n_samples,
        dataset.n_features,
        dataset.sample_ids[:_FIRST].tolist(),
        dataset.feature_names[:_FIRST].tolist(),
        dict(zip(dataset.class_names.tolist(), dataset.class_counts, strict=True)),
        groups=None if dataset.groups is None else len(np.unique(dataset.groups)),
        missing=int(np.isnan(dataset.X).sum()),
        constant=count_constant(dataset.X),
        scale=reading.scale,
        findings=[f for f in reading.findings if f.code not in options.accept],
        needed=needed,
        options=_add_flags(options, needed) if not accepted else options,
    )


def _find_needed(
    options: TableOptions, dataset: Dataset, details: Mapping[str, str]
) -> dict[str, str]:
    needed = {}
    if options.impute is None and np.isnan(dataset.X).any():
        needed["impute median"] = "missing values are filled with medians of each training split"
    if options.duplicates is None and "duplicate names" in details:
        needed["duplicates first"] = f"{details['duplicate names']}: or mean, or max-variance"
    if not options.drop_unlabelled and "unlabelled" in details:
        needed["drop-unlabelled"] = f"without a label: {details['unlabelled']}"
    if not options.drop_unmatched and "unmatched" in details:
        needed["drop-unmatched"] = details["unmatched"]
    return needed


def _add_flags(options: TableOptions, needed: Mapping[str, str]) -> TableOptions:
    flags = {flag.split()[0] for flag in needed}
    return replace(
        options,
        impute="median" if "impute" in flags else options.impute,
        duplicates="first" if "duplicates" in flags else options.duplicates,
        drop_unlabelled=options.drop_unlabelled or "drop-unlabelled" in flags,
        drop_unmatched=options.drop_unmatched or "drop-unmatched" in flags,
    )


def _find_candidates(facts: pd.DataFrame, frame: pd.DataFrame) -> dict[str, dict[str, int]]:
    """Return columns with few different values, those of the labels' file first."""
    found: dict[str, dict[str, int]] = {}
    texts = frame.loc[:, [not pd.api.types.is_float_dtype(kind) for kind in frame.dtypes]]
    for columns in (facts, texts):
        for place, name in enumerate(columns.columns):
            labels = spell_labels(columns.iloc[:, place]).dropna()
            counts = labels.value_counts()
            if 2 <= len(counts) <= _MOST_CLASSES and counts.min() > 1:
                found.setdefault(str(name), {str(k): int(v) for k, v in counts.items()})
        if len(found) > _MOST_CLASSES:
            break
    return dict(list(found.items())[:_MOST_CLASSES])
