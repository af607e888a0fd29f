"""The tuned runs: per split, the candidate of the grid that did best on validation data."""

import pandas as pd

from benchmark.errors import UserError
from benchmark.plan.studies import STUDIES
from benchmark.report.labels import Labels
from benchmark.report.study_runs import find_runs
from benchmark.results.record import CANDIDATES

#: What makes two runs rivals for the same place: they saw the same rows and the same seed.
SPLIT_COLUMNS = ("dataset", "dataset_checksum", "model", "repeat", "fold", "seed", "split_checksum")


def select_tuned(frame: pd.DataFrame) -> pd.DataFrame:
    """Keep the best candidate of each split, and one failed run where no candidate ended well."""
    split = ["dataset", "model", "repeat", "fold", "seed"]
    chosen = select_candidates(frame)
    in_grid = frame[_belongs_to_grid(frame)]
    failed = in_grid[in_grid["status"] != "ok"].drop_duplicates(split)
    done = pd.MultiIndex.from_frame(chosen[split])
    lost = failed[~pd.MultiIndex.from_frame(failed[split]).isin(done)]
    if chosen.empty and lost.empty:
        raise UserError(
            "no run belongs to a grid, so nothing can be tuned: "
            "start with `wpfs-bench run --hyperparameters tuned`"
        )
    return pd.concat([chosen, lost]).sort_index()


def select_candidates(frame: pd.DataFrame) -> pd.DataFrame:
    """Keep, per split, the grid candidate that did best on validation data.

    Ties, and methods whose validation loss is unknown, are decided by the validation balanced
    accuracy, then by the order of the hyper-parameters' hashes, so that the choice never
    depends on the order of the rows.

    Rows that are not ``ok`` or not of a grid are dropped, the others keep their order.
    """
    pool = frame[(frame["status"] == "ok") & _belongs_to_grid(frame)]
    ordered = pool.sort_values(
        ["cross_entropy_valid", "balanced_accuracy_valid", "hyperparameters_hash"],
        ascending=[True, False, True],
        na_position="last",
        kind="stable",
    )
    best = ordered.drop_duplicates(list(SPLIT_COLUMNS), keep="first").index
    return frame.loc[frame.index.isin(best)]


def drop_unchosen(frame: pd.DataFrame, labels: Labels) -> pd.DataFrame:
    """Leave out the candidates of grids that validation did not choose.

    Runs of a preset or of a study stay. The chosen ones say from how many they were chosen, so
    that choosing again among those that are left gives the same.
    """
    candidates = _belongs_to_grid(frame)
    counts = _count_tried(frame)
    keys = pd.MultiIndex.from_frame(frame[list(SPLIT_COLUMNS)])
    only_tuned = frame["presets"].map(lambda presets: tuple(presets) == ("grid",)).astype(bool)
    studied = set().union(*(find_runs(frame, study, labels).index for study in STUDIES.values()))
    chosen = frame.index.isin(select_candidates(frame).index)
    kept = ~only_tuned | chosen | frame.index.isin(studied)
    tried = counts.reindex(keys).to_numpy()
    return frame.assign(**{CANDIDATES: pd.Series(tried, frame.index).where(candidates & chosen)})[
        kept
    ]


def find_unchosen(frame: pd.DataFrame, labels: Labels) -> set[tuple[str, str]]:
    """Find the cells with a single candidate of a larger grid: nothing was chosen there.

    Such are the runs with a preset that happens to be in the grid.

    Returns
    -------
    set
        (data set, method).
    """
    grid = frame[_belongs_to_grid(frame)]
    tried = grid.groupby(["dataset", "model"])["hyperparameters_hash"].nunique()
    compared = grid.groupby(["dataset", "model"])[CANDIDATES].max()
    return {
        (dataset, model)
        for dataset, model in tried.index[(tried == 1) & ~(compared > 1)]
        if _count_candidates(dataset, model, labels) > 1
    }


def find_untuned(frame: pd.DataFrame, labels: Labels) -> dict[tuple[str, str], str]:
    """Find the cells of which not every candidate ended well on every split.

    Returns
    -------
    dict
        (data set, method) -> how many candidates of the grid were run, in words.
    """
    unchosen = find_unchosen(frame, labels)
    per_split = _count_tried(frame)
    short = {}
    for (dataset, model), counts in per_split.groupby(level=["dataset", "model"]):
        grid = _count_candidates(dataset, model, labels)
        if counts.min() < grid and (dataset, model) not in unchosen:
            short[dataset, model] = f"{counts.min()} of {grid} candidates run"
    return short


def _count_tried(frame: pd.DataFrame) -> pd.Series:
    """Return, per split, how many candidates ended well, those included that were left out."""
    splits = frame[(frame["status"] == "ok") & _belongs_to_grid(frame)].groupby(list(SPLIT_COLUMNS))
    there = splits["hyperparameters_hash"].nunique()
    return there.where(~(splits[CANDIDATES].max() > there), splits[CANDIDATES].max()).astype(int)


def _count_candidates(dataset: str, model: str, labels: Labels) -> int:
    """Return the size of a method's grid; 0 if the method is not known here."""
    from benchmark.plan.hyperparameters import list_candidates
    from benchmark.plan.methods import read_method_cards

    method = read_method_cards().get(model)
    return len(list_candidates(method, labels.dataset(dataset).preset_name)) if method else 0


def _belongs_to_grid(frame: pd.DataFrame) -> pd.Series:
    return frame["presets"].map(lambda presets: "grid" in presets).astype(bool)
