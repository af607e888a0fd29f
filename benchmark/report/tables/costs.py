"""What the methods cost: parameters and time."""

from collections.abc import Callable

import pandas as pd

from benchmark.report.report import Report
from benchmark.report.table import Cell, Row, Table
from benchmark.report.tables.cells import duration_cell


def build_parameters(report: Report) -> list[Table]:
    """Build the median number of trained parameters per data set and method."""
    medians, runs = _find_medians(report, "n_parameters"), report.runs.of_main_table
    tried = runs.groupby("model")["status"].agg(lambda status: (status != "ok").all())
    known = [m for m in report.models if medians[m].notna().any() or tried.get(m, False)]
    unknown = [report.labels.title(model) for model in report.models if model not in known]
    notes = list(report.labels.explain_marks(report.datasets))
    if unknown:
        notes.append(f"No number of parameters is known of {', '.join(unknown)}.")
    if "wpfs" in known and "mlp" in known:
        share = (medians["wpfs"] / medians["mlp"]).median()
        notes.append(f"WPFS trains {share:.0%} as many parameters as the MLP (median).")
    return [
        Table(
            name="parameters",
            title="Trained parameters (median over runs)",
            head="data set",
            columns=tuple(report.labels.title(model) for model in known),
            rows=_build_rows(report, medians[known], lambda median: Cell(round(median))),
            notes=tuple(notes),
            across="method",
        )
    ]


def build_runtime(report: Report) -> list[Table]:
    """Build the median time of a run per data set and method, and what all runs took."""
    runs, models = report.runs.of_main_table, report.models
    by_model = runs.groupby("model")
    totals = by_model["seconds"].sum(min_count=1).reindex(models)
    memory = by_model["peak_memory_mb"].max().reindex(models)
    devices = ", ".join(sorted({str(device) for device in runs["device"] if device}))
    threads = ", ".join(str(int(count)) for count in sorted(runs["threads"].dropna().unique()))
    return [
        Table(
            name="runtime",
            title="Time of one run (median: training and scoring)",
            head="data set",
            columns=tuple(report.labels.title(model) for model in models),
            rows=(
                *_build_rows(report, _find_medians(report, "seconds"), duration_cell),
                _build_footer("all runs together", runs, totals, duration_cell),
                _build_footer(
                    "peak memory", runs, memory, lambda size: Cell(size, text=f"{size:,.0f} MB")
                ),
            ),
            notes=(
                f"Device: {devices or 'unknown'}; threads per run: {threads or 'unknown'}; "
                f"processor: {_count_processors(runs)}. Times of runs from different machines do "
                "not compare.",
                "Peak memory is the worker process's, with the libraries that its earlier runs "
                "had loaded.",
                *report.labels.explain_marks(report.datasets),
            ),
            across="method",
        )
    ]


def _build_rows(
    report: Report, medians: pd.DataFrame, build_cell: Callable[[float], Cell]
) -> tuple[Row, ...]:
    failed = _count_failed(report.runs.of_main_table, ["dataset", "model"])
    return tuple(
        Row(
            dataset,
            tuple(
                _build_cell(value, failed.get((dataset, model), 0), build_cell)
                for model, value in medians.loc[dataset].items()
            ),
            report.labels.mark(dataset),
        )
        for dataset in medians.index
    )


def _build_footer(
    label: str, runs: pd.DataFrame, values: pd.Series, build_cell: Callable[[float], Cell]
) -> Row:
    failed = _count_failed(runs, ["model"])
    cells = (_build_cell(v, failed.get((model,), 0), build_cell) for model, v in values.items())
    return Row(label, tuple(cells), footer=True)


def _count_failed(runs: pd.DataFrame, by: list[str]) -> dict[tuple, int]:
    """Count the runs of those groups in which all failed."""
    failed = runs["status"].ne("ok").groupby([runs[column] for column in by]).agg(["all", "size"])
    names = failed.index.to_frame()[failed["all"]].itertuples(index=False, name=None)
    return dict(zip(names, failed["size"][failed["all"]].tolist(), strict=True))


def _build_cell(value: float, n_failed: int, build_cell: Callable[[float], Cell]) -> Cell:
    """Build a cell; without a value all its runs failed, or there were none."""
    if pd.notna(value):
        return build_cell(float(value))
    return Cell(state="failed", failed=n_failed) if n_failed else Cell(state="missing")


def _find_medians(report: Report, column: str) -> pd.DataFrame:
    """Return the medians over finished runs, data sets x methods."""
    runs = report.runs.of_main_table
    wide = runs[runs["status"] == "ok"].pivot_table(
        index="dataset", columns="model", values=column, aggfunc="median"
    )
    return wide.reindex(index=report.datasets, columns=report.models).astype(float)


def _count_processors(frame: pd.DataFrame) -> str:
    """Name the kinds of processors, most runs first; how many runs each where there are several."""
    counts = frame["processor"].replace("", "not recorded").value_counts()
    if len(counts) < 2:
        return next(iter(counts.index), "unknown")
    return ", ".join(f"{name} ({count:,} runs)" for name, count in counts.items())
