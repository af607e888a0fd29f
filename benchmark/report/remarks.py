"""What has to be said of a data set wherever its results are shown."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

STAND_IN = "†"
DIFFERS = "‡"


@dataclass(frozen=True)
class DatasetRemark:
    """How a data set relates to the paper's.

    Parameters
    ----------
    name
        Of the data set.
    stand_in_for
        The paper's data set that it stands in for, or empty.
    differences
        Sentences: where it differs from the paper's table.
    checksum
        Of its content.
    hyperparameters_of
        The paper's data set whose hyper-parameters it was given, or empty.
    """

    name: str
    stand_in_for: str = ""
    differences: tuple[str, ...] = ()
    checksum: str = ""
    hyperparameters_of: str = ""

    @property
    def mark(self) -> str:
        """The sign shown after the name."""
        if self.stand_in_for:
            return STAND_IN
        return DIFFERS if self.differences else ""

    @property
    def original(self) -> str:
        """The name under which the paper's tables know it, if they do."""
        return self.stand_in_for or self.name

    @property
    def settings_of(self) -> str:
        """The name under which methods know the hyper-parameters the paper chose for it."""
        return self.hyperparameters_of or self.original


def collect_remarks(frame: pd.DataFrame) -> dict[str, DatasetRemark]:
    """Read the remarks off the runs, one per data set."""
    first = frame.drop_duplicates("dataset")
    return {
        row.dataset: DatasetRemark(
            row.dataset,
            row.stand_in_for or "",
            tuple(row.dataset_differences or ()),
            row.dataset_checksum,
            row.hyperparameters_of,
        )
        for row in first.itertuples()
    }


def explain_marks(names: Iterable[str], remarks: Mapping[str, DatasetRemark]) -> tuple[str, ...]:
    """Write the notes that explain the marks on these data sets."""
    notes = []
    for name in names:
        remark = remarks.get(name)
        if remark is None or not remark.mark:
            continue
        differences = " ".join(sentence.rstrip(".") + "." for sentence in remark.differences)
        if remark.stand_in_for:
            text = f"{name} stands in for {remark.stand_in_for} and is not the paper's data"
        else:
            text = f"{name} differs from the paper's"
        notes.append(
            f"{remark.mark} {text}: {differences}" if differences else f"{remark.mark} {text}."
        )
    return tuple(notes)
