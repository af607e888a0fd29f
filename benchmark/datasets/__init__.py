"""The data sets: registry, download, derivation, loading, the synthetic one, the user's own.

Names are imported when first asked for, so that listing data sets stays light.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmark.datasets.dataset import Dataset
    from benchmark.datasets.loading import load, read_table
    from benchmark.datasets.own_table.options import TableOptions
    from benchmark.datasets.synthetic import load_synthetic

_HOMES = {
    "Dataset": "benchmark.datasets.dataset",
    "load": "benchmark.datasets.loading",
    "load_synthetic": "benchmark.datasets.synthetic",
    "read_table": "benchmark.datasets.loading",
    "TableOptions": "benchmark.datasets.own_table.options",
}

__all__ = ["Dataset", "TableOptions", "load", "load_synthetic", "read_table"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
