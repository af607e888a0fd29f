"""Tables of what ``wpfs-bench bench`` measured, made from the JSON it writes."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from benchmark.errors import UserError
from benchmark.report.table import Cell, Row, Table
from benchmark.report.tables.cells import duration_cell
from benchmark.speed.measurement import CONTENDERS

#: Suite -> the names of its tables.
_TABLES = {
    "steps": ("steps", "ratios", "memory"),
    "profile": ("profile",),
    "scaling": ("scaling",),
    "runner": ("runner",),
    "commands": ("commands",),
}

_SMOKE = "A smoke run (--quick): these numbers are no measurement."

Numbers = Mapping[str, Any]


def check_tables(table: str, suites: Collection[str], with_job: bool) -> None:
    """Refuse a table that these suites do not make; the job's needs the steps' pace."""
    if with_job and "steps" not in suites:
        raise UserError("--results needs measured training steps: use --suite steps or all")
    made = [name for suite in _TABLES if suite in suites for name in _TABLES[suite]]
    made += ["job"] if with_job else []
    if table and table not in made:
        hint = "add --results FOLDER" if table == "job" else f"there are {', '.join(made)}"
        raise UserError(f"--table {table}: not measured, {hint}")


def build_speed_tables(numbers: Numbers) -> list[Table]:
    """Build every table the numbers allow.

    Parameters
    ----------
    numbers
        What ``wpfs-bench bench --output`` writes.
    """
    tables = []
    if "speed" in numbers:
        speed = numbers["speed"]
        tables += [
            _build_steps(speed["steps"]),
            _build_ratios(speed["steps"]),
            _build_memory(speed["peak_memory_mb"]),
        ]
    if "profile" in numbers:
        tables.append(_build_profile(numbers["profile"]))
    if "scaling" in numbers:
        tables.append(_build_scaling(numbers["scaling"]))
    if "runner" in numbers:
        tables.append(_build_overhead(numbers["runner"]))
    if "commands" in numbers:
        tables.append(_build_commands(numbers["commands"]))
    if not numbers.get("quick"):
        return tables
    return [replace(table, notes=(*table.notes, _SMOKE)) for table in tables]


def build_job_table(numbers: Numbers, steps: Mapping[str, tuple[int, int, int]]) -> Table:
    """Build the table of whole jobs: steps that recorded runs took, at each contender's pace.

    Parameters
    ----------
    numbers
        With ``speed``.
    steps
        Data set -> its number of features, runs of WPFS, and the steps of all of them.
    """
    paces = {
        row["features"]: row["milliseconds"]
        for row in numbers["speed"]["steps"]
        if row["threads"] == 1
    }
    names = ("literal", "plain", "ours")
    rows = []
    for dataset, (n_features, runs, total) in steps.items():
        width = min(paces, key=lambda known: abs(known - n_features))
        pace = paces[width]
        cells = [Cell(runs), Cell(total), Cell(width)]
        cells += [
            duration_cell(total * pace[name] / 1000) if name in pace else Cell(state="missing")
            for name in names
        ]
        rows.append(Row(dataset, tuple(cells)))
    return Table(
        name="job",
        title="Training steps of a whole job, one after the other",
        head="data set",
        columns=("runs", "steps taken", "genes of the pace", *names),
        rows=tuple(rows),
        notes=(
            "Computed: the steps that recorded runs of WPFS took, times the milliseconds per step "
            "measured above with one thread. Loading, embeddings and validation are not in it.",
        ),
    )


def _build_steps(rows: list[Numbers]) -> Table:
    skipped = sorted({f"{row['features']}: {row['skipped']}" for row in rows if row["skipped"]})
    return Table(
        name="steps",
        title="Milliseconds per training step, medians",
        head="genes",
        columns=("threads", *CONTENDERS),
        rows=tuple(
            Row(
                f"{row['features']:,}",
                (
                    Cell(row["threads"]),
                    *(_pace(row["milliseconds"], name) for name in CONTENDERS),
                ),
            )
            for row in rows
        ),
        keys=1,
        notes=(
            "; ".join(f"{name}: {what}" for name, what in CONTENDERS.items()) + ".",
            *(f"literal skipped at {reason}." for reason in skipped),
        ),
    )


def _build_ratios(rows: list[Numbers]) -> Table:
    pairs = (("literal", "ours"), ("plain", "ours"), ("ours", "floor"))
    return Table(
        name="ratios",
        title="How many times longer, within the same run",
        head="genes",
        columns=("threads", *(f"{a}/{b}" for a, b in pairs), "ours/floor as a library"),
        rows=tuple(
            Row(
                f"{row['features']:,}",
                (
                    Cell(row["threads"]),
                    *(_ratio(row["milliseconds"], *pair) for pair in pairs),
                    _ratio(row["plain_process"], "ours", "floor"),
                ),
            )
            for row in rows
        ),
        keys=1,
        notes=(
            "The products of the floor are PyTorch's, ours another library's (OpenBLAS), which on "
            "some processors is the faster one. As a library: without the memory settings that "
            "worker processes start with.",
        ),
    )


def _build_profile(profile: Numbers) -> Table:
    """Add up the parts: how far ahead of the literal algorithm a step of these alone would be."""
    times = dict(profile["milliseconds"])
    literal, ours = times.pop("literal"), times.pop("ours")
    times["everything else"] = ours - sum(times.values())
    rows, total = [], 0.0
    for part, milliseconds in times.items():
        total += milliseconds
        cells = (
            Cell(milliseconds, digits=1),
            Cell(100 * milliseconds / ours, text=f"{100 * milliseconds / ours:.0f}%"),
            _ratio({"literal": literal, "so far": total}, "literal", "so far"),
        )
        rows.append(Row(part, cells))
    return Table(
        name="profile",
        title=f"Where a step of ours goes, {profile['features']:,} genes, one thread",
        head="part",
        columns=("ms", "share", "literal/parts so far"),
        rows=tuple(rows),
        notes=(
            "The last column is what literal/ours would be if this part and those above it were "
            "the whole step. Shares by PyTorch's profiler, times scaled to steps without it.",
        ),
    )


def _build_memory(peaks: Mapping[str, Mapping[str, float]]) -> Table:
    return Table(
        name="memory",
        title="Peak memory of a process, MB",
        head="genes",
        columns=tuple(CONTENDERS),
        rows=tuple(
            Row(
                f"{int(width):,}",
                tuple(
                    Cell(round(found[name])) if name in found else Cell(state="missing")
                    for name in CONTENDERS
                ),
            )
            for width, found in peaks.items()
        ),
    )


def _build_scaling(scaling: Numbers) -> Table:
    found = {int(jobs): values for jobs, values in scaling["jobs"].items()}
    paces = {jobs: values["runs"] / values["seconds"] for jobs, values in found.items()}
    alone = paces[min(paces)]
    return Table(
        name="scaling",
        title="Runs side by side: how many times more finish in the same time",
        head="jobs",
        columns=("times",),
        rows=tuple(
            Row(f"{jobs}", (Cell(pace / alone, digits=2, text=f"{pace / alone:.2f}×"),))
            for jobs, pace in paces.items()
        ),
        notes=(
            f"{found[min(found)]['runs']} runs of WPFS of {scaling['steps']} steps on a synthetic "
            f"table of {scaling['features']:,} genes, one thread each, on {scaling['cores']} "
            "cores.",
        ),
    )


def _build_overhead(runner: Numbers) -> Table:
    runs = runner["runs"]
    on_ray = "a run that does nothing on Ray"
    return Table(
        name="runner",
        title="What the suite adds to a run, ms",
        head="part",
        columns=("ms",),
        rows=(
            Row(f"a run that does nothing, mean of {runs['runs']:,}", (_one(runs, "ms_per_run"),)),
            Row("of it writing the record", (_one(runs, "store_ms_per_run"),)),
            *([Row(on_ray, (_one(runner["ray"], "ms_per_run"),))] if "ray" in runner else []),
        ),
    )


def _build_commands(commands: list[Numbers]) -> Table:
    return Table(
        name="commands",
        title="Processor time of commands over the reference results, seconds",
        head="wpfs-bench",
        columns=("seconds", "bar"),
        rows=tuple(
            Row(
                command["command"],
                (
                    _one(command, "seconds", 2),
                    Cell(state="missing") if command["bar"] is None else _one(command, "bar"),
                ),
            )
            for command in commands
        ),
        notes=(
            "User plus system time of whole processes, medians; status reads a store, genes one of "
            "500 runs on 20,000 features, the others an archive.",
        ),
    )


def _one(values: Numbers, key: str, digits: int = 1) -> Cell:
    return Cell(float(values[key]), digits=digits)


def _pace(milliseconds: Mapping[str, float], name: str) -> Cell:
    if name not in milliseconds:
        return Cell(state="missing")
    return Cell(milliseconds[name], digits=1)


def _ratio(values: Mapping[str, float], numerator: str, denominator: str) -> Cell:
    if numerator not in values or denominator not in values:
        return Cell(state="missing")
    ratio = values[numerator] / values[denominator]
    return Cell(ratio, text=f"{ratio:.1f}×")
