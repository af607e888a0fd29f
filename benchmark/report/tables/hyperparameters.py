"""The hyper-parameters of the runs, and those the paper chose."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmark.report.labels import order_models
from benchmark.report.paper import read_paper
from benchmark.report.report import Report
from benchmark.report.table import Cell, Row, Table


def build_hyperparameters(report: Report) -> list[Table]:
    """Build the hyper-parameters of the runs shown, those that differ from the defaults."""
    runs = report.runs.of_main_table
    distinct = runs.drop_duplicates(["model", "dataset", "hyperparameters_hash"])
    rows: list[Row] = []
    for model in report.models:
        of_model = distinct[distinct["model"] == model]
        chosen = list(zip(of_model["dataset"], of_model["hyperparameters"], strict=True))
        rows += _group(report.labels.title(model), chosen, report.datasets)
    preset = report.request.preset
    return [
        _tabulate(f"Hyper-parameters of the runs shown ({preset}), where not the defaults", rows)
    ]


def build_published_hyperparameters() -> Table:
    """Build the paper's Table 4 (and lambda of its Table 10) from the methods' files."""
    from benchmark.plan.methods import read_method_cards

    datasets = list(read_paper().datasets)
    methods = {name: method for name, method in read_method_cards().items() if method.paper_column}
    rows: list[Row] = []
    for name in order_models(methods):
        method = methods[name]
        chosen = [(dataset, method.paper_hyperparameters(dataset)) for dataset in datasets]
        rows += _group(method.title, chosen, datasets)
    return _tabulate(
        "Hyper-parameters the paper chose, where not our defaults",
        rows,
        ("The paper's Table 4, the λ of its Table 10, and what its authors' code adds.",),
    )


def _tabulate(title: str, rows: Sequence[Row], notes: tuple[str, ...] = ()) -> Table:
    columns = ("data sets", "hyper-parameters")
    return Table("hyperparameters", title, "method", columns, tuple(rows), notes, keys=1)


def _group(
    title: str, chosen: Sequence[tuple[str, Mapping[str, Any]]], datasets: Sequence[str]
) -> list[Row]:
    """Group the data sets of a method by equal hyper-parameters, one row each."""
    groups: dict[str, list[str]] = {}
    for dataset, values in chosen:
        groups.setdefault(_show(values), []).append(dataset)
    rows: list[Row] = []
    for text, names in groups.items():
        everywhere = len(groups) == 1 and len(names) == len(datasets) > 1
        where = "all" if everywhere else ", ".join(n for n in datasets if n in names)
        rows.append(Row(title, (Cell(where), Cell(text)), group=title))
    return rows


def _show(values: Mapping[str, Any]) -> str:
    if not values:
        return "defaults"
    return ", ".join(
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in sorted(values.items())
    )
