"""How methods and data sets are called in documents: titles, order, marks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from benchmark.report.paper import read_paper

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


@dataclass(frozen=True)
class MethodName:
    """How a method is called in documents and in the paper's tables (None if not there)."""

    title: str
    column: str | None


def describe_methods(models: Iterable[str]) -> dict[str, MethodName]:
    """Look up the methods' titles; one that is gone keeps the name of its records."""
    from benchmark.plan.methods import read_method_cards

    methods = read_method_cards()
    paper = read_paper()
    found = {}
    for model in models:
        method = methods.get(model)
        if method is None:
            found[model] = MethodName(model, None)
        else:
            column = None if method.paper_column is None else paper.find_method(method.paper_column)
            found[model] = MethodName(method.title, column)
    return found


def order_models(models: Iterable[str]) -> list[str]:
    """Put the paper's methods first, in its order, then the others by name.

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


def list_published_datasets() -> list[str]:
    """List the paper's data sets, in its order."""
    return list(read_paper().datasets)


def order_datasets(names: Iterable[str], remarks: Mapping[str, DatasetRemark]) -> list[str]:
    """Put the paper's data sets first, in its order, a stand-in at its original's place.

    Parameters
    ----------
    names
        Data sets.
    remarks
        Data set -> which of the paper's it is or stands in for.
    """
    position = {name: place for place, name in enumerate(read_paper().datasets)}
    last = len(position)

    def find_place(name: str) -> int:
        return position.get(remarks[name].original if name in remarks else name, last)

    return sorted(names, key=lambda name: (find_place(name), name))
