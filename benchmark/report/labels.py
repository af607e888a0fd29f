"""How methods and data sets are called in documents: titles, marks, order."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmark.report.paper import read_paper

if TYPE_CHECKING:
    import pandas as pd

#: The two groups of data sets.
PAPERS = "The paper's data sets and their stand-ins"
OTHERS = "Other data sets"

STAND_IN = "†"
DIFFERS = "‡"


@dataclass(frozen=True)
class DatasetLabel:
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
    def preset_name(self) -> str:
        """The name under which methods know the hyper-parameters the paper chose for it."""
        return self.hyperparameters_of or self.original

    def explain_mark(self) -> str:
        """Return the note that explains the mark."""
        differences = " ".join(sentence.rstrip(".") + "." for sentence in self.differences)
        if self.stand_in_for:
            text = f"{self.name} stands in for {self.stand_in_for} and is not the paper's data"
        else:
            text = f"{self.name} differs from the paper's"
        return f"{self.mark} {text}: {differences}" if differences else f"{self.mark} {text}."


@dataclass(frozen=True)
class MethodLabel:
    """The title of a method and its column in the paper's tables (None if not there)."""

    title: str
    column: str | None = None


@dataclass(frozen=True)
class Labels:
    """How the methods and data sets of a report are shown; unknown ones keep their names.

    Parameters
    ----------
    methods, datasets
        By name.
    titles
        Show methods by title instead of by name.
    """

    methods: Mapping[str, MethodLabel] = field(default_factory=dict)
    datasets: Mapping[str, DatasetLabel] = field(default_factory=dict)
    titles: bool = True

    def title(self, method: str) -> str:
        """Return what stands over the column of a method or variant."""
        known = self.titles and method in self.methods
        return self.methods[method].title if known else method

    def column(self, method: str) -> str | None:
        """Return a method's column in the paper's tables, None if it has none."""
        return self.methods[method].column if method in self.methods else None

    def dataset(self, name: str) -> DatasetLabel:
        """Return what is known of a data set."""
        return self.datasets.get(name) or DatasetLabel(name)

    def mark(self, dataset: str) -> str:
        """Return the sign after a data set's name."""
        return self.dataset(dataset).mark

    def explain_marks(self, datasets: Iterable[str]) -> tuple[str, ...]:
        """Return the notes that explain the marks on these data sets."""
        labels = [self.dataset(name) for name in datasets]
        return tuple(label.explain_mark() for label in labels if label.mark)

    def group_datasets(self, names: Iterable[str]) -> dict[str, list[str]]:
        """Part the paper's data sets and their stand-ins from all others; no group is empty."""
        known = set(read_paper().datasets)
        groups: dict[str, list[str]] = {}
        for name in names:
            published = self.dataset(name).original in known
            groups.setdefault(PAPERS if published else OTHERS, []).append(name)
        return groups

    def order_datasets(self, names: Iterable[str]) -> list[str]:
        """Sort the paper's data sets first, in its order, a stand-in at its original's place."""
        position = {name: place for place, name in enumerate(read_paper().datasets)}
        last = len(position)
        return sorted(
            names, key=lambda name: (position.get(self.dataset(name).original, last), name)
        )


def label_datasets(runs: "pd.DataFrame") -> dict[str, DatasetLabel]:
    """Read off the runs how their data sets relate to the paper's."""
    first = runs.drop_duplicates("dataset")
    return {
        row.dataset: DatasetLabel(
            row.dataset,
            row.stand_in_for or "",
            tuple(row.dataset_differences or ()),
            row.dataset_checksum,
            row.hyperparameters_of,
        )
        for row in first.itertuples()
    }


def label_methods(models: Iterable[str]) -> dict[str, MethodLabel]:
    """Look up the methods' titles; one that is gone keeps the name of its records."""
    from benchmark.plan.methods import read_method_cards

    methods = read_method_cards()
    paper = read_paper()
    found = {}
    for model in models:
        method = methods.get(model)
        if method is None:
            found[model] = MethodLabel(model)
        else:
            column = None if method.paper_column is None else paper.find_method(method.paper_column)
            found[model] = MethodLabel(method.title, column)
    return found


def order_models(models: Iterable[str]) -> list[str]:
    """Sort the paper's methods first, in its order, then the others by name.

    A variant stands after its method: ``lassonet-paper`` after ``lassonet``.
    """
    paper = read_paper()
    position = {column: place for place, column in enumerate(paper.methods)}

    def place(model: str) -> int:
        column = paper.find_method(model)
        while column is None and "-" in model:
            model = model.rpartition("-")[0]
            column = paper.find_method(model)
        return len(position) if column is None else position[column]

    return sorted(models, key=lambda model: (place(model), model))


def list_published_models() -> list[str]:
    """List our methods that stand for a column of the paper, in its order."""
    from benchmark.plan.methods import read_method_cards

    return order_models(name for name, method in read_method_cards().items() if method.paper_column)


def list_dataset_groups() -> dict[str, list[str]]:
    """Return the data sets of each collection of the registry, the paper's in its order."""
    from benchmark.datasets.registry import list_collections

    return {**list_collections(), "paper": list(read_paper().datasets)}


def expand_groups(names: Iterable[str], groups: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Replace the name of a group by those of its members; each name comes once."""
    expanded: dict[str, None] = {}
    for name in names:
        expanded.update(dict.fromkeys(groups.get(name, (name,))))
    return tuple(expanded)
