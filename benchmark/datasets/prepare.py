"""Making a data set ready: fetch, derive, verify, keep."""

from collections.abc import Callable
from dataclasses import replace

from benchmark.datasets.cache import DataFolder, State, find_state, remove_leftovers, write_table
from benchmark.datasets.derive.loaders import SourceError
from benchmark.datasets.download import Fetcher, FetchError, StorageError
from benchmark.datasets.registry import Entry, Source


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
        Rebuild the table even if it is there.
    announce
        Called with a few words on what is going on.

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
    from benchmark.datasets.derive.build import build_dataset

    reasons: list[str] = []
    for source in entry.sources:
        try:
            paths = {file.name: fetcher.fetch(file, force) for file in source.files}
            announce("making the table")
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
    """Return what to do about files that may be at fault because they have no digest."""
    doubtful = [file.name for file in source.files if not file.verifiable]
    return f" (--force fetches {' and '.join(doubtful)} again)" if doubtful else ""
