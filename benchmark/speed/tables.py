"""Tables of what ``wpfs-bench bench`` measured, made from the JSON it writes."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from statistics import mean
from typing import Any

from benchmark.errors import UserError
from benchmark.report.table import Cell, Row, Table
from benchmark.report.tables.cells import duration_cell
from benchmark.speed.measurement import CONTENDERS, FLOORS

#: Tables of the suite of steps; every other suite has one, of its name.
_OF_STEPS = ("steps", "ratios", "memory")

_QUICK = "Few repetitions (quick): rough numbers."

Numbers = Mapping[str, Any]


def check_tables(table: str, suites: Collection[str], with_job: bool) -> None:
    """Refuse a table that these suites do not make; the job's needs the steps' pace."""
    if with_job and "steps" not in suites:
        raise UserError("--results needs measured training steps: use --suite steps or all")
    made = list(_OF_STEPS) if "steps" in suites else []
    made += [name for name in _BUILDERS if name in suites]
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
        steps = numbers["speed"]["steps"]
        tables += [_build_steps(steps), _build_ratios(steps)]
        tables.append(_build_memory(numbers["speed"]["peak_memory_mb"]))
    tables += [build(numbers[name]) for name, build in _BUILDERS.items() if name in numbers]
    if not numbers.get("quick"):
        return tables
    return [replace(table, notes=(*table.notes, _QUICK)) for table in tables]


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
    names = [name for name in CONTENDERS if any(name in row["milliseconds"] for row in rows)]
    return Table(
        name="steps",
        title="Milliseconds per training step, medians",
        head="genes",
        columns=("threads", *names),
        rows=tuple(
            Row(
                f"{row['features']:,}",
                (
                    Cell(row["threads"]),
                    *(_show(row["milliseconds"], name) for name in names),
                ),
            )
            for row in rows
        ),
        keys=1,
        notes=(
            "; ".join(f"{name}: {CONTENDERS[name]}" for name in names) + ".",
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
                    *(_ratio(_take_floor(row["milliseconds"]), *pair) for pair in pairs),
                    _ratio(_take_floor(row["plain_process"]), "ours", "floor"),
                ),
            )
            for row in rows
        ),
        keys=1,
        notes=(
            f"{_explain_floor(rows)} As a library: without the memory settings that worker "
            "processes start with.",
        ),
    )


def _take_floor(milliseconds: Mapping[str, float]) -> dict[str, float]:
    """Return the numbers with the faster library's products as the floor."""
    floors = [milliseconds[name] for name in FLOORS if name in milliseconds]
    return {**milliseconds, **({"floor": min(floors)} if floors else {})}


def _explain_floor(rows: list[Numbers]) -> str:
    if all(FLOORS[-1] in row["milliseconds"] for row in rows):
        return "The floor is that of the library which is faster here."
    return (
        "The products of the floor are PyTorch's, ours another library's (OpenBLAS), which on "
        "some processors is the faster one."
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
    names = tuple(name for name in CONTENDERS if name not in FLOORS[1:])
    return Table(
        name="memory",
        title="Peak memory of a process, MB",
        head="genes",
        columns=names,
        rows=tuple(
            Row(
                f"{int(width):,}",
                tuple(
                    Cell(round(found[name])) if name in found else Cell(state="missing")
                    for name in names
                ),
            )
            for width, found in peaks.items()
        ),
    )


def _build_fits(widths: list[Numbers]) -> Table:
    """Set each network beside the alternative; a step is what a longer fit takes more."""
    rows, missing = [], {}
    for width in widths:
        for found in width["methods"]:
            name, (short, long) = found["method"], found["steps"]
            if "missing" in found:
                missing[name] = found["missing"]
            fits = {side: found[side][1] for side in ("ours", "other") if side in found}
            steps = {side: 1000 * (fits[side] - found[side][0]) / (long - short) for side in fits}
            cells = (
                Cell(name),
                Cell(long),
                _show(steps, "ours"),
                _show(steps, "other"),
                _ratio(steps, "other", "ours"),
                _show(fits, "ours", 2),
                _show(fits, "other", 2),
                _ratio(fits, "other", "ours"),
                _show(found, "run", 2),
            )
            rows.append(Row(f"{width['features']:,}", cells))
    return Table(
        name="fits",
        title="Whole fits beside the obvious alternative, one thread",
        head="genes",
        columns=(
            *("method", "steps", "step, ms", "other, ms", "other/ours"),
            *("fit, s", "other, s", "of fits", "run, s"),
        ),
        rows=tuple(rows),
        keys=1,
        notes=(
            "other: plain PyTorch modules and a plain training loop; for tabnet and lassonet the "
            "packages pytorch-tabnet and lassonet. A fit: scaling, embeddings, so many steps and "
            "validation; a step: what a fit of them all takes longer than a short one. Epochs "
            "instead of steps for tabnet and, at each of three points of its path, for lassonet. "
            "A run of the suite adds loading, splitting and scoring to our fit.",
            *(f"{name}: {reason}." for name, reason in missing.items()),
        ),
    )


def _build_rivals(datasets: list[Numbers]) -> Table:
    """Set whole runs side by side, with the longest that each may take."""
    rows = []
    for found in datasets:
        seconds = {name: mean(runs["seconds"]) for name, runs in found["methods"].items()}
        bars = {
            "gcondnet": 3 * seconds["mlp"] + 60,
            **dict.fromkeys(("protogate", "stg"), seconds["wpfs"]),
        }
        for name, runs in found["methods"].items():
            bar = bars.get(name)
            cells = (
                Cell(name),
                Cell(len(runs["seconds"])),
                Cell(round(mean(runs["steps"]))),
                _show(seconds, name, 2),
                _ratio({**seconds, "this": seconds[name]}, "this", "mlp"),
                _ratio({**seconds, "this": seconds[name]}, "this", "wpfs"),
                _show(bars, name, 2),
                Cell(state="missing") if bar is None else Cell(_judge(seconds[name], bar)),
            )
            rows.append(Row(found["dataset"], cells))
    return Table(
        name="rivals",
        title="Whole runs, one thread",
        head="data set",
        columns=("method", "runs", "steps", "seconds", "of mlp", "of wpfs", "bar", "holds"),
        rows=tuple(rows),
        keys=1,
        notes=(
            "To the end of the training, means over the splits. Bars: gcondnet three runs of mlp "
            "and a minute; protogate and stg a run of wpfs.",
        ),
    )


def _judge(seconds: float, bar: float) -> str:
    return "yes" if seconds <= bar else "no"


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
            Row(f"a run that does nothing, mean of {runs['runs']:,}", (_show(runs, "ms_per_run"),)),
            Row("of it writing the record", (_show(runs, "store_ms_per_run"),)),
            *([Row(on_ray, (_show(runner["ray"], "ms_per_run"),))] if "ray" in runner else []),
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
                    _show(command, "seconds", 2),
                    _show(command, "bar"),
                ),
            )
            for command in commands
        ),
        notes=(
            "User plus system time of whole processes, medians; status reads a store, genes one of "
            "500 runs on 20,000 features, the others an archive.",
        ),
    )


#: Suite with one table -> what builds it.
_BUILDERS: Mapping[str, Callable[[Any], Table]] = {
    "profile": _build_profile,
    "fits": _build_fits,
    "rivals": _build_rivals,
    "scaling": _build_scaling,
    "runner": _build_overhead,
    "commands": _build_commands,
}


def _show(values: Numbers, name: str, digits: int = 1) -> Cell:
    """Build the cell of a time; one that is not there, or None, is missing."""
    value = values.get(name)
    return Cell(state="missing") if value is None else Cell(float(value), digits=digits)


def _ratio(values: Mapping[str, float], numerator: str, denominator: str) -> Cell:
    if numerator not in values or denominator not in values:
        return Cell(state="missing")
    ratio = values[numerator] / values[denominator]
    return Cell(ratio, text=f"{ratio:.1f}×")
