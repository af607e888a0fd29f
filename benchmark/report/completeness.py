"""Which cells of a table are missing, failed or incomplete."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import pandas as pd

from benchmark.report.aggregate import Scores


@dataclass(frozen=True)
class Gap:
    """A cell that is not what it should be.

    Parameters
    ----------
    dataset, model
        The cell; in a study the model is the label of a variant.
    done, failed, expected
        Runs that ended well, that failed or timed out, and that there should be.
    error
        Of the first failed run.
    untuned
        How many candidates of the grid were run, where some are missing.
    study
        Whose table the cell belongs to; empty for the main table.
    """

    dataset: str
    model: str
    done: int
    failed: int
    expected: int
    error: str = ""
    study: str = ""
    untuned: str = ""

    @property
    def kind(self) -> str:
        """``missing`` (no run), ``failed`` (some failed), ``incomplete`` or ``untuned``."""
        if self.failed:
            return "failed"
        if self.untuned and self.done >= self.expected:
            return "untuned"
        return "incomplete" if self.done else "missing"

    def describe(self) -> str:
        """Say in one line what is wrong."""
        where = f"{self.study}, {self.model}" if self.study else self.model
        text = f"{self.kind}: {where} on {self.dataset}, {self.done} of {self.expected} runs"
        if self.failed:
            text += f", {self.failed} failed"
        if self.untuned:
            text += f", {self.untuned}"
        return f"{text}: {self.error}" if self.error else text


def find_gaps(
    scores: Scores,
    frame: pd.DataFrame,
    expected: int,
    study: str = "",
    untuned: Mapping[tuple[str, str], str] = MappingProxyType({}),
) -> list[Gap]:
    """List every cell with fewer runs than expected or with failures.

    Parameters
    ----------
    scores
        Data sets x methods.
    frame
        The runs behind them, for the errors' texts.
    expected
        Runs that a complete cell has.
    study
        Of the scores, whose columns are then variants; empty for the main table.
    untuned
        (data set, method) -> what its grid lacks.
    """
    by = "variant" if study else "model"
    failures = frame[frame["status"] != "ok"]
    gaps = []
    for dataset in scores.datasets:
        for model in scores.methods:
            done = int(scores.n.loc[dataset, model])
            failed = int(scores.failed.loc[dataset, model])
            lacks = untuned.get((dataset, model), "")
            if done >= expected and not failed and not lacks:
                continue
            errors = failures.loc[
                (failures["dataset"] == dataset) & (failures[by] == model), "error"
            ]
            error = "" if errors.empty else str(errors.iloc[0] or "").strip()
            gaps.append(Gap(dataset, model, done, failed, expected, error, study, lacks))
    return gaps


def find_other_failures(frame: pd.DataFrame) -> list[Gap]:
    """List the failures among runs that no table shows, one per data set and method.

    Parameters
    ----------
    frame
        Runs with settings that belong neither to the main table nor to a study shown.
    """
    gaps = []
    for (dataset, model), runs in frame.groupby(["dataset", "model"], sort=True):
        failures = runs[runs["status"] != "ok"]
        if len(failures):
            error = str(failures["error"].iloc[0] or "").strip()
            done = len(runs) - len(failures)
            gaps.append(
                Gap(dataset, model, done, len(failures), len(runs), error, "other settings")
            )
    return gaps
