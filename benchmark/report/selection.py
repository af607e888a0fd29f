"""Which runs a report is about."""

from collections.abc import Sequence

import pandas as pd

from benchmark.errors import UserError

#: ``--hyperparameters``: which setting of each method is shown.
SETTINGS = ("paper", "default", "tuned")

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
    chosen = frame[[setting in presets for presets in frame["presets"]]]
    if chosen.empty and len(frame):
        others = sorted({name for presets in frame["presets"] for name in presets})
        hint = f"the store has {', '.join(others)}" if others else "the store has only studies"
        raise UserError(f"no run has the setting --hyperparameters {setting}: {hint}")
    return chosen


def select_names(
    frame: pd.DataFrame, column: str, names: Sequence[str] | None, option: str
) -> pd.DataFrame:
    """Keep the runs whose ``column`` is one of ``names`` (all when None).

    A name nobody ran is an error: a report that leaves it out in silence would mislead.
    """
    if not names:
        return frame
    unknown = sorted(set(names) - set(frame[column]))
    if unknown:
        have = ", ".join(sorted(set(frame[column])))
        raise UserError(f"{option}: no runs of {', '.join(unknown)}; there are runs of {have}")
    return frame[frame[column].isin(names)]


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


def _select_tuned(frame: pd.DataFrame) -> pd.DataFrame:
    """Add to the chosen runs one failed run for every split on which no candidate ended well."""
    from benchmark.tuning import select

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
