"""Tables of what was run: hyper-parameters and data sets."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from benchmark.report.labels import DatasetRemark, order_models
from benchmark.report.paper import read_paper
from benchmark.report.table import Cell, Row, Table


def build_hyperparameter_table(
    frame: pd.DataFrame,
    datasets: Sequence[str],
    models: Sequence[str],
    titles: Mapping[str, str],
    setting: str,
) -> Table:
    """Build the hyper-parameters of the runs shown, those that differ from the defaults."""
    distinct = frame.drop_duplicates(["model", "dataset", "hyperparameters_hash"])
    rows = []
    for model in models:
        of_model = distinct[distinct["model"] == model]
        rows += _rows(
            titles[model],
            [(row.dataset, row.hyperparameters) for row in of_model.itertuples()],
            datasets,
        )
    return Table(
        name="hyperparameters",
        title=f"Hyper-parameters of the runs shown ({setting}), where not the defaults",
        head="method",
        columns=("data sets", "hyper-parameters"),
        rows=tuple(rows),
        keys=1,
    )


def build_published_hyperparameter_table() -> Table:
    """Build the paper's Table 4 (and lambda of its Table 10) from the methods' files."""
    from benchmark.plan.methods import read_method_cards

    paper = read_paper()
    methods = {name: method for name, method in read_method_cards().items() if method.paper_column}
    rows = []
    for name in order_models(methods):
        method = methods[name]
        values = [(dataset, method.paper_hyperparameters(dataset)) for dataset in paper.datasets]
        rows += _rows(method.title, values, list(paper.datasets))
    return Table(
        name="hyperparameters",
        title="Hyper-parameters the paper chose, where not our defaults",
        head="method",
        columns=("data sets", "hyper-parameters"),
        rows=tuple(rows),
        keys=1,
        notes=("The paper's Table 4, the λ of its Table 10, and what its authors' code adds.",),
    )


def build_dataset_table(
    frame: pd.DataFrame, datasets: Sequence[str], remarks: Mapping[str, DatasetRemark]
) -> Table:
    """Build the list of data sets in the store and how they relate to the paper's."""
    known = read_paper().datasets
    rows = []
    for name in datasets:
        remark = remarks[name]
        runs = frame[frame["dataset"] == name]
        failed = int((runs["status"] != "ok").sum())
        if remark.stand_in_for:
            relation = f"stands in for {remark.stand_in_for}"
        elif name in known:
            relation = "differs from the paper's" if remark.differences else "as in the paper"
        else:
            relation = "not in the paper"
        rows.append(
            Row(
                name,
                (
                    Cell(relation),
                    Cell(int(runs["model"].nunique())),
                    Cell(int((runs["status"] == "ok").sum())),
                    Cell(failed, tone="bad" if failed else ""),
                    Cell(remark.checksum[:12]),
                    Cell(" ".join(remark.differences)),
                ),
                remark.mark,
            )
        )
    return Table(
        name="datasets",
        title="Data sets of the runs",
        head="data set",
        columns=("relation to the paper", "methods", "runs", "failed", "checksum", "differences"),
        rows=tuple(rows),
    )


def build_published_dataset_table() -> Table:
    """Build the paper's table of data sets."""
    paper = read_paper()
    rows = tuple(
        Row(
            name,
            (
                Cell(facts["samples"]),
                Cell(facts["features"]),
                Cell(facts["classes"]),
                Cell(", ".join(str(count) for count in facts["samples_per_class"])),
            ),
        )
        for name, facts in paper.datasets.items()
    )
    notes = tuple(entry["note"] for entry in paper.contradictions if "method" not in entry)
    return Table(
        name="datasets",
        title="The paper's data sets (its Table 3)",
        head="data set",
        columns=("samples", "features", "classes", "samples per class"),
        rows=rows,
        notes=notes,
    )


def _rows(
    title: str, values: Sequence[tuple[str, Mapping[str, Any]]], datasets: Sequence[str]
) -> list[Row]:
    """Group the data sets of a method by equal hyper-parameters, one row each."""
    groups: dict[str, list[str]] = {}
    for dataset, chosen in values:
        groups.setdefault(_show(chosen), []).append(dataset)
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
