"""The tables of ``wpfs-bench report --table NAME``.

A table is a function from a report to tables, in a module of this package, and its entry in
``TABLES``. The modules are imported when their table is asked for: `--help` needs none.
"""

import importlib
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from benchmark.errors import UserError
from benchmark.plan.studies import STUDIES
from benchmark.report.table import Table

if TYPE_CHECKING:
    from benchmark.report.report import Report

#: Name -> module and function that build the tables. The studies are tables, too.
TABLES: Mapping[str, str] = {
    "summary": "summary.build_summary",
    "verdict": "verdict.build_verdict",
    "main": "scores.build_main",
    "full": "scores.build_full",
    "ranks": "scores.build_ranks",
    "rank-intervals": "significance.build_rank_intervals",
    "against": "significance.build_against",
    "statistics": "significance.build_statistics",
    "comparison": "comparison.build_comparison",
    "agreement": "comparison.build_agreement",
    "stand-ins": "stand_ins.build_stand_ins",
    "hyperparameters": "hyperparameters.build_hyperparameters",
    "parameters": "costs.build_parameters",
    "runtime": "costs.build_runtime",
    "lambda-bias": "lambda_bias.build_lambda_bias",
    "selected": "selected.build_selected",
    "datasets": "datasets.build_datasets",
}

#: What ``--table`` takes.
TABLE_NAMES = (*TABLES, *STUDIES)


def check_table(name: str) -> None:
    """Raise a ``UserError`` unless ``--table NAME`` shows something."""
    if name not in TABLE_NAMES:
        raise UserError(f"unknown table {name!r}: choose one of {', '.join(TABLE_NAMES)}")


def build_tables(report: "Report", name: str) -> list[Table]:
    """Build what ``--table NAME`` shows."""
    check_table(name)
    if name in STUDIES:
        from benchmark.report.tables.studies import build_study

        return build_study(report, name)
    module, _, function = TABLES[name].partition(".")
    build = getattr(importlib.import_module(f"benchmark.report.tables.{module}"), function)
    tables: list[Table] = build(report)
    remark = report.tuning_remark
    return [
        replace(table, title=f"{table.title} ({remark})") if remark else table for table in tables
    ]


def build_comparisons(report: "Report", name: str) -> list[Table]:
    """Build the table that sets ``--table NAME`` beside the paper's numbers."""
    if name in STUDIES:
        from benchmark.report.tables.comparison import build_study_comparison

        return build_study_comparison(report, name)
    return build_tables(report, "comparison")
