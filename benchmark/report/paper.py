"""The published numbers of ``results/paper.yaml``."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import yaml

from benchmark.files import find_resource

if TYPE_CHECKING:
    from benchmark.report.aggregate import Scores


@dataclass(frozen=True)
class PublishedTable:
    """One result table of the paper: data sets as rows.

    Parameters
    ----------
    name
        Key in the file.
    number
        Of the table in the paper.
    title
        What it shows.
    metric
        Column of the result record it reports.
    columns
        Methods or variants, in the paper's order.
    rows
        Data set -> one (mean, standard deviation) per column; NaN where not printed.
    average_rank
        One per column as printed, or None.
    average
        One (mean, standard deviation) per column over the data sets as printed, or None.
    """

    name: str
    number: str
    title: str
    metric: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[tuple[float, float], ...]]
    average_rank: tuple[float, ...] | None
    average: tuple[tuple[float, float], ...] | None


@dataclass(frozen=True)
class Paper:
    """Everything in ``results/paper.yaml``."""

    citation: str
    runs: int
    aliases: Mapping[str, str]
    datasets: Mapping[str, Mapping[str, Any]]
    contradictions: tuple[Mapping[str, Any], ...]
    tables: Mapping[str, PublishedTable]

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of its main table, in its order."""
        return self.tables["main"].columns

    def find_method(self, name: str) -> str | None:
        """Return the column that a name stands for, whatever its case, blanks and dashes."""
        return self.aliases.get(simplify(name))

    def scores(self, table: str) -> "Scores":
        """Return a published table in the form our own results are aggregated to."""
        import pandas as pd

        from benchmark.report.aggregate import Scores
        from benchmark.run.metrics import find_metric_of_column

        published = self.tables[table]
        metric = find_metric_of_column(published.metric)
        mean, std = (
            pd.DataFrame(
                {name: [pair[part] for pair in row] for name, row in published.rows.items()},
                index=list(published.columns),
            ).T
            / metric.scale
            for part in (0, 1)
        )
        n = pd.DataFrame(self.runs, index=mean.index, columns=mean.columns)
        return Scores(metric, mean, std, n, failed=0 * n, unmeasured=0 * n)


def simplify(name: str) -> str:
    """Return a name's letters and digits in lower case."""
    return "".join(character for character in name.lower() if character.isalnum())


@cache
def read_paper() -> Paper:
    """Read the published numbers."""
    # The loader in C, where PyYAML was built with it, saves a tenth of a report's time.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = find_resource("results/paper.yaml").read_text(encoding="utf-8")
    raw = yaml.load(text, Loader=loader)
    aliases = {
        simplify(alias): column
        for column, others in raw["methods"].items()
        for alias in (column, *others)
    }
    return Paper(
        citation=raw["citation"],
        runs=raw["runs"],
        aliases=aliases,
        datasets=raw["datasets"]["rows"],
        contradictions=tuple(raw["contradictions"]),
        tables={name: _published_table(name, table) for name, table in raw["tables"].items()},
    )


def _published_table(name: str, raw: Mapping[str, Any]) -> PublishedTable:
    ranks, average = raw.get("average_rank"), raw.get("average")
    return PublishedTable(
        name=name,
        number=str(raw["number"]),
        title=raw["title"],
        metric=raw["metric"],
        columns=tuple(raw["columns"]),
        rows={
            dataset: tuple(
                (float(cell[0]), float(cell[1]))
                if isinstance(cell, list)
                else (float(cell), float("nan"))
                for cell in row
            )
            for dataset, row in raw["rows"].items()
        },
        average_rank=None if ranks is None else tuple(float(rank) for rank in ranks),
        average=None if average is None else tuple((float(m), float(s)) for m, s in average),
    )
