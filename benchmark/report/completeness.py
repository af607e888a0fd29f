"""Which cells of a table are missing, failed or incomplete."""

from dataclasses import dataclass

import pandas as pd

from benchmark.report.scores import Scores


@dataclass(frozen=True)
class Gap:
    """A cell that is not what it should be.

    Parameters
    ----------
    dataset, model
        The cell.
    done, failed, expected
        Runs that ended well, that failed or timed out, and that there should be.
    error
        Of the first failed run.
    """

    dataset: str
    model: str
    done: int
    failed: int
    expected: int
    error: str = ""

    @property
    def kind(self) -> str:
        """``missing`` (no run), ``failed`` (some failed) or ``incomplete``."""
        if self.failed:
            return "failed"
        return "incomplete" if self.done else "missing"

    def describe(self) -> str:
        """Say in one line what is wrong."""
        text = f"{self.kind}: {self.model} on {self.dataset}, {self.done} of {self.expected} runs"
        if self.failed:
            text += f", {self.failed} failed"
        return f"{text}: {self.error}" if self.error else text


def find_gaps(scores: Scores, frame: pd.DataFrame, expected: int) -> list[Gap]:
    """List every cell with fewer runs than expected or with failures.

    Parameters
    ----------
    scores
        Data sets x methods.
    frame
        The runs behind them, for the errors' texts.
    expected
        Runs that a complete cell has.
    """
    failures = frame[frame["status"] != "ok"]
    gaps = []
    for dataset in scores.datasets:
        for model in scores.methods:
            done = int(scores.n.loc[dataset, model])
            failed = int(scores.failed.loc[dataset, model])
            if done >= expected and not failed:
                continue
            errors = failures.loc[
                (failures["dataset"] == dataset) & (failures["model"] == model), "error"
            ]
            error = "" if errors.empty else str(errors.iloc[0] or "").strip()
            gaps.append(Gap(dataset, model, done, failed, expected, error))
    return gaps
