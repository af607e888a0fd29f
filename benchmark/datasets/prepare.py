"""Making a data set ready: fetch, derive, verify, keep."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from benchmark.datasets.cache import DataFolder, State, find_state, remove_leftovers, write_table
from benchmark.datasets.download import Fetcher, is_web
from benchmark.datasets.failures import FetchError, SourceError, StorageError
from benchmark.datasets.registry import Entry, Expected, Source
from benchmark.text import count_noun


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
            from benchmark.datasets.derive import build_dataset

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


def find_differences(
    expected: Expected, shape: Sequence[int], counts: Sequence[int], class_names: Sequence[str]
) -> list[str]:
    """Return a sentence for each number that is not as expected."""
    found = (("sample", shape[0], expected.samples), ("feature", shape[1], expected.features))
    sentences = [
        f"It has {count_noun(have, noun)}, not {want}."
        for noun, have, want in found
        if have != want
    ]
    for name, have, want in zip(class_names, counts, expected.counts, strict=True):
        if have != want:
            sentences.append(f"Class {name} has {count_noun(have, 'sample')}, not {want}.")
    return sentences
