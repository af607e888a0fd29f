"""``wpfs-bench predict``."""

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchmark.cli.app import app
from benchmark.cli.data_options import DataDir, Registry
from benchmark.cli.table_options import VALUE_OPTIONS, make_table_options, takes_table
from benchmark.errors import UserError

if TYPE_CHECKING:
    from benchmark.datasets.own_table.new_samples import NewSamples
    from benchmark.models.folder import Model
    from benchmark.report.table import Table

#: Samples in the terminal.
_SHOWN = 40


@app.command()
@takes_table(names=VALUE_OPTIONS)
def predict(
    model: Annotated[Path, typer.Argument(help="Folder that `fit` wrote.")],
    data: Annotated[
        Path | None,
        typer.Option(help="Table of new samples, in any format of `inspect`; no classes needed."),
    ] = None,
    dataset: Annotated[
        str | None, typer.Option("--dataset", "-d", help="Name of a data set, instead of --data.")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="path/to/file.py:ClassName of a model fitted with your own method; it is run."
        ),
    ] = None,
    missing: Annotated[
        str,
        typer.Option(help="Genes and values that are not there: error, or median of the training."),
    ] = "error",
    rescale: Annotated[
        str,
        typer.Option(help="none, or cohort: standardise the new table by itself."),
    ] = "none",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write CSV, or JSON to a name with .json."),
    ] = None,
    registry: Registry = None,
    data_dir: DataDir = None,
    *,
    own: Mapping[str, Any],
) -> None:
    """Predict the classes of new samples, with probabilities.

    Genes are matched by name. Nothing in a model's folder is executed.
    """
    from benchmark.models.fit import list_other_versions, restore
    from benchmark.models.folder import read_model
    from benchmark.models.predict import MISSING, RESCALINGS, list_rows
    from benchmark.models.predict import predict as predict_classes
    from benchmark.report.output import write_tables, write_text
    from benchmark.run.execute import RunError

    for flag, value, allowed in (
        ("--missing", missing, MISSING),
        ("--rescale", rescale, RESCALINGS),
    ):
        if value not in allowed:
            raise UserError(f"{flag} {value}: use {' or '.join(allowed)}")
    kept = read_model(model)
    fitted = restore(kept, method or "")
    samples = _read_samples(kept, data, dataset, own, tuple(registry or ()), data_dir)
    if other := list_other_versions(kept):
        typer.echo(f"warning: made with other libraries: {', '.join(other)}", err=True)
    try:
        predictions = predict_classes(fitted, samples, missing, rescale)
    except RunError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(1) from error
    for note in predictions.notes:
        typer.echo(note, err=True)
    for warning in predictions.warnings:
        typer.echo(f"warning: {warning}", err=True)
    rows = list_rows(predictions, kept.classes)
    if output is None:
        write_tables([_make_table(rows, kept, samples.name)], "table", None)
    elif output.suffix == ".json":
        write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", output)
    else:
        write_text(_to_csv(rows), output)


def _read_samples(
    kept: "Model",
    data: Path | None,
    dataset: str | None,
    own: Mapping[str, Any],
    registries: tuple[Path, ...],
    data_dir: Path | None,
) -> "NewSamples":
    from benchmark.datasets.loading import DataSource
    from benchmark.datasets.own_table.new_samples import NewSamples, read_new_samples

    if (data is None) == (dataset is None):
        raise UserError("name one table of new samples, with --data FILE or --dataset NAME")
    options = make_table_options(data, own)
    if options is not None:
        return read_new_samples(options, kept.genes)
    table = DataSource(
        str(dataset), data_dir=data_dir, registries=registries, impute="median"
    ).load()
    return NewSamples.from_dataset(table)


def _make_table(rows: list[dict[str, Any]], kept: "Model", name: str) -> "Table":
    from benchmark.report.table import Cell, Row, Table

    columns = tuple(rows[0])[1:]
    return Table(
        "predictions",
        f"{name}: classes by {kept.method}, trained on {kept.training['dataset']}",
        "sample",
        columns,
        tuple(
            Row(row["sample"], tuple(Cell(row[column], digits=3) for column in columns))
            for row in rows[:_SHOWN]
        ),
        (_count_classes(rows),),
    )


def _count_classes(rows: list[dict[str, Any]]) -> str:
    from collections import Counter

    from benchmark.text import count_noun

    counts = Counter(row["class"] for row in rows)
    named = ", ".join(f"{name} {count}" for name, count in counts.most_common())
    shown = f"; the first {_SHOWN} are shown, --output writes all" if len(rows) > _SHOWN else ""
    return f"{count_noun(len(rows), 'sample')}: {named}{shown}"


def _to_csv(rows: list[dict[str, Any]]) -> str:
    from benchmark.text import escape_formula

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([escape_formula(name) for name in rows[0]])
    for row in rows:
        writer.writerow([escape_formula(value) for value in row.values()])
    return text.getvalue()
