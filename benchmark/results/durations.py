"""How long runs of methods took before: in a store, and in the reference runs of a checkout."""

import csv
import itertools
import os
from collections.abc import Collection, Iterator
from pathlib import Path

from benchmark.results.store import UnreadableRecordError, list_records, read_json

#: In a checkout; not part of an installed package.
REFERENCE_RUNS = Path(__file__).parents[2] / "results" / "reference" / "runs.csv"

#: Enough for a mean, and quick in a folder of many thousand records.
_RECORDS_PER_VARIANT = 3

Duration = tuple[str, str, float]
"""Model, data set, seconds."""


def read_stored_durations(folder: Path, models: Collection[str]) -> Iterator[Duration]:
    """Return durations of a few runs of each method on each data set of a store."""
    for _, paths in itertools.groupby(list_records(folder), key=os.path.dirname):
        for path in itertools.islice(paths, _RECORDS_PER_VARIANT):
            try:
                record = read_json(path)
            except UnreadableRecordError:  # ``status`` names it
                continue
            if record["model"] not in models:
                break
            if record["status"] == "ok" and record.get("seconds"):
                yield record["model"], record["dataset"], record["seconds"]


def read_reference_durations(models: Collection[str]) -> Iterator[Duration]:
    """Return durations of the reference runs; none outside a checkout."""
    if not REFERENCE_RUNS.is_file():
        return
    with REFERENCE_RUNS.open(newline="") as file:
        for run in csv.DictReader(file):
            if run["model"] in models and run["status"] == "ok":
                yield run["model"], run["dataset"], float(run["seconds"])
