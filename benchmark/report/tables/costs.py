"""Tables of what the methods cost: parameters and time."""

from collections.abc import Mapping, Sequence

import pandas as pd

from benchmark.report.labels import DatasetRemark, explain_marks
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
    failed = [model for model in models if _empty(frame, model).state == "failed"]
    known = [model for model in models if wide[model].notna().any() or model in failed]
    rows = tuple(
        Row(
            dataset,
            tuple(
                _empty(frame, model, dataset) if pd.isna(value) else Cell(round(value))
                for model, value in wide.loc[dataset, known].items()
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
            tuple(
                _empty(frame, model, dataset) if pd.isna(value) else duration_cell(value)
                for model, value in wide.loc[dataset, list(models)].items()
            ),
            _mark(dataset, remarks),
        )
        for dataset in datasets
    ]
    totals = frame.groupby("model")["seconds"].sum(min_count=1).reindex(list(models))
    rows.append(
        Row(
            "all runs together",
            tuple(
                _empty(frame, model) if pd.isna(totals[model]) else duration_cell(totals[model])
                for model in models
            ),
            footer=True,
        )
    )
    memory = frame.groupby("model")["peak_memory_mb"].max().reindex(list(models))
    rows.append(
        Row(
            "peak memory",
            tuple(
                _empty(frame, m)
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
            f"Device: {devices or 'unknown'}; threads per run: {threads or 'unknown'}; processor: "
            f"{_count_processors(frame)}. Times of runs from different machines do not compare.",
            "Peak memory is the largest of a worker process, libraries that earlier runs in the "
            "same process had loaded included.",
            *explain_marks(datasets, remarks),
        ),
    )


def _count_processors(frame: pd.DataFrame) -> str:
    """Name the kinds of processors, most runs first; how many runs each where there are several."""
    counts = frame["processor"].replace("", "not recorded").value_counts()
    if len(counts) < 2:
        return next(iter(counts.index), "unknown")
    return ", ".join(f"{name} ({count:,} runs)" for name, count in counts.items())


def _empty(frame: pd.DataFrame, model: str, dataset: str | None = None) -> Cell:
    """Build the cell of a method without a value: failed, or missing if it was not run."""
    runs = frame[frame["model"] == model]
    if dataset is not None:
        runs = runs[runs["dataset"] == dataset]
    failed = len(runs) > 0 and bool((runs["status"] != "ok").all())
    return Cell(state="failed", failed=len(runs)) if failed else Cell(state="missing")


def _medians(
    frame: pd.DataFrame, column: str, datasets: Sequence[str], models: Sequence[str]
) -> pd.DataFrame:
    good = frame[frame["status"] == "ok"]
    wide = good.pivot_table(index="dataset", columns="model", values=column, aggfunc="median")
    return wide.reindex(index=list(datasets), columns=list(models)).astype(float)


def _mark(dataset: str, remarks: Mapping[str, DatasetRemark]) -> str:
    remark = remarks.get(dataset)
    return remark.mark if remark else ""
