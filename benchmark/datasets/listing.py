"""What is known of every data set, ready or not, without loading it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmark.datasets.cache import DataFolder, find_state
from benchmark.datasets.names import SYNTHETIC
from benchmark.datasets.registry import Entry, read_registries


@dataclass(frozen=True)
class Description:
    """What ``wpfs-bench datasets`` shows; numbers are those expected until the table is there."""

    name: str
    title: str
    collection: str | None
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
SYNTHETIC_DESCRIPTION = Description(
    name=SYNTHETIC,
    title="Gene-expression-like table whose informative genes are known",
    collection=None,
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


def describe_all(folder: DataFolder, registries: Sequence[Path] = ()) -> list[Description]:
    """Describe each data set of the registries, in their order, then the built-in one."""
    entries = read_registries(registries).values()
    return [*(describe(entry, folder) for entry in entries), SYNTHETIC_DESCRIPTION]


def describe(entry: Entry, folder: DataFolder) -> Description:
    """Describe one data set."""
    state = find_state(entry, folder)
    expected = entry.expected
    counts = dict(zip(entry.classes, expected.counts, strict=True)) if expected else {}
    meta = state.meta
    return Description(
        name=entry.name,
        title=entry.title,
        collection=entry.collection,
        samples=meta.get("samples", expected.samples if expected else None),
        features=meta.get("features", expected.features if expected else None),
        classes=meta.get("classes", counts),
        state=state.kind,
        stand_in_for=entry.stand_in_for,
        differences=tuple(meta.get("differences", entry.differences)),
        source=meta.get("provenance", {}).get("source", entry.sources[0].note),
        licence=entry.licence,
        citation=entry.citation,
        checksum=meta.get("checksum"),
    )
