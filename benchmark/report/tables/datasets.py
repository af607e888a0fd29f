"""The data sets of the runs, and those of the paper."""

from benchmark.report.labels import DatasetLabel
from benchmark.report.paper import read_paper
from benchmark.report.report import Report
from benchmark.report.table import Cell, Row, Table


def build_datasets(report: Report) -> list[Table]:
    """Build the list of data sets and how they relate to the paper's."""
    rows = []
    for name in report.datasets:
        label = report.labels.dataset(name)
        runs = report.runs.of_main_table[report.runs.of_main_table["dataset"] == name]
        failed = int((runs["status"] != "ok").sum())
        rows.append(
            Row(
                name,
                (
                    Cell(_relate(label)),
                    Cell(int(runs["model"].nunique())),
                    Cell(len(runs) - failed),
                    Cell(failed, tone="bad" if failed else ""),
                    Cell(label.checksum[:12]),
                    Cell(" ".join(label.differences)),
                ),
                label.mark,
            )
        )
    columns = ("relation to the paper", "methods", "runs", "failed", "checksum", "differences")
    return [Table("datasets", "Data sets of the runs", "data set", columns, tuple(rows))]


def _relate(label: DatasetLabel) -> str:
    if label.stand_in_for:
        return f"stands in for {label.stand_in_for}"
    if label.name not in read_paper().datasets:
        return "not in the paper"
    return "differs from the paper's" if label.differences else "as in the paper"


def build_published_datasets() -> Table:
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
    columns = ("samples", "features", "classes", "samples per class")
    return Table(
        "datasets", "The paper's data sets (its Table 3)", "data set", columns, rows, notes
    )
