"""Which runs a report is about: by name, preset and hyper-parameters, the newest of each."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from benchmark.datasets.names import SIZE_MARK
from benchmark.errors import UserError
from benchmark.report.labels import Labels
from benchmark.report.tuning import select_tuned
from benchmark.text import list_some

#: So many sets of hyper-parameters are named in a hint.
_NAMED = 5

_RUN = ["dataset", "model", "hyperparameters_hash", "folds", "repeat", "fold", "seed"]


def select_preset(frame: pd.DataFrame, preset: str) -> pd.DataFrame:
    """Keep the runs with a preset of the hyper-parameters: ``paper``, ``default`` or ``tuned``."""
    if preset == "tuned":
        return select_tuned(frame)
    chosen = frame[_have_preset(frame, preset)]
    if chosen.empty and len(frame):
        others = sorted({name for presets in frame["presets"] for name in presets})
        hint = f"the store has {', '.join(others)}" if others else _suggest_overrides(frame)
        raise UserError(f"no run has --hyperparameters {preset}: {hint}")
    return chosen


def select_overridden(
    frame: pd.DataFrame,
    preset: str,
    overrides: Mapping[str, Any],
    labels: Labels,
) -> pd.DataFrame:
    """Keep the runs that ``run --hyperparameters PRESET --set NAME=VALUE`` makes.

    Methods without a hyper-parameter of that name keep the preset.
    Which published hyper-parameters apply to a data set is in the labels.
    """
    from benchmark.plan.hyperparameters import hash_values, normalise, settable
    from benchmark.plan.methods import read_method_cards

    methods = read_method_cards()
    wanted = {}
    for model, dataset in frame[["model", "dataset"]].drop_duplicates().itertuples(index=False):
        method = methods.get(model)
        if method is None:  # of a user's file: its defaults are not known here
            wanted[model, dataset] = hash_values(overrides)
            continue
        known = settable(method)
        changes = {name: value for name, value in overrides.items() if name in known}
        if changes:
            base = {}
            if preset == "paper":
                base = method.paper_hyperparameters(labels.dataset(dataset).preset_name)
            wanted[model, dataset] = hash_values(normalise(method, {**base, **changes}))
    cells = pd.MultiIndex.from_frame(frame[["model", "dataset"]])
    hashes = pd.Series([wanted.get(cell) for cell in cells], index=frame.index, dtype=object)
    overridden = frame["hyperparameters_hash"] == hashes
    if not overridden.any():
        text = ", ".join(f"{name}={value}" for name, value in overrides.items())
        raise UserError(f"no run has --set {text}: {_list_values(frame, overrides)}")
    return frame[overridden | (hashes.isna() & _have_preset(frame, preset))]


def _have_preset(frame: pd.DataFrame, preset: str) -> pd.Series:
    return frame["presets"].map(lambda presets: preset in presets).astype(bool)


def _list_values(frame: pd.DataFrame, names: Iterable[str]) -> str:
    """Return which values the runs have in place of the defaults."""
    parts = []
    for name in names:
        values = {str(run[name]) for run in frame["hyperparameters"] if name in run}
        parts.append(f"{name} is set to {', '.join(sorted(values)) or 'nothing'} in the store")
    return "; ".join(parts)


def _suggest_overrides(frame: pd.DataFrame) -> str:
    from benchmark.plan.hyperparameters import label

    found = sorted({label(values) for values in frame["hyperparameters"]})
    return (
        f"the store has only {list_some(found, _NAMED)} "
        "(choose with --set name=value, or a study with --table)"
    )


def check_names(
    frame: pd.DataFrame, column: str, names: Sequence[str], list_known: Callable[[], Iterable[str]]
) -> None:
    """Refuse a name that neither the store nor the suite knows.

    A known one without runs is let through: its cells are shown as missing. ``list_known`` is
    called only if the store does not know all names.
    """
    unknown = set(names) - set(frame[column].unique())
    if unknown:
        unknown -= set(list_known())
    if unknown:
        have = ", ".join(sorted(set(frame[column])))
        raise UserError(
            f"--{column}s: no runs of {', '.join(sorted(unknown))}; there are runs of {have}"
        )


def select_names(
    frame: pd.DataFrame, datasets: Sequence[str], models: Sequence[str]
) -> pd.DataFrame:
    """Keep the runs of these data sets and methods (all where none is named).

    Raises
    ------
    UserError
        If no run is left.
    """
    chosen = frame
    if datasets:
        chosen = chosen[chosen["dataset"].isin(datasets)]
    if models:
        chosen = chosen[chosen["model"].isin(models)]
    if chosen.empty and len(frame):
        where = f" on {', '.join(datasets)}" if datasets else ""
        have = [", ".join(sorted(set(frame[column]))) for column in ("model", "dataset")]
        raise UserError(
            f"no runs of {', '.join(models) or 'any method'}{where}: there are runs of {have[0]} "
            f"on {have[1]}"
        )
    return chosen


def list_methods() -> Iterable[str]:
    """List the methods of the suite, those included whose libraries are missing."""
    from benchmark.plan.methods import read_method_cards

    return read_method_cards()


def list_datasets() -> Iterable[str]:
    """List the data sets of the shipped registries."""
    from benchmark.datasets.registry import known_names

    return known_names()


def drop_superseded(frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Leave out stale runs and all but the newest of repeated ones; say how many."""
    stale = frame["stale"].astype(bool)
    stale |= frame["protocol_version"] < frame["protocol_version"].max()
    # Two tables of one name are never pooled, also where no plan says which of them counts.
    tables = frame.loc[~stale, ["dataset", "dataset_checksum", "started"]]
    by_start = tables.sort_values("started", kind="stable")
    newest_table = by_start.groupby("dataset")["dataset_checksum"].last()
    stale |= frame["dataset_checksum"] != frame["dataset"].map(newest_table)
    fresh = frame[~stale]
    runs = fresh[[*_RUN, "started"]].sort_values("started", kind="stable")
    newest = fresh[~runs.duplicated(_RUN, keep="last").reindex(fresh.index)]
    notes = []
    if len(fresh) < len(frame):
        notes.append(f"{len(frame) - len(fresh)} stale runs are left out.")
        notes += _explain_other_data(frame[stale], fresh)
    if len(newest) < len(fresh):
        notes.append(f"{len(fresh) - len(newest)} runs were superseded by newer ones.")
    return newest, tuple(notes)


def _explain_other_data(stale: pd.DataFrame, fresh: pd.DataFrame) -> list[str]:
    """Return a sentence per data set whose stale runs saw other data under its name."""
    notes = []
    for dataset, shown in fresh.groupby("dataset", sort=True):
        checksums = set(shown["dataset_checksum"])
        left_out = stale[(stale["dataset"] == dataset) & ~stale["dataset_checksum"].isin(checksums)]
        if len(left_out):
            notes.append(
                f"{len(left_out)} of them are of other data under the name {dataset}: "
                f"left out {_describe_data(left_out)}; shown {_describe_data(shown)}."
            )
    return notes


def _describe_data(runs: pd.DataFrame) -> str:
    """Return "digest (runs of day to day), ..."."""
    parts = []
    for checksum, of_data in runs.groupby("dataset_checksum", sort=False):
        days = of_data["started"].str[:10]
        period = " to ".join(dict.fromkeys((days.min(), days.max())))
        parts.append(f"{str(checksum)[:8]} (runs of {period})")
    return ", ".join(parts)


def select_folds(
    frame: pd.DataFrame, folds: int | None, datasets: Sequence[str] = ()
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Keep the runs of one cross-validation, and say how many others there are.

    Parameters
    ----------
    frame
        Runs, none of them stale.
    folds
        Of the cross-validation to keep; None where every data set has a single one.
    datasets
        Only on these (all if empty) it matters that there is a single one.

    Raises
    ------
    UserError
        If a data set has runs with several numbers of folds and none was chosen, or if no run
        has the one chosen.
    """
    if folds is not None:
        chosen = frame[frame["folds"] == folds]
        if chosen.empty and len(frame):
            have = ", ".join(str(count) for count in sorted(frame["folds"].unique()))
            raise UserError(f"no run has --folds {folds}: there are runs with {have} folds")
        others = len(frame) - len(chosen)
        note = f"Runs with {folds} folds; {others} with other numbers of folds are left out."
        return chosen, (note,) if others else ()
    # All sizes of a data set belong to one table of the study.
    bases = frame["dataset"].str.partition(SIZE_MARK)[0].rename("base")
    wanted = bases.isin(datasets) | frame["dataset"].isin(datasets) | (not datasets)
    counts = frame[wanted].groupby(bases[wanted])["folds"].value_counts(sort=False)
    for dataset, of_dataset in counts.groupby(level="base"):
        if len(of_dataset) > 1:
            found = sorted((folds, count) for (_, folds), count in of_dataset.items())
            listed = " and ".join(f"{folds} folds ({count} runs)" for folds, count in found)
            choices = " or ".join(f"--folds {folds}" for folds, _ in found)
            raise UserError(
                f"{dataset} has runs with {listed}, which are different cross-validations and do "
                f"not belong in one table: choose {choices}"
            )
    return frame, ()
