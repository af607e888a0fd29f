"""Titles of methods, their columns in the paper, and the order in which things are shown."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchmark.report.paper import read_paper
from benchmark.report.remarks import DatasetRemark


@dataclass(frozen=True)
class MethodName:
    """How a method is called in documents and in the paper's tables (None if not there)."""

    title: str
    column: str | None


def describe_methods(models: Iterable[str]) -> dict[str, MethodName]:
    """Look methods up in the registry; one that is gone keeps the name of its records.

    This imports scikit-learn, so tables that show plain model names do without it.
    """
    from baselines.registry import discover

    methods = discover()
    paper = read_paper()
    found = {}
    for model in models:
        method = methods.get(model)
        if method is None:
            found[model] = MethodName(model, None)
        else:
            column = None if method.column is None else paper.find_method(method.column)
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
    from baselines.registry import discover

    return order_models(name for name, method in discover().items() if method.column)


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
