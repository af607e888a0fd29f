"""Where the time of one training step of ours goes."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any
from unittest.mock import patch

_KERNELS = "products and passes"

#: Module of compiled functions -> the part of a step that they are.
_PARTS = {"wpfs.kernels": _KERNELS, "wpfs.fronts": _KERNELS, "wpfs.optimiser": "optimiser"}


def measure_profile(n_features: int, rounds: int) -> dict[str, list[float]]:
    """Time whole steps and the parts of ours, with one thread.

    Parameters
    ----------
    n_features
        D.
    rounds
        How often the literal algorithm and ours take turns.

    Returns
    -------
    dict
        ``literal``, ``ours`` and each part of ours -> milliseconds per step. The parts are
        measured in steps of their own and scaled to ours, because the profiler slows them down.
        Our products cannot be told from the passes around them, so they are taken to cost what
        the same products cost alone, by the faster library.
    """
    import torch
    from threadpoolctl import threadpool_limits
    from torch.profiler import ProfilerActivity, profile

    from benchmark.speed.contenders import build_step
    from benchmark.speed.measurement import FLOORS
    from benchmark.speed.probe import measure_steps
    from wpfs.subnormals import flushed_subnormals

    contenders = ["literal", "ours", *FLOORS]
    times = measure_steps(contenders, n_features, threads=1, rounds=rounds)
    torch.set_num_threads(1)
    with threadpool_limits(1, user_api="blas"), flushed_subnormals():
        step = build_step("ours", n_features)
        step()
        parts: dict[str, list[float]] = {part: [] for part in _PARTS.values()}
        for ours in times["ours"]:
            with _labelled(), profile(activities=[ProfilerActivity.CPU]) as profiler:
                start = time.perf_counter()
                step()
                seconds = time.perf_counter() - start
            found = {event.key: event.self_cpu_time_total for event in profiler.key_averages()}
            for part, milliseconds in parts.items():
                milliseconds.append(found.get(part, 0.0) / (1e6 * seconds) * ours)
    products = [min(both) for both in zip(*(times.pop(name) for name in FLOORS), strict=True)]
    both = parts.pop(_KERNELS)
    passes = [together - alone for together, alone in zip(both, products, strict=True)]
    return {**times, "products": products, "passes": passes, **parts}


@contextmanager
def _labelled() -> Iterator[None]:
    """Let the profiler see our kernels, which PyTorch does not know."""
    from numba.core.dispatcher import Dispatcher

    with ExitStack() as stack:
        for name, part in _PARTS.items():
            module = importlib.import_module(name)
            for function, value in vars(module).copy().items():
                if isinstance(value, Dispatcher):
                    stack.enter_context(_label(module, function, part))
        yield


def _label(module: ModuleType, name: str, label: str) -> Any:
    from torch.profiler import record_function

    function: Callable[..., Any] = getattr(module, name)

    def run(*arguments: Any, **options: Any) -> Any:
        with record_function(label):
            return function(*arguments, **options)

    return patch.object(module, name, run)
