"""Measures the processor time of commands that people wait for, over the reference results."""

import itertools
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmark.errors import UserError
from benchmark.files import find_resource
from benchmark.plan.key import SEED
from benchmark.results.archive import is_archive
from benchmark.results.merge import merge_results
from benchmark.results.record import pack_record
from benchmark.results.store import key_of, list_records, read_json
from benchmark.speed.gene_runs import write_gene_runs


@dataclass(frozen=True)
class Command:
    """A command line that is measured.

    Parameters
    ----------
    arguments
        Of ``wpfs-bench``.
    reads
        ``archive`` or ``store``: the form of the results it is given; ``many``: a store of 10,000
        records; ``genes``: a store of 500 runs on 20,000 features; ``table``: a table of 200
        samples and 20,000 features; "" for none.
    bar
        Seconds of processor time it should stay below, None if no bar was set.
    """

    arguments: tuple[str, ...]
    reads: str = "archive"
    bar: float | None = None

    @property
    def name(self) -> str:
        """The command line without results and output."""
        line = " ".join(self.arguments)
        return f"{line}, {_MANY:,} records" if self.reads == "many" else line


#: Records of a large store.
_MANY = 10_000

COMMANDS = (
    Command(("--help",), reads="", bar=0.4),
    Command(("report",), bar=1.0),
    *(Command(("report", "--format", name), bar=1.0) for name in ("csv", "markdown", "latex")),
    Command(("report", "--compare", "paper"), bar=1.0),
    Command(("report", "--format", "html"), bar=2.5),
    Command(("status",), reads="store"),
    Command(("status",), reads="many", bar=1.0),
    Command(("report",), reads="many", bar=1.0),
    Command(("inspect", "--target", "class"), reads="table"),
    Command(("genes",), reads="genes", bar=5.0),
)

#: What ``inspect`` is compared with: pandas' own reading of the same table.
_PANDAS = "pandas.read_csv of the table that inspect reads"


def measure_commands(attempts: int, announce: Callable[[str], None]) -> list[dict[str, Any]]:
    """Run each command in processes of its own.

    Returns
    -------
    list
        Per command ``command``, ``bar`` and ``seconds``: the median of user plus system time.
    """
    reference = find_resource("results/reference")
    if not is_archive(reference):
        raise UserError(f"--suite commands: {reference} is missing, measure in a checkout")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        announce("unpacking the reference results")
        merge_results([reference], folder / "store")
        _multiply_records(folder / "store", folder / "many")
        if any(command.reads == "genes" for command in COMMANDS):
            announce("writing 500 runs on 20,000 features")
            write_gene_runs(folder / "genes", methods=20)
        results = {"archive": reference}
        results |= {name: folder / name for name in ("store", "many", "genes")}
        measured = []
        for command in COMMANDS:
            announce(f"wpfs-bench {command.name}")
            arguments = list(command.arguments)
            if command.reads == "table":
                table = _write_table(folder)
                arguments.append(str(table))
                call = ["-c", f"import pandas; pandas.read_csv({str(table)!r})"]
                seconds = median(_measure_processor_time(call) for _ in range(attempts))
                measured.append({"command": _PANDAS, "bar": None, "seconds": seconds})
            elif command.reads:
                arguments += ["--results", str(results[command.reads])]
            if "html" in arguments:
                arguments += ["--output", os.devnull]
            call = ["-m", "benchmark", *arguments]
            seconds = median(_measure_processor_time(call) for _ in range(attempts))
            measured.append({"command": command.name, "bar": command.bar, "seconds": seconds})
        return measured


def _multiply_records(store: Path, larger: Path) -> None:
    """Write the records of a store again under other seeds until there are ``_MANY``."""
    records = [Path(path) for path in list_records(store)]
    places = ((seed, path) for seed in itertools.count(SEED) for path in records)
    for seed, path in itertools.islice(places, _MANY if records else 0):
        record = read_json(path) | {"seed": seed}
        copy = larger / path.relative_to(store).with_name(f"{key_of(record).stem}.json")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(pack_record(record))


def _write_table(folder: Path) -> Path:
    import numpy as np
    import pandas as pd

    values = np.random.default_rng(0).normal(size=(200, 20_000)).round(4)
    frame = pd.DataFrame(values, columns=[f"gene-{j}" for j in range(values.shape[1])])
    frame.insert(0, "class", ["a", "b"] * 100)
    frame.to_csv(folder / "table.csv", index=False)
    return folder / "table.csv"


def _measure_processor_time(arguments: list[str]) -> float:
    """Return the user and system time of a Python process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
