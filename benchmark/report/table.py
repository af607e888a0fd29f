"""A table's content, apart from any format."""

import math
from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "failed", "missing"]
Place = Literal["", "best", "second"]
Tone = Literal["", "good", "bad", "warn"]

#: Runs per cell under the paper's protocol: five folds, five repeats.
PROTOCOL_RUNS = 25

#: What an empty cell says, by its state.
EMPTY = {"failed": "failed", "missing": "—"}


@dataclass(frozen=True)
class Cell:
    """One value and what has to be said of it.

    Parameters
    ----------
    value
        A number in the unit shown, or a text; None when there is none.
    std
        Standard deviation shown beside the mean.
    n
        Number of runs behind a mean; shown unless it is the protocol's 25.
    digits
        Decimals of a number.
    state
        ``failed`` or ``missing`` when there is no value.
    place
        ``best`` (bold) or ``second`` (underlined) of its row.
    tone
        Colour of a verdict.
    failed
        Number of failed runs behind the mean.
    signed
        Show a plus before a positive number.
    """

    value: float | int | str | None = None
    std: float | None = None
    n: int | None = None
    digits: int = 2
    state: State = "ok"
    place: Place = ""
    tone: Tone = ""
    failed: int = 0
    signed: bool = False

    @property
    def number(self) -> str:
        """The value alone, as text."""
        if self.value is None:
            return EMPTY.get(self.state, "")
        if isinstance(self.value, str):
            return self.value
        if isinstance(self.value, int):
            return f"{self.value:+,d}" if self.signed else f"{self.value:,d}"
        if math.isnan(self.value):
            return EMPTY["missing"]
        return f"{self.value:{'+' if self.signed else ''}.{self.digits}f}"

    @property
    def spread(self) -> str:
        """The standard deviation as text, empty when there is none."""
        if self.std is None or math.isnan(self.std):
            return ""
        return f"{self.std:.{self.digits}f}"

    @property
    def remark(self) -> str:
        """What stands in brackets after the value: number of runs, failures."""
        parts = [] if self.n in (None, 0, PROTOCOL_RUNS) else [f"n={self.n}"]
        if self.failed:
            parts.append(f"{self.failed} failed")
        return ", ".join(parts)

    @property
    def numeric(self) -> bool:
        """Whether it holds a number."""
        return isinstance(self.value, int | float)


@dataclass(frozen=True)
class Row:
    """A row: its label, its cells, a mark (†, ‡) on the label, and whether a rule precedes it."""

    label: str
    cells: tuple[Cell, ...]
    mark: str = ""
    rule: bool = False


@dataclass(frozen=True)
class Table:
    """A table with a caption and notes.

    Parameters
    ----------
    name
        Short, for file names and anchors.
    title
        Caption.
    head
        Head of the label column.
    columns
        Heads of the others.
    rows
        As many cells in each as there are columns.
    notes
        Sentences below the table.
    """

    name: str
    title: str
    head: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row.cells) != len(self.columns):
                raise ValueError(
                    f"table {self.name}: row {row.label!r} has {len(row.cells)} cells "
                    f"for {len(self.columns)} columns"
                )
