"""From a column to classes: what a label may be, and which samples have one."""

import re
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from benchmark.datasets.labels import sort_labels, spell_labels
from benchmark.datasets.own_table.options import TableOptions
from benchmark.datasets.splits import FEWEST
from benchmark.errors import UserError
from benchmark.text import count_noun, list_some

#: More different numbers than this are measurements, not classes.
_MANY = 20

_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([ T].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}")

_NAMED = 3


def make_labels(
    labels: pd.Series, options: TableOptions
) -> tuple[pd.Series, tuple[str, ...], Mapping[str, str]]:
    """Return the class of each sample that stays.

    Parameters
    ----------
    labels
        The target as read, indexed by sample id.
    options
        What to drop, keep, order and cut.

    Returns
    -------
    tuple
        Class names by sample, the order of the classes, and what was done, for people.
    """
    path, target, details = options.labels or options.path, labels.name, {}
    spelt = spell_labels(labels)
    missing = spelt.index[spelt.isna()]
    if len(missing):
        if not options.drop_unlabelled:
            raise UserError(
                f"{path}: {count_noun(len(missing), 'sample')} without a label in {target!r} "
                f"({list_some(missing.tolist(), _NAMED)}): label them, or leave them out with "
                "--drop-unlabelled"
            )
        details["unlabelled"] = f"{count_noun(len(missing), 'sample')} left out"
        spelt = spelt.dropna()
    if options.cut is not None:
        spelt, order = _cut(spelt, options.cut, path, str(target))
    else:
        _refuse_other_kinds(labels, spelt, path)
        order = tuple(sort_labels(spelt))
    spelt, order = _choose_classes(spelt, order, options, path, details)
    counts = spelt.value_counts()
    small = [name for name in order if counts.get(name, 0) < options.min_class]
    if small:
        spelt = spelt[~spelt.isin(small)]
        order = tuple(name for name in order if name not in small)
        details["small classes"] = (
            f"{list_some(small, _NAMED)} left out ({int(counts[small].sum())} samples)"
        )
    _check_sizes(spelt, order, path, str(target))
    return spelt, order, details


def _refuse_other_kinds(labels: pd.Series, spelt: pd.Series, path: Path) -> None:
    target = labels.name
    if (
        pd.api.types.is_datetime64_any_dtype(labels)
        or spelt.map(lambda text: _DATE.fullmatch(text) is not None).all()
    ):
        raise UserError(f"{path}: {target!r} holds dates, not classes: choose another --target")
    different = spelt.nunique()
    numeric = pd.to_numeric(spelt, errors="coerce").notna().all()
    if numeric and different > _MANY and different > len(spelt) // 5:
        raise UserError(
            f"{path}: {target!r} holds {different} different numbers, and this is classification: "
            "cut them into two classes with --cut median (or --cut VALUE)"
        )


def _cut(spelt: pd.Series, cut: str, path: Path, target: str) -> tuple[pd.Series, tuple[str, ...]]:
    numbers = pd.to_numeric(spelt, errors="coerce")
    if numbers.isna().any():
        bad = spelt[numbers.isna()].iloc[0]
        raise UserError(f"{path}: --cut needs numbers in {target!r}, not {bad!r}")
    if cut == "median":
        value = float(numbers.median())
    else:
        try:
            value = float(cut)
        except ValueError:
            raise UserError(f"--cut {cut}: write median or a number") from None
    order = (f"<= {value:g}", f"> {value:g}")
    return (numbers > value).map({False: order[0], True: order[1]}).astype(object), order


def _choose_classes(
    spelt: pd.Series,
    order: tuple[str, ...],
    options: TableOptions,
    path: Path,
    details: dict[str, str],
) -> tuple[pd.Series, tuple[str, ...]]:
    for name in (*options.classes, *filter(None, [options.positive])):
        if name not in order:
            raise UserError(f"{path}: no class {name!r}, there are {list_some(order, 8)}")
    if options.classes:
        left = ~spelt.isin(options.classes)
        if left.any():
            details["other classes"] = f"{count_noun(int(left.sum()), 'sample')} left out"
        spelt, order = spelt[~left], options.classes
    positive = options.positive
    if positive is not None and len(order) > 2:
        rest = f"not {positive}"
        spelt, order = spelt.where(spelt == positive, rest), (rest, positive)
    elif positive is not None:
        order = (*(name for name in order if name != positive), positive)
    return spelt, order


def _check_sizes(spelt: pd.Series, order: tuple[str, ...], path: Path, target: str) -> None:
    """See that every class has the samples that any number of folds needs."""
    if len(order) < 2:
        raise UserError(
            f"{path}: {target!r} has {count_noun(len(order), 'class')}, at least 2 are needed"
        )
    counts = spelt.value_counts().reindex(order, fill_value=0)
    if counts.min() >= FEWEST:
        return
    hint = ""
    if len(order) > _MANY and len(order) > len(spelt) // 3:
        hint = f" ({len(order)} different values: is this really a column of classes?)"
    raise UserError(
        f"{path}: class {counts.idxmin()!r} has {count_noun(int(counts.min()), 'sample')}, at "
        f"least {FEWEST} are needed: drop small classes with --min-class {FEWEST}, or merge them"
        f"{hint}"
    )
