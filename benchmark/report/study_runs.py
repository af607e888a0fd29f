"""The runs of a study: found among all others, and compared split by split."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from benchmark.datasets.names import SIZE_MARK
from benchmark.errors import UserError
from benchmark.plan.studies import Study
from benchmark.report.aggregate import Scores, aggregate
from benchmark.report.labels import Labels
from benchmark.run.metrics import find_metric_of_column

#: What two runs must share to be compared as a pair.
SPLIT = ["repeat", "fold", "seed"]


@dataclass(frozen=True)
class StudyRuns:
    """A study and the runs of a results folder among which it finds its own.

    Parameters
    ----------
    study
        With the variants to show.
    candidates
        Every run that may belong to it.
    labels
        Whose published hyper-parameters apply to each data set, and their order.
    """

    study: Study
    candidates: pd.DataFrame
    labels: Labels

    @cached_property
    def runs(self) -> pd.DataFrame:
        """Its own runs, with a column ``variant``; see ``find_runs``."""
        return find_runs(self.candidates, self.study, self.labels)

    @cached_property
    def scores(self) -> Scores:
        """Its metric, data sets x variants; a ``UserError`` if it has no runs."""
        if self.runs.empty:
            raise UserError(
                f"no runs of the study {self.study.name}: start them with `{self.command}`"
            )
        metric = find_metric_of_column(self.study.metric)
        scores = aggregate(self.runs, metric, by="variant")
        # A data set with a single variant has only its run of the main table: no study.
        tried = (scores.n + scores.failed + scores.unmeasured).gt(0).sum(axis=1)
        studied = [name for name in scores.datasets if tried[name] > 1]
        return scores.select(
            self.labels.order_datasets(studied or scores.datasets),
            [variant.label for variant in self.study.variants],
        )

    @property
    def command(self) -> str:
        """What runs it on the data sets there are, not on the paper's if there are others."""
        names = dict.fromkeys(self.candidates["dataset"].str.partition(SIZE_MARK)[0])
        known = [name for name in names if not self.study.datasets or name in self.study.datasets]
        chosen = f" --dataset {','.join(known)}" if known else ""
        return f"wpfs-bench run --study {self.study.name}{chosen}"

    def list_variants(self, runs: pd.DataFrame) -> list[str]:
        """List the variants that some of its runs have, in the study's order."""
        found = set(runs["variant"])
        return [variant.label for variant in self.study.variants if variant.label in found]

    @property
    def is_shown(self) -> bool:
        """Whether it has enough results to be told from other runs that happen to fit it."""
        if self.runs.empty:
            return False
        filled = self.runs.groupby("dataset")["variant"].nunique()
        return bool(2 * filled.max() > len(self.study.variants))


def find_runs(frame: pd.DataFrame, study: Study, labels: Labels) -> pd.DataFrame:
    """Find the runs of a study and name their variant.

    Parameters
    ----------
    frame
        All runs of a store.
    study
        Whose variants to look for.
    labels
        Of the data sets: whose published hyper-parameters apply.

    Returns
    -------
    DataFrame
        The runs, with a column ``variant``; ``dataset`` names the data set without a sample
        size, which is part of the variant.
    """
    from benchmark.plan.hyperparameters import hash_values, normalise
    from benchmark.plan.methods import read_method_cards

    methods = read_method_cards()
    frame = frame[frame["model"].isin({variant.model for variant in study.variants})]

    def base(model: str, dataset: str) -> dict:
        return methods[model].paper_hyperparameters(labels.dataset(dataset).preset_name)

    names = sorted({name.partition(SIZE_MARK)[0] for name in frame["dataset"]})
    if study.datasets:
        names = [name for name in names if name in study.datasets]
    wanted = {}
    for variant in study.variants:
        if variant.model not in methods:
            continue
        for dataset in names:
            model, name, values = variant.run(dataset, base)
            key = (model, name, hash_values(normalise(methods[model], values)))
            wanted[key] = (variant.label, dataset)
    keys = list(zip(frame["model"], frame["dataset"], frame["hyperparameters_hash"], strict=True))
    found = frame[np.array([key in wanted for key in keys], dtype=bool)].copy()
    cells = [wanted[key] for key in keys if key in wanted]
    found["variant"] = [variant for variant, _ in cells]
    found["dataset"] = [dataset for _, dataset in cells]
    return found


def keep_common_splits(runs: pd.DataFrame) -> pd.DataFrame:
    """Keep the finished runs on splits that all variants on a data set have: their means compare.

    Parameters
    ----------
    runs
        With a column ``variant``.
    """
    good = runs[runs["status"] == "ok"]
    here = good.groupby(["dataset", *SPLIT])["variant"].transform("nunique")
    return good[here == good.groupby("dataset")["variant"].transform("nunique")]


def count_splits(runs: pd.DataFrame) -> pd.Series:
    """Count the splits on which there are runs, by data set."""
    return runs.drop_duplicates(["dataset", *SPLIT]).groupby("dataset").size()


def subtract_variants(runs: pd.DataFrame, column: str, label: str, over: str) -> pd.Series:
    """Subtract the values of one variant from those of another, on all splits that both have.

    Parameters
    ----------
    runs
        With a column ``variant``.
    column
        Whose values.
    label, over
        Of the variant, and of the one to subtract.

    Returns
    -------
    Series
        By data set and split.
    """
    columns = ["dataset", *SPLIT, "variant", "status", column]
    both = keep_common_splits(runs.loc[runs["variant"].isin([label, over]), columns])
    wide = both.pivot_table(index=["dataset", *SPLIT], columns="variant", values=column)
    wide = wide.reindex(columns=[label, over])
    return (wide[label] - wide[over]).dropna()
