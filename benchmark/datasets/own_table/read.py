"""From a user's file, or two, to a data set and what is worth knowing of it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from benchmark.datasets.dataset import Dataset, count_constant
from benchmark.datasets.labels import spell_labels
from benchmark.datasets.own_table.findings import Finding, find_problems
from benchmark.datasets.own_table.genes import clean_names, merge_duplicates, select_columns
from benchmark.datasets.own_table.labels import make_labels
from benchmark.datasets.own_table.options import TableOptions
from benchmark.datasets.own_table.samples import (
    SampleTable,
    describe_columns,
    looks_transposed,
    read_samples,
)
from benchmark.datasets.own_table.values import Scale, check_values, guess_scale, to_matrix
from benchmark.datasets.registry import known_names
from benchmark.datasets.splits import FEWEST
from benchmark.errors import UserError
from benchmark.text import count_noun, list_some


@dataclass(frozen=True)
class Reading:
    """A table of the user's, read.

    Parameters
    ----------
    dataset
        What runs learn from.
    details
        How it was read, for people.
    findings
        What may spoil a benchmark.
    scale
        What the values look like.
    """

    dataset: Dataset
    details: Mapping[str, str] = field(default_factory=dict)
    findings: Sequence[Finding] = ()
    scale: Scale = field(default_factory=lambda: Scale("unknown"))

    def check(self, accepted: Sequence[str]) -> None:
        """Raise a ``UserError`` for the first finding that stops a run, unless it is accepted."""
        for finding in self.findings:
            if finding.level == "stop" and finding.code not in accepted:
                raise UserError(
                    f"{self.dataset.provenance['source']}: {finding.text}: {finding.help} "
                    f"(or --accept {finding.code})"
                )


def read_own_table(
    options: TableOptions, registries: Sequence[Path] = (), table: SampleTable | None = None
) -> Reading:
    """Read and check a table.

    Parameters
    ----------
    options
        Where it is and how to read it.
    registries
        Registries of the user's, whose names are taken.
    table
        What ``read_samples`` gave, if it was called before.
    """
    name = choose_name(options.path, options.name, known_names(registries))
    table = table or read_samples(options)
    details = dict(table.details)
    target, groups, values, facts = _take_columns(table, options)
    labels, order, changed = make_labels(target, options)
    details |= changed
    values, facts = values.loc[labels.index], facts.loc[labels.index]
    group_of = None
    if groups is not None:
        group_of = spell_labels(groups.loc[labels.index])
        _check_groups(group_of, labels, options)
    names, changed = clean_names(values.columns)
    details |= changed
    values = select_columns(options.path, values.set_axis(names, axis=1), options.columns)
    matrix = to_matrix(options.path, values)
    merged, changed = merge_duplicates(
        options.path,
        pd.DataFrame(matrix, index=values.index, columns=values.columns),
        options.duplicates,
    )
    details |= changed
    matrix = merged.to_numpy()
    check_values(options.path, matrix, merged.columns, options.impute)
    codes = {label: code for code, label in enumerate(order)}
    y = labels.map(codes).to_numpy(dtype=np.int64)
    findings = find_problems(
        matrix,
        merged.columns.tolist(),
        merged.index.tolist(),
        y,
        order,
        [str(text) for text in target.dropna()],
        facts,
        groups is not None,
    )
    dataset = Dataset(
        name=name,
        X=matrix.astype(np.float32),
        y=y,
        feature_names=merged.columns.to_numpy(dtype=np.str_),
        sample_ids=merged.index.to_numpy(dtype=np.str_),
        class_names=np.array(order, dtype=np.str_),
        groups=None if group_of is None else group_of.to_numpy(dtype=np.str_),
        impute=options.impute,
        provenance={
            "source": str(options.path),
            **({"labels": str(options.labels)} if options.labels else {}),
            "target": str(target.name),
            "constant_features": count_constant(matrix),
            "missing_values": int(np.isnan(matrix).sum()),
            "findings": [f"{f.level} {f.code}: {f.text} ({f.help})" for f in findings],
        },
    )
    return Reading(dataset, details, findings, guess_scale(matrix))


def choose_name(path: Path, name: str | None, taken: Sequence[str]) -> str:
    """Return the name asked for, else one made of the file's; results are kept under it.

    ``taken`` are names of the suite: under one of them the table would get the paper's
    hyper-parameters and be compared with the paper.
    """
    if name is not None and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", name):
        raise UserError(
            f"--name {name[:40]!r}: use up to 100 letters, digits, '.', '_' and '-' only"
        )
    stem = re.sub(r"\.(gz|bz2|xz|zip)$", "", path.name).rpartition(".")[0]
    chosen = name or re.sub(r"[^a-z0-9._-]+", "-", stem.lower()).strip("-.")[:100] or "data"
    # Some file systems take Lung and lung for the same results folder.
    if chosen.lower() in taken:
        raise UserError(
            f"{path}: a data set of the suite is called {chosen.lower()!r} already, choose another "
            "name with --name"
        )
    return chosen


def _take_columns(
    table: SampleTable, options: TableOptions
) -> tuple[pd.Series, pd.Series | None, pd.DataFrame, pd.DataFrame]:
    """Return target, groups, and what is left of values and facts."""
    values, facts = table.frame, table.facts
    target_name = options.target or table.target
    if target_name is None:
        known = list_some([str(name) for name in facts.columns], 8)
        where = f" (of the samples is known: {known})" if len(facts.columns) else ""
        raise UserError(
            f"{options.path}: say which column holds the classes with --target COLUMN{where}"
        )
    named = {"--target": target_name, "--groups": options.groups}
    found: dict[str, pd.Series] = {}
    for option, column in named.items():
        if column is None:
            continue
        if column in facts.columns:
            found[option] = facts[column]
            facts = facts.drop(columns=column)
        elif column in values.columns:
            if list(values.columns).count(column) > 1:
                raise UserError(f"{options.path}: column {column!r} occurs twice, rename one")
            found[option] = values[column]
            values = values.drop(columns=column)
        elif column.isdecimal() and 1 <= int(column) <= values.shape[1]:
            found[option] = values.iloc[:, int(column) - 1].rename(f"column {column}")
            values = values.drop(columns=values.columns[int(column) - 1])
        else:
            raise UserError(_describe_missing(option, column, table, options))
    for column in options.drop:
        if column in values.columns:
            values = values.drop(columns=column)
        elif column not in facts.columns and table.details.get("orientation") != "genes in rows":
            raise UserError(
                f"{options.path}: --drop column {column!r} is not there "
                f"({describe_columns(column, values.columns)})"
            )
    return found["--target"], found.get("--groups"), values, facts


def _describe_missing(option: str, column: str, table: SampleTable, options: TableOptions) -> str:
    where = options.labels or options.path
    columns = table.facts.columns if options.labels else table.frame.columns
    text = f"{where}: {option} column {column!r} is not there"
    if options.labels is None and (
        looks_transposed(table) or column in table.frame.index or column in _first_texts(table)
    ):
        return (
            f"{text}: the table has {table.frame.shape[0]} rows and {table.frame.shape[1]} "
            "columns and looks transposed; use --genes-in-rows, and --labels FILE for the classes"
        )
    return f"{text} ({describe_columns(column, columns)})"


def _first_texts(table: SampleTable) -> list[str]:
    first = table.frame.iloc[:, 0]
    return [] if pd.api.types.is_numeric_dtype(first) else [str(text) for text in first]


def _check_groups(group_of: pd.Series, labels: pd.Series, options: TableOptions) -> None:
    if group_of.isna().any():
        ids = group_of.index[group_of.isna()]
        raise UserError(
            f"{options.path}: {count_noun(len(ids), 'sample')} without a group in "
            f"{options.groups!r} ({list_some(ids.tolist(), 3)}), remove or fill what has none"
        )
    per_class = group_of.groupby(labels).nunique()
    if per_class.min() < FEWEST:
        raise UserError(
            f"{options.path}: class {per_class.idxmin()!r} has samples of only "
            f"{count_noun(int(per_class.min()), 'group')} of {options.groups!r}, at least "
            f"{FEWEST} are needed"
        )
