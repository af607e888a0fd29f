"""Whole fits of the networks beside the obvious alternative: plain PyTorch, or the package."""

from __future__ import annotations

import importlib.util
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

from baselines._shared.registry import get_method
from benchmark.datasets.loading import DataSource, load_dataset
from benchmark.datasets.splits import make_split
from benchmark.plan.jobs import Job, RunRequest, make_jobs
from benchmark.run.execute import build_estimator, execute_job, take_parts
from benchmark.speed.packages import PACKAGES, fit_package
from benchmark.speed.plain_networks import PLAIN, fit_plain

if TYPE_CHECKING:
    from benchmark.run.execute import Part

#: As many rows as the smaller of the paper's data sets.
_SAMPLES = 102

#: A path that ends at once: a dense fit, one point with all features and one with none.
_LASSONET = {"path_multiplier": 1e9, "patience": None}

#: Epochs of TabNet and LassoNet take as long as many steps of the others.
_STEPS_PER_EPOCH = {"tabnet": 5, "lassonet": 20}


def measure_fits(n_features: int, steps: int, rounds: int) -> list[dict[str, Any]]:
    """Time short and long fits of every method and of its alternative, one thread, taking turns.

    Parameters
    ----------
    n_features
        D of a synthetic table.
    steps
        Of the long fits; the short ones take a fifth. A fifth as many epochs for TabNet, a
        twentieth for LassoNet.
    rounds
        Of which the medians count, after a fit of each that warms it up.

    Returns
    -------
    list
        Per method ``method``, ``steps`` [short, long], ``ours`` and ``other`` (seconds of
        both fits) and ``run`` (seconds of a run of the suite with the long fit), or, in place
        of these three, ``missing``: what is not installed.
    """
    source = DataSource(f"synthetic:samples={_SAMPLES},features={n_features}")
    dataset = load_dataset(source)
    train, valid, _ = take_parts(dataset, make_split(dataset.y, 0, 0))
    found = []
    for name in (*PLAIN, *PACKAGES):
        long = max(2, steps // _STEPS_PER_EPOCH.get(name, 1))
        row: dict[str, Any] = {"method": name, "steps": [max(1, long // 5), long]}
        if name in PACKAGES and importlib.util.find_spec(PACKAGES[name][0]) is None:
            # Ours is built on the package, too.
            found.append({**row, "missing": f"{PACKAGES[name][1]} is not installed"})
            continue
        alternative = _fit_package if name in PACKAGES else fit_plain
        fits = {
            "ours": partial(_fit_ours, name, train, valid),
            "other": partial(alternative, name, train, valid),
        }
        request = RunRequest([name], [source], preset="default", overrides=_limit(name, long))
        job = make_jobs(request)[0]
        found.append({**row, **_time(fits, row["steps"], partial(_run, job), rounds)})
    return found


def _time(
    fits: Mapping[str, Callable[[int], object]],
    lengths: Sequence[int],
    run: Callable[[], object],
    rounds: int,
) -> dict[str, Any]:
    for fit in fits.values():
        _measure(partial(fit, lengths[0]))
    seconds: dict[str, list[list[float]]] = {name: [] for name in fits}
    runs = []
    for _ in range(rounds):
        for name, fit in fits.items():
            seconds[name].append([_measure(partial(fit, length)) for length in lengths])
        runs.append(_measure(run))
    medians = {
        name: [median(of_length) for of_length in zip(*values, strict=True)]
        for name, values in seconds.items()
    }
    return {**medians, "run": median(runs)}


def _measure(action: Callable[[], object]) -> float:
    begin = time.perf_counter()
    with warnings.catch_warnings(), redirect_stdout(sys.stderr):
        warnings.simplefilter("ignore")
        action()
    return time.perf_counter() - begin


def _run(job: Job) -> None:
    outcome = execute_job(job)
    if outcome.status != "ok":
        raise RuntimeError(f"a run failed: {outcome.record['error']}")


def _fit_ours(name: str, train: Part, valid: Part, length: int) -> None:
    _build(name, length).fit(train.X, train.y, eval_set=[(valid.X, valid.y)])


def _fit_package(name: str, train: Part, valid: Part, length: int) -> None:
    fit_package(name, _build(name, length), train, valid)


def _build(name: str, length: int) -> Any:
    return build_estimator(get_method(name), _limit(name, length), 0, "cpu", 1)


def _limit(name: str, length: int) -> dict[str, Any]:
    """Return hyper-parameters with which a fit takes this long, whatever the losses."""
    if name == "tabnet":
        return {"max_epochs": length, "patience": length}
    if name == "lassonet":
        return {"max_epochs": length, **_LASSONET}
    return {"max_steps": length, "patience": length}
