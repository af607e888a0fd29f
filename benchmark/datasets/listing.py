"""What can be said of every data set, ready or not, without loading it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmark.datasets.cache import DataFolder, find_state
from benchmark.datasets.registry import SYNTHETIC, Entry, read_registries


@dataclass(frozen=True)
class Row:
    """A line of ``wpfs-bench datasets``. Numbers are those expected until the table is there."""

    name: str
    title: str
    samples: int | None
    features: int | None
    classes: dict[str, int]
    state: str
    stand_in_for: str | None
    differences: tuple[str, ...]
    source: str
    licence: str
    citation: str
    checksum: str | None


#: The built-in data set with its default parameters; it is made on loading.
SYNTHETIC_ROW = Row(
    name=SYNTHETIC,
    title="Gene-expression-like table whose informative genes are known",
    samples=150,
    features=1000,
    classes={"class-0": 75, "class-1": 46, "class-2": 29},
    state="ready",
    stand_in_for=None,
    differences=(),
    source="built in",
    licence="none needed",
    citation="made by this suite, see benchmark/datasets/synthetic.py",
    checksum=None,
)


def list_rows(folder: DataFolder, registries: Sequence[Path] = ()) -> list[Row]:
    """Return a row per data set: the paper's, the stand-ins, the user's, the built-in one."""
    entries = read_registries(registries).values()
    return [*(describe(entry, folder) for entry in entries), SYNTHETIC_ROW]


def describe(entry: Entry, folder: DataFolder) -> Row:
    """Return the row of one data set."""
    state = find_state(entry, folder)
    expected = entry.expected
    counts = dict(zip(entry.classes, expected.counts, strict=True)) if expected else {}
    meta = state.meta
    return Row(
        name=entry.name,
        title=entry.title,
        samples=meta.get("samples", expected.samples if expected else None),
        features=meta.get("features", expected.features if expected else None),
        classes=meta.get("classes", counts),
        state=state.word,
        stand_in_for=entry.stand_in_for,
        differences=tuple(meta.get("differences", entry.differences)),
        source=meta.get("provenance", {}).get("source", entry.sources[0].note),
        licence=entry.licence,
        citation=entry.citation,
        checksum=meta.get("checksum"),
    )
