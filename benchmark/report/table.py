"""A table's content, apart from any format."""

import math
from dataclasses import dataclass, replace
from typing import Literal

from benchmark.datasets.splits import FOLDS, REPEATS

State = Literal["ok", "failed", "missing", "unrun", "left out"]
Place = Literal["", "best", "second"]
Tone = Literal["", "good", "bad", "warn"]

#: Runs per cell under the paper's protocol: five folds, five repeats.
PROTOCOL_RUNS = FOLDS * REPEATS

#: What an empty cell says, by its state.
EMPTY = {"failed": "failed", "missing": "—", "unrun": "not run", "left out": "left out"}


@dataclass(frozen=True)
class Cell:
    """One value and what has to be said of it.

    Parameters
    ----------
    value
        A number in the unit shown, or a text; None when there is none (nothing is written then,
        unless the state says why).
    std
        Standard deviation shown beside the mean.
    n
        Number of runs behind a mean; shown unless it is the protocol's 25.
    digits
        Decimals of a number.
    state
        ``failed``, ``missing`` or, where nothing at all was run on the data set, ``unrun`` when
        there is no value; ``left out`` when it is not counted.
    place
        ``best`` (bold) or ``second`` (underlined) of its row.
    tone
        Colour of a verdict.
    failed
        Number of failed runs behind the mean.
    signed
        Show a plus before a positive number.
    text
        How the value is written where decimals do not do (``2 h 07 min``, ``< 0.001``).
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
    text: str = ""

    @property
    def number(self) -> str:
        """The value alone, as text."""
        if self.text:
            return self.text
        if self.value is None:
            return EMPTY.get(self.state, "")
        if isinstance(self.value, str):
            return self.value
        if isinstance(self.value, int):
            return f"{self.value:+,d}" if self.signed else f"{self.value:,d}"
        if math.isnan(self.value):
            return EMPTY["missing"]
        text = f"{self.value:{'+' if self.signed else ''}.{self.digits}f}"
        # A number rounded to zero has no sign.
        return text.lstrip("+-") if not float(text) else text

    @property
    def spread(self) -> str:
        """The standard deviation as text, empty when there is none."""
        if self.std is None or math.isnan(self.std):
            return ""
        return f"{self.std:.{self.digits}f}"

    @property
    def count(self) -> str:
        """The number of runs as text, empty when it is the protocol's."""
        return "" if self.n in (None, 0, PROTOCOL_RUNS) else f"n={self.n}"

    @property
    def emphasis(self) -> Literal["", "best", "second", "failed"]:
        """How the value is set off from its neighbours."""
        return self.place or ("failed" if self.state == "failed" else "")

    @property
    def numeric(self) -> bool:
        """Whether it is set like a number; a cell without a value is."""
        return self.state != "ok" or not isinstance(self.value, str)


@dataclass(frozen=True)
class Row:
    """A row of a table.

    Parameters
    ----------
    label
        First column.
    cells
        The others.
    mark
        Sign after the label (†, ‡) that a note explains.
    group
        Rows of one group stand together, a rule between groups.
    footer
        Sums up the rows above; it stays below them when a reader sorts.
    """

    label: str
    cells: tuple[Cell, ...]
    mark: str = ""
    group: str = ""
    footer: bool = False


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
    keys
        How many of the first columns say, with the label, what a row is about.
    legend
        What the colours mean, for formats that have them.
    across
        What the columns are, if all are of one kind; only such a table can be transposed.
    """

    name: str
    title: str
    head: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    keys: int = 0
    legend: str = ""
    across: str = ""

    def holds_numbers(self, column: int) -> bool:
        """Return whether a column is to be set flush right."""
        return all(row.cells[column].numeric for row in self.rows)

    def starts_group(self, position: int) -> bool:
        """Return whether a rule stands above a row."""
        if position == 0:
            return False
        row, above = self.rows[position], self.rows[position - 1]
        return row.group != above.group or row.footer != above.footer

    def transpose(self) -> "Table":
        """Return the table with its columns as rows."""
        return replace(
            self,
            head=self.across,
            across=self.head,
            columns=tuple(row.label + row.mark for row in self.rows),
            rows=tuple(
                Row(column, tuple(row.cells[place] for row in self.rows))
                for place, column in enumerate(self.columns)
            ),
        )

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row.cells) != len(self.columns):
                raise ValueError(
                    f"table {self.name}: row {row.label!r} has {len(row.cells)} cells "
                    f"for {len(self.columns)} columns"
                )
