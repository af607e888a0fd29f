"""The data sets: registry, download, derivation, loading, the synthetic one, the user's own.

Names are imported when first asked for, so that listing data sets stays light.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmark.datasets.description import describe_table
    from benchmark.datasets.folds import check_folds
    from benchmark.datasets.loading import load, load_file
    from benchmark.datasets.readiness import check_ready
    from benchmark.datasets.record import Dataset
    from benchmark.datasets.registry import known_names
    from benchmark.datasets.synthetic import load_synthetic

_HOMES = {
    "Dataset": "benchmark.datasets.record",
    "check_folds": "benchmark.datasets.folds",
    "check_ready": "benchmark.datasets.readiness",
    "describe_table": "benchmark.datasets.description",
    "known_names": "benchmark.datasets.registry",
    "load": "benchmark.datasets.loading",
    "load_file": "benchmark.datasets.loading",
    "load_synthetic": "benchmark.datasets.synthetic",
}

__all__ = [
    "Dataset",
    "check_folds",
    "check_ready",
    "describe_table",
    "known_names",
    "load",
    "load_file",
    "load_synthetic",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
