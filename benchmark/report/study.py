"""What a report says of one study: its table, its gaps, and the paper's numbers beside it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from benchmark.errors import UserError
from benchmark.plan.studies import Study
from benchmark.report.aggregate import Scores
from benchmark.report.completeness import Gap, find_gaps
from benchmark.report.labels import DatasetRemark, describe_methods
from benchmark.report.paper import read_paper
from benchmark.report.table import Table
from benchmark.report.tables import study as tables


@dataclass(frozen=True)
class StudyReport:
    """A study and the runs of a store among which it finds its own.

    Parameters
    ----------
    study
        With the variants to show.
    frame
        Every run that may belong to it.
    remarks
        Data set -> what has to be said of it.
    expected
        Runs that a complete cell has.
    """

    study: Study
    frame: pd.DataFrame
    remarks: Mapping[str, DatasetRemark]
    expected: int

    @cached_property
    def runs(self) -> pd.DataFrame:
        """Its own runs."""
        return tables.find_runs(self.frame, self.study, self.remarks)

    @cached_property
    def scores(self) -> Scores:
        """Its metric per data set and variant."""
        return tables.aggregate_study(self.runs, self.study, self.remarks)

    @property
    def gaps(self) -> list[Gap]:
        """Cells that are missing, failed or incomplete."""
        return find_gaps(self.scores, self.runs, self.expected, self.study.name)

    def build_table(self) -> Table:
        """Build data sets x variants, with what the variants gain over each other."""
        table = tables.build_study_table(self.scores, self.study, self.remarks)
        if self.study.name == "lambda":
            remark = tables.measure_optimism(self.runs, self.study)
        else:
            remark = tables.measure_gains(self.runs, self.study, self.remarks)
        return replace(table, notes=(*table.notes, remark)) if remark else table

    def build_comparison(self) -> Table:
        """Set the variants beside the paper's table of the study.

        Where the paper has none because it says nothing of the choice, they stand beside its
        main table, which may have been made with any of them.
        """
        from benchmark.report.comparison import compare, write_choice_verdict, write_verdict
        from benchmark.report.tables.comparison import build_comparison_table

        paper = read_paper().tables
        published = paper.get(self.study.name, paper["full"])
        in_question = self.study.name not in paper
        columns = self._columns_in_question() if in_question else dict(self._labels)
        if not columns:
            raise UserError(
                f"--compare paper: the paper has no table for the study {self.study.name}"
            )
        cells = compare(self.scores, published, columns, self.remarks)
        verdict = write_choice_verdict if in_question else write_verdict
        return build_comparison_table(
            cells,
            self.scores.metric,
            self._labels,
            self.remarks,
            published.number,
            verdict(cells),
            head="variant",
        )

    @property
    def _labels(self) -> dict[str, str]:
        return {variant: variant for variant in self.scores.methods}

    def _columns_in_question(self) -> dict[str, str | None]:
        """Variant -> the column of the paper's main table that may show it."""
        named = describe_methods([variant.model for variant in self.study.variants])
        return {
            variant.label: named[variant.model].column
            for variant in self.study.variants
            if variant.in_question
        }


def fills_most_columns(table: Table) -> bool:
    """Tell a study from runs of the main table or of another study that happen to fit it."""
    filled = [sum(cell.state != "missing" for cell in row.cells) for row in table.rows]
    return 2 * max(filled, default=0) > len(table.columns)
