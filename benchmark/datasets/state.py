"""Whether a data set is ready. Light: reads a few hundred bytes and imports no numpy."""

from dataclasses import dataclass, field
from typing import Any, Literal

from benchmark.datasets.folder import DataFolder
from benchmark.datasets.registry import Entry
from benchmark.datasets.table_file import read_meta

Word = Literal["ready", "differs", "missing"]


@dataclass(frozen=True)
class State:
    """``differs``: ready, but not quite the paper's table."""

    word: Word
    meta: dict[str, Any] = field(default_factory=dict)

    @property
    def ready(self) -> bool:
        """Whether it can be loaded."""
        return self.word != "missing"


def find_state(entry: Entry, folder: DataFolder) -> State:
    """Look into the data folder."""
    meta = read_meta(folder.table(entry.name), entry.fingerprint)
    if meta is None:
        return State("missing")
    return State("differs" if meta["differences"] else "ready", meta)
