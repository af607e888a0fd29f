"""Which runs a report is about."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from benchmark.errors import UserError
from benchmark.plan.hyperparameters import normalise

if TYPE_CHECKING:
    pass

#: ``--hyperparameters``: which setting of each method is shown.
SETTINGS = ("paper", "default", "tuned")

#: So many settings are named in a hint.
_NAMED = 5

_RUN = ["dataset", "model", "hyperparameters_hash", "repeat", "fold", "seed"]


def select_setting(frame: pd.DataFrame, setting: str) -> pd.DataFrame:
    """Keep the runs with one setting of the hyper-parameters.

    Parameters
    ----------
    frame
        One row per run.
    setting
        ``paper`` or ``default`` keeps the runs whose ``presets`` say so; ``tuned`` keeps, per
        split, the candidate of the grid that did best on validation.
    """
    if setting not in SETTINGS:
        raise UserError(
            f"unknown --hyperparameters {setting!r}: choose one of {', '.join(SETTINGS)}"
        )
    if setting == "tuned":
        return _select_tuned(frame)
    chosen = frame[_have_preset(frame, setting)]
    if chosen.empty and len(frame):
        others = sorted({name for presets in frame["presets"] for name in presets})
        hint = f"the store has {', '.join(others)}" if others else _suggest_overrides(frame)
        raise UserError(f"no run has the setting --hyperparameters {setting}: {hint}")
    return chosen


def select_overridden(
    frame: pd.DataFrame, setting: str, overrides: Mapping[str, Any], settings: Mapping[str, str]
) -> pd.DataFrame:
    """Keep the runs that ``run --hyperparameters SETTING --set NAME=VALUE`` makes.

    Methods without a hyper-parameter of that name keep the setting.

    Parameters
    ----------
    frame
        One row per run.
    setting
        ``paper`` or ``default``.
    overrides
        Hyper-parameters in place of those of the setting.
    settings
        Data set -> the one whose published hyper-parameters apply.

    Raises
    ------
    UserError
        If no run has these values.
    """
    from benchmark.plan.hyperparameters import hash_values, settable
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
            published = settings.get(dataset, dataset)
            base = method.paper_hyperparameters(published) if setting == "paper" else {}
            wanted[model, dataset] = hash_values(normalise(method, {**base, **changes}))
    cells = pd.MultiIndex.from_frame(frame[["model", "dataset"]])
    hashes = pd.Series([wanted.get(cell) for cell in cells], index=frame.index, dtype=object)
    overridden = frame["hyperparameters_hash"] == hashes
    if not overridden.any():
        text = ", ".join(f"{name}={value}" for name, value in overrides.items())
        raise UserError(f"no run has --set {text}: {_list_values(frame, overrides)}")
    return frame[overridden | (hashes.isna() & _have_preset(frame, setting))]


def _have_preset(frame: pd.DataFrame, setting: str) -> pd.Series:
    return frame["presets"].map(lambda presets: setting in presets).astype(bool)


def _list_values(frame: pd.DataFrame, names: Iterable[str]) -> str:
    """Say which values the runs have in place of the defaults."""
    parts = []
    for name in names:
        values = {str(run[name]) for run in frame["hyperparameters"] if name in run}
        parts.append(f"{name} is set to {', '.join(sorted(values)) or 'nothing'} in the store")
    return "; ".join(parts)


def _suggest_overrides(frame: pd.DataFrame) -> str:
    from benchmark.plan.hyperparameters import label

    found = sorted({label(values) for values in frame["hyperparameters"]})
    more = ", …" if len(found) > _NAMED else ""
    return (
        f"the store has only {', '.join(found[:_NAMED])}{more} "
        "(choose with --set name=value, or a study with --table)"
    )


def check_names(
    frame: pd.DataFrame, column: str, names: Sequence[str], list_known: Callable[[], Iterable[str]]
) -> None:
    """Refuse a name that neither the store nor the suite knows.

    A known one without runs is let through: its cells are shown as missing.

    Parameters
    ----------
    frame
        All runs of the store.
    column
        ``dataset`` or ``model``.
    names
        As asked for.
    list_known
        Gives the names of the suite; called only if the store does not know them all.
    """
    unknown = set(names) - set(frame[column])
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


def expand_group(
    names: Iterable[str], list_published: Callable[[], Iterable[str]]
) -> tuple[str, ...]:
    """Put the paper's names in the place of the word ``paper``; each name comes once."""
    expanded: dict[str, None] = {}
    for name in names:
        found = list_published() if name == "paper" else (name,)
        expanded.update(dict.fromkeys(found))
    return tuple(expanded)


def drop_superseded(frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Leave out stale runs and all but the newest of repeated ones; say how many."""
    fresh = frame[~frame["stale"].astype(bool)]
    newest = fresh.sort_values("started", kind="stable").drop_duplicates(_RUN, keep="last")
    notes = []
    if len(fresh) < len(frame):
        notes.append(f"{len(frame) - len(fresh)} stale runs are left out.")
    if len(newest) < len(fresh):
        notes.append(f"{len(fresh) - len(newest)} runs were superseded by newer ones.")
    return newest.sort_index(), tuple(notes)


def count_candidates(
    frame: pd.DataFrame, settings: Mapping[str, str]
) -> dict[tuple[str, str], tuple[int, int]]:
    """Count the candidates of each grid that ended well on every split.

    Parameters
    ----------
    frame
        All runs that are not superseded.
    settings
        Data set -> the one whose published hyper-parameters apply.

    Returns
    -------
    dict
        (data set, method) -> candidates run, candidates of the grid; where some are missing.
    """
    from benchmark.plan.hyperparameters import list_candidates
    from benchmark.plan.methods import read_method_cards

    methods = read_method_cards()
    in_grid = frame[["grid" in presets for presets in frame["presets"]]]
    good = in_grid[in_grid["status"] == "ok"]
    per_split = good.groupby(list(SPLIT_COLUMNS))["hyperparameters_hash"].nunique()
    short = {}
    for (dataset, model), counts in per_split.groupby(level=["dataset", "model"]):
        if model not in methods:
            continue
        grid = len(list_candidates(methods[model], settings.get(dataset, dataset)))
        if counts.min() < grid:
            short[dataset, model] = (int(counts.min()), grid)
    return short


def _select_tuned(frame: pd.DataFrame) -> pd.DataFrame:
    """Add to the chosen runs one failed run for every split on which no candidate ended well."""
    split = ["dataset", "model", "repeat", "fold", "seed"]
    chosen = select(frame)
    in_grid = frame[["grid" in presets for presets in frame["presets"]]]
    failed = in_grid[in_grid["status"] != "ok"].drop_duplicates(split)
    done = pd.MultiIndex.from_frame(chosen[split])
    lost = failed[~pd.MultiIndex.from_frame(failed[split]).isin(done)]
    if chosen.empty and lost.empty:
        raise UserError(
            "no run belongs to a grid, so nothing can be tuned: "
            "start with `wpfs-bench run --hyperparameters tuned`"
        )
    return pd.concat([chosen, lost]).sort_index()


#: What makes two runs rivals for the same place: they saw the same rows and the same seed.
SPLIT_COLUMNS = ("dataset", "dataset_checksum", "model", "repeat", "fold", "seed", "split_checksum")


def select(frame: "pd.DataFrame", by: str = "cross_entropy_valid") -> "pd.DataFrame":
    """Keep, per split, the grid candidate that did best on validation data.

    Ties, and methods whose validation loss is unknown, are decided by the validation balanced
    accuracy, then by the order of the hyper-parameters' hashes, so that the choice never
    depends on the order of the rows.

    Parameters
    ----------
    frame
        As ``store.read_frame`` gives it; rows that are not ``ok`` or not of a grid are dropped.
    by
        The column to minimise (a loss) or, if it starts with ``balanced_accuracy``, to
        maximise. Only validation columns are allowed: choosing on test would be cheating.

    Returns
    -------
    DataFrame
        One row per data set, model, repeat, fold and seed, in the order of the given frame.
    """
    if not by.endswith("_valid"):
        raise UserError(f"cannot select on {by}: only validation columns (…_valid) are allowed")
    in_grid = frame["presets"].map(lambda presets: "grid" in presets)
    pool = frame[(frame["status"] == "ok") & in_grid]
    ascending = not by.startswith("balanced_accuracy")
    ordered = pool.sort_values(
        [by, "balanced_accuracy_valid", "hyperparameters_hash"],
        ascending=[ascending, False, True],
        na_position="last",
        kind="stable",
    )
    best = ordered.drop_duplicates(list(SPLIT_COLUMNS), keep="first").index
    return frame.loc[frame.index.isin(best)]
