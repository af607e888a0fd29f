"""Tables as data for other programs: one record per cell."""

import csv
import io
import json
import math
from collections.abc import Sequence
from typing import Any

from benchmark.report.table import Cell, Table
from benchmark.text import escape_formula

_FIELDS = ("table", "row", "mark", "key", "column", "value", "std", "n", "failed", "state")


def render_csv(tables: Sequence[Table]) -> str:
    """Write one line per cell: table, row, mark, key, column, value, std, n, failed, state.

    The key is what tells rows with the same label apart: the method in a comparison.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, _FIELDS, lineterminator="\n")
    writer.writeheader()
    for table in tables:
        for row in table.rows:
            key = ", ".join(cell.number for cell in row.cells[: table.keys])
            about = {"table": table.name, "row": row.label, "mark": row.mark, "key": key}
            cells = list(zip(table.columns, row.cells, strict=True))[table.keys :]
            for column, cell in cells:
                values = about | {"column": column} | _values(cell)
                writer.writerow({name: escape_formula(value) for name, value in values.items()})
    return text.getvalue()


def render_json(tables: Sequence[Table]) -> str:
    """Write tables as nested objects, notes and marks included."""
    document = [
        {
            "table": table.name,
            "title": table.title,
            "columns": list(table.columns),
            "rows": [
                {
                    "label": row.label,
                    "mark": row.mark,
                    "cells": [_values(cell) for cell in row.cells],
                }
                for row in table.rows
            ],
            "notes": list(table.notes),
        }
        for table in tables
    ]
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _round(value: float) -> float:
    """Keep six decimals, and six digits of what is below one: a p-value is not 0."""
    return round(value, 6) if abs(value) >= 1 else float(f"{value:.6g}")


def _values(cell: Cell) -> dict[str, Any]:
    value = cell.value
    if isinstance(value, float):
        value = _round(value) if math.isfinite(value) else None
    std = None if cell.std is None or math.isnan(cell.std) else _round(cell.std)
    return {
        "value": value,
        "std": std,
        "n": cell.n,
        "failed": cell.failed,
        "state": "missing" if value is None and cell.state == "ok" else cell.state,
    }
