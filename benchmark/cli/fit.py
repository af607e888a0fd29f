"""``wpfs-bench fit``."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchmark.cli.app import app
from benchmark.cli.table_options import DataChoice, takes_data
from benchmark.errors import UserError

if TYPE_CHECKING:
    from benchmark.datasets.dataset import Dataset

_what = partial(typer.Option, rich_help_panel="What to fit")
_resources = partial(typer.Option, rich_help_panel="Resources")


@app.command()
@takes_data
def fit(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder that becomes the model.", file_okay=False)
    ],
    model: Annotated[str | None, _what("--model", "-m", help="Name of a method.")] = None,
    method: Annotated[
        str | None, _what(help="A classifier of your own: path/to/file.py:ClassName.")
    ] = None,
    dataset: Annotated[str | None, _what("--dataset", "-d", help="Name of a data set.")] = None,
    hyperparameters: Annotated[str, _what(help="paper or default.")] = "paper",
    set_: Annotated[
        list[str] | None, _what("--set", help="Hyper-parameter name=value. Repeatable.")
    ] = None,
    shared_with: Annotated[
        str | None,
        _what(help="Learn from genes that this table has, too: a file, or a data set's name."),
    ] = None,
    seed: Annotated[int, _what(min=0, max=2**32 - 1, help="Training seed.")] = 42,
    threads: Annotated[int, _resources(min=1, help="Threads.")] = 1,
    gpu: Annotated[str | None, _resources(help="Number of a GPU. Without it: the CPU.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the model that is there.")
    ] = False,
    *,
    tables: DataChoice,
) -> None:
    """Train a method on all samples of a table and keep it in a folder.

    What needs validation data holds a tenth out. `predict` uses the folder; it holds no pickle.
    """
    from rich.console import Console

    from benchmark.datasets.dataset import describe_table
    from benchmark.datasets.loading import load_dataset
    from benchmark.models.fit import FitRequest, check_portable, fit_model, make_portable, resolve
    from benchmark.models.folder import check_target, write_model
    from benchmark.plan.hyperparameters import parse_assignments, spell
    from benchmark.run.execute import RunError

    check_target(output, force)
    request = FitRequest(
        method=_choose_one(model, method),
        preset=hyperparameters,
        overrides=parse_assignments(set_ or []),
        seed=seed,
        threads=threads,
        device=_choose_device(gpu),
    )
    sources = tables.choose_sources([dataset] if dataset else [])
    if len(sources) != 1:
        raise UserError(f"name one table with --dataset or --data, not {len(sources) or 'none'}")
    table = load_dataset(sources[0])
    if shared_with is not None:
        table = _keep_shared(table, shared_with, tables)
    found, values = resolve(request, table)
    check_portable(found)
    console = Console(highlight=False)
    console.print(describe_table(table), markup=False, soft_wrap=True)
    try:
        fitted = fit_model(request, table)
    except RunError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(1) from error
    size = write_model(output, make_portable(fitted), force)
    held = fitted.model.training["held_out_for_validation"]
    told = f"learnt from {table.n_samples - held} samples"
    told += f", {held} held out for validation" if held else ""
    console.print(f"{found.name} ({spell(values)}): {told}", markup=False, soft_wrap=True)
    console.print(f"written to {output} ({size / 1e6:.2g} MB)", markup=False, soft_wrap=True)


def _choose_one(model: str | None, method: str | None) -> str:
    from benchmark.plan.select import choose_methods

    chosen = choose_methods([name for name in (model, method) if name])
    if len(chosen) != 1:
        raise UserError(
            f"name one method with --model or --method, not {len(chosen) or 'none'} "
            "(`wpfs-bench models` lists them)"
        )
    return chosen[0]


def _keep_shared(table: "Dataset", other: str, tables: DataChoice) -> "Dataset":
    import numpy as np

    from benchmark.datasets.own_table.new_samples import list_names
    from benchmark.datasets.own_table.options import TableOptions
    from benchmark.models.matching import match_shared, take_genes

    path = Path(other).expanduser()
    if path.is_file():
        names = list_names(TableOptions(path))
    else:
        (source,) = replace(tables, own=None).choose_sources([other], impute="median")
        names = source.load().feature_names.tolist()
    return take_genes(table, np.flatnonzero(match_shared(table, names, other).found))


def _choose_device(gpu: str | None) -> str:
    from benchmark.run.devices import choose_gpus, list_gpus

    if gpu is None:
        return "cpu"
    chosen = choose_gpus(gpu, list_gpus())
    if len(chosen) != 1:
        raise UserError(f"--gpu {gpu}: fit uses one GPU")
    return f"cuda:{chosen[0].index}"
