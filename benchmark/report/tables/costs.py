"""Tables of what the methods cost: parameters and time."""

from collections.abc import Mapping, Sequence

import pandas as pd

from benchmark.report.remarks import DatasetRemark, explain_marks
from benchmark.report.table import Cell, Row, Table
from benchmark.report.tables.results import duration_cell


def build_parameter_table(
    frame: pd.DataFrame,
    datasets: Sequence[str],
    models: Sequence[str],
    titles: Mapping[str, str],
    remarks: Mapping[str, DatasetRemark],
) -> Table:
    """Build the median number of trained parameters per data set and method."""
    wide = _medians(frame, "n_parameters", datasets, models)
    known = [model for model in models if wide[model].notna().any()]
    rows = tuple(
        Row(
            dataset,
            tuple(
                Cell(state="missing") if pd.isna(value) else Cell(round(value))
                for value in wide.loc[dataset, known]
            ),
            _mark(dataset, remarks),
        )
        for dataset in datasets
    )
    unknown = [titles[model] for model in models if model not in known]
    notes = list(explain_marks(datasets, remarks))
    if unknown:
        notes.append(f"No number of parameters is known of {', '.join(unknown)}.")
    if "wpfs" in known and "mlp" in known:
        share = (wide["wpfs"] / wide["mlp"]).median()
        notes.append(f"WPFS trains {share:.0%} as many parameters as the MLP (median).")
    return Table(
        name="parameters",
        title="Trained parameters (median over runs)",
        head="data set",
        columns=tuple(titles[model] for model in known),
        rows=rows,
        notes=tuple(notes),
    )


def build_runtime_table(
    frame: pd.DataFrame,
    datasets: Sequence[str],
    models: Sequence[str],
    titles: Mapping[str, str],
    remarks: Mapping[str, DatasetRemark],
) -> Table:
    """Build the median time of a run per data set and method, and what all runs took."""
    wide = _medians(frame, "seconds", datasets, models)
    rows = [
        Row(
            dataset,
            tuple(duration_cell(value) for value in wide.loc[dataset, list(models)]),
            _mark(dataset, remarks),
        )
        for dataset in datasets
    ]
    totals = frame.groupby("model")["seconds"].sum()
    rows.append(
        Row(
            "all runs together",
            tuple(duration_cell(totals[model]) for model in models),
            footer=True,
        )
    )
    memory = frame.groupby("model")["peak_memory_mb"].max()
    rows.append(
        Row(
            "peak memory",
            tuple(
                Cell(state="missing")
                if pd.isna(memory[m])
                else Cell(float(memory[m]), text=f"{memory[m]:,.0f} MB")
                for m in models
            ),
            footer=True,
        )
    )
    devices = ", ".join(sorted({str(device) for device in frame["device"] if device}))
    threads = ", ".join(str(int(t)) for t in sorted(frame["threads"].dropna().unique()))
    return Table(
        name="runtime",
        title="Time of one run (median: training and scoring)",
        head="data set",
        columns=tuple(titles[model] for model in models),
        rows=tuple(rows),
        notes=(
            f"Device: {devices or 'unknown'}; threads per run: {threads or 'unknown'}. Times of "
            "runs from different machines do not compare.",
            *explain_marks(datasets, remarks),
        ),
    )


def _medians(
    frame: pd.DataFrame, column: str, datasets: Sequence[str], models: Sequence[str]
) -> pd.DataFrame:
    good = frame[frame["status"] == "ok"]
    wide = good.pivot_table(index="dataset", columns="model", values=column, aggfunc="median")
    return wide.reindex(index=list(datasets), columns=list(models)).astype(float)


def _mark(dataset: str, remarks: Mapping[str, DatasetRemark]) -> str:
    remark = remarks.get(dataset)
    return remark.mark if remark else ""
