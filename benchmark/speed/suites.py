"""What ``wpfs-bench bench`` measures, as plain numbers for JSON."""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchmark.run.devices import count_cores, plan_slots
from benchmark.run.provenance import find_commit, list_versions, name_processor

if TYPE_CHECKING:
    from benchmark.run.executors.events import Executor

#: Suite -> what it measures.
SUITES = {
    "steps": "training steps",
    "profile": "the parts of a training step",
    "fits": "whole fits",
    "rivals": "whole runs of the networks",
    "scaling": "runs side by side",
    "runner": "the runner's overhead",
    "commands": "the processor time of commands",
}


def measure(
    suites: Sequence[str], widths: list[int], quick: bool, announce: Callable[[str], None]
) -> dict[str, Any]:
    """Run suites one after the other.

    Parameters
    ----------
    suites
        Of ``SUITES``.
    widths
        Numbers of features for training steps and fits.
    quick
        Show that it works, not how fast it is.
    announce
        Called with what is being measured.
    """
    numbers: dict[str, Any] = {
        "versions": list_versions(),
        "processor": name_processor(),
        "git_commit": find_commit(),
        "quick": quick,
    }
    threads = sorted({1, count_cores()})
    if "steps" in suites:
        from benchmark.speed.measurement import measure_speed

        numbers["speed"] = measure_speed(widths, threads[:1] if quick else threads, quick, announce)
    if "profile" in suites:
        from benchmark.speed.measurement import measure_parts

        announce(SUITES["profile"])
        width = 1000 if quick else 6000
        numbers["profile"] = {"features": width, "milliseconds": measure_parts(width, quick)}
    if "fits" in suites:
        from benchmark.speed.measurement import measure_fits

        numbers["fits"] = []
        for width in widths:
            announce(f"{SUITES['fits']} at {width} features")
            numbers["fits"].append({"features": width, "methods": measure_fits(width, quick)})
    if "rivals" in suites:
        from benchmark.speed.runs import measure_rivals

        announce(SUITES["rivals"])
        numbers["rivals"] = measure_rivals(quick)
    if "scaling" in suites:
        from benchmark.speed.runs import measure_scaling

        announce(SUITES["scaling"])
        width, steps, runs = (200, 20, 2) if quick else (6000, 200, 8)
        numbers["scaling"] = {
            "features": width,
            "steps": steps,
            "cores": count_cores(),
            "jobs": measure_scaling(threads, width, steps, runs),
        }
    if "runner" in suites:
        from benchmark.run.executors.local import LocalExecutor
        from benchmark.speed.runs import measure_overhead

        announce(SUITES["runner"])
        with TemporaryDirectory() as logs:
            executors: dict[str, Executor] = {"runs": LocalExecutor(plan_slots([], 1))}
            if find_spec("ray") is not None:
                from benchmark.run.executors.ray import RayExecutor

                executors["ray"] = RayExecutor(jobs=1, logs=Path(logs))
            numbers["runner"] = measure_overhead(50 if quick else 1000, executors)
    if "commands" in suites:
        from benchmark.speed.commands import measure_commands

        numbers["commands"] = measure_commands(1 if quick else 5, announce)
    return numbers


def count_steps(results: Path) -> dict[str, tuple[int, int, int]]:
    """Count the training steps of recorded runs of WPFS with the paper's hyper-parameters.

    Returns
    -------
    dict
        Data set -> its number of features, runs, steps of all of them.
    """
    from benchmark.datasets.registry import list_expected
    from benchmark.report.report import Report
    from benchmark.report.request import ReportRequest
    from benchmark.results.reading import read_results

    frame, _ = read_results(results)
    runs = Report(frame, ReportRequest(models=("wpfs",))).runs.of_main_table
    good = runs[runs["status"] == "ok"]
    sizes = list_expected()
    return {
        str(dataset): (sizes[str(dataset)].features, len(runs), int(runs["steps"].sum()))
        for dataset, runs in good.groupby("dataset")
        if dataset in sizes
    }
