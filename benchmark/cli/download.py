"""``wpfs-bench download``."""

from typing import TYPE_CHECKING, Annotated

import typer

from benchmark.cli.app import app
from benchmark.cli.completion import complete_datasets
from benchmark.cli.data_options import DataDir, Mirror, Registry, collect_mirrors

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

    from benchmark.datasets.cache import DataFolder, State
    from benchmark.datasets.registry import Entry


@app.command()
def download(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Names, globs, paper, more. Default: the paper's nine, and those of --registry.",
            autocompletion=complete_datasets,
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Rebuild tables even if ready; verified raw files are kept."),
    ] = False,
    mirror: Mirror = None,
    registry: Registry = None,
    data_dir: DataDir = None,
) -> None:
    """Download data sets, verify them and make their tables."""
    from rich.console import Console

    from benchmark.datasets.cache import find_data_folder, find_state
    from benchmark.datasets.names import SYNTHETIC
    from benchmark.datasets.registry import find_entry, read_registries
    from benchmark.plan.select import PAPER, choose_datasets

    console = Console(highlight=False, soft_wrap=True)
    registries = tuple(registry or ())
    mirrors = collect_mirrors(mirror)
    folder = find_data_folder(data_dir)
    if names is None:
        mine = [e.name for e in read_registries(registries).values() if e.registry in registries]
        names = [PAPER, *mine]
    chosen = [name for name in choose_datasets(names, registries) if name != SYNTHETIC]
    entries = [find_entry(name, registries) for name in chosen]

    console.print(f"Data folder: {folder.root}", markup=False)
    waiting = [entry for entry in entries if force or not find_state(entry, folder).ready]
    for entry in entries:
        if entry not in waiting:
            _print_ready(console, entry.name, find_state(entry, folder), "already there")
    failed = _prepare_all(console, waiting, folder, mirrors, force) if waiting else []
    if failed:
        console.print(
            f"{len(failed)} of {len(entries)} failed. To place a file by hand, save it in "
            f"{folder.root / 'raw'} and run this again; "
            "`wpfs-bench datasets show NAME` gives the addresses.",
            markup=False,
        )
        raise typer.Exit(1)


def _prepare_all(
    console: "Console",
    entries: "list[Entry]",
    folder: "DataFolder",
    mirrors: tuple[str, ...],
    force: bool,
) -> list[str]:
    """Prepare data sets one by one; return the names of those that failed."""
    from benchmark.datasets.download import (
        Fetcher,
        FetchError,
        Reachability,
        StorageError,
        addresses_of,
    )
    from benchmark.datasets.prepare import prepare

    failed = []
    reachability = Reachability(addresses_of(entries))
    for entry in entries:
        try:
            with _Bars(console, entry.name) as bars:
                fetcher = Fetcher(folder, mirrors, bars.report, reachability)
                state = prepare(entry, fetcher, force, bars.announce)
        except (FetchError, StorageError) as error:
            failed.append(entry.name)
            by_hand = " and ".join(file.name for file in entry.sources[0].files)
            console.print("[red]failed [/red]", end=" ")
            console.print(f"{entry.name}: {error}; or place by hand: {by_hand}", markup=False)
        else:
            _print_ready(console, entry.name, state)
    return failed


def _print_ready(console: "Console", name: str, state: "State", remark: str = "") -> None:
    meta = state.meta
    counts = " / ".join(str(count) for count in meta["classes"].values())
    line = f"{name}: {meta['samples']} x {meta['features']}, classes {counts}"
    console.print("[green]ready  [/green]", end=" ")
    console.print(f"{line} ({remark})" if remark else line, markup=False)
    for sentence in meta["differences"]:
        console.print("[yellow]        differs from the paper:[/yellow]", end=" ")
        console.print(sentence, markup=False)


class _Bars:
    """A progress bar per file, on a terminal only and gone when done."""

    def __init__(self, console: "Console", dataset: str) -> None:
        from rich import progress

        self._progress = progress.Progress(
            progress.SpinnerColumn(),
            progress.TextColumn("{task.description}"),
            progress.BarColumn(bar_width=24),
            progress.DownloadColumn(),
            progress.TransferSpeedColumn(),
            progress.TimeRemainingColumn(compact=True),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._status = console.status("")
        self._dataset = dataset
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> "_Bars":
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()
        self._status.stop()

    def report(self, name: str, done: int, total: int | None) -> None:
        """Move the bar of a file."""
        if name not in self._tasks:
            self._status.stop()
            self._progress.start()
            label = f"{self._dataset}: {name[:40]}"
            self._tasks[name] = self._progress.add_task(label, total=None)
        self._progress.update(self._tasks[name], completed=done, total=total)

    def announce(self, text: str) -> None:
        """Show what is going on once the files are there."""
        self._progress.stop()
        self._status.update(f"{self._dataset}: {text}")
        self._status.start()
