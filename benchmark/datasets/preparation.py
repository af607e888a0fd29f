"""Making a data set ready: fetch, derive, verify, keep."""

from collections.abc import Callable
from dataclasses import replace

from benchmark.datasets.fetching import Fetcher
from benchmark.datasets.folder import DataFolder
from benchmark.datasets.problems import FetchError, SourceError, StorageError
from benchmark.datasets.reachability import is_web
from benchmark.datasets.registry import Entry, Source
from benchmark.datasets.state import State, find_state
from benchmark.datasets.table_file import remove_leftovers, write_table


def prepare(
    entry: Entry,
    fetcher: Fetcher,
    force: bool = False,
    announce: Callable[[str], None] = lambda text: None,
) -> State:
    """Make one data set ready, trying its sources in order.

    Parameters
    ----------
    entry
        The data set.
    fetcher
        Gets the files; its folder takes the table.
    force
        Make the table anew even if it is there.
    announce
        Told, in a few words, what is going on.

    Raises
    ------
    FetchError
        No source worked; the message holds the reason for each.
    StorageError
        The data folder cannot be written to.
    """
    from filelock import FileLock

    folder: DataFolder = fetcher.folder
    path = folder.table(entry.name)
    folder.create(path.parent)
    with FileLock(folder.lock(f"{entry.name}.table")):
        remove_leftovers(path)
        state = find_state(entry, folder)
        if state.ready and not force:
            return state
        _write_from_any_source(entry, fetcher, force, announce)
    return find_state(entry, folder)


def _write_from_any_source(
    entry: Entry, fetcher: Fetcher, force: bool, announce: Callable[[str], None]
) -> None:
    reasons: list[str] = []
    for source in entry.sources:
        try:
            paths = {file.name: fetcher.fetch(file, force) for file in source.files}
            announce("making the table")
            from benchmark.datasets.derivation import build_dataset

            dataset = build_dataset(entry, source, paths)
        except FetchError as error:
            reasons.extend(error.reasons)
        except SourceError as error:
            reasons.append(f"{error}{_hint(source)}")
        except (ValueError, KeyError, TypeError) as error:
            # A publisher may change a format in ways not foreseen; the next source may still do.
            problem = f"{type(error).__name__}: {error}".splitlines()[0]
            reasons.append(f"{source.note} has an unexpected format ({problem}){_hint(source)}")
        else:
            files = {
                file.name: {
                    "verified": "sha256" if file.sha256 else "git blob" if file.git_blob else "no"
                }
                for file in source.files
            }
            dataset = replace(dataset, provenance={**dataset.provenance, "files": files})
            try:
                write_table(fetcher.folder.table(entry.name), dataset, entry.fingerprint)
            except OSError as error:
                raise StorageError(f"the table cannot be written ({error})") from None
            return
    raise FetchError(*reasons)


def _hint(source: Source) -> str:
    """Say what to do about files that may be at fault, as nothing vouches for them."""
    doubtful = [file.name for file in source.files if not file.verifiable]
    return f" (--force fetches {' and '.join(doubtful)} again)" if doubtful else ""


def addresses_of(entries: list[Entry]) -> set[str]:
    """Return the web addresses that the files of these data sets come from."""
    return {
        url
        for entry in entries
        for source in entry.sources
        for file in source.files
        for url in file.urls
        if is_web(url)
    }
