"""A store of many runs on a wide table, for measuring `wpfs-bench genes`."""

import itertools
from pathlib import Path

import numpy as np

from benchmark.plan.key import RunKey
from benchmark.results.store import Store

_FEATURES = 20_000
_SAMPLES = 200


def write_gene_runs(folder: Path, methods: int) -> None:
    """Write 25 runs of each method; none of them is a method of the suite."""
    rng = np.random.default_rng(0)
    store = Store(folder)
    store.prepare()
    for method, repeat, fold in itertools.product(range(methods), range(5), range(5)):
        key = RunKey("made-up", "0" * 64, f"method-{method}", 1, "{}", repeat=repeat, fold=fold)
        record = {
            "status": "ok",
            "presets": ["paper"],
            "dataset_differences": [],
            "versions": {},
            "split_checksum": f"{repeat}-{fold}",
            "balanced_accuracy_test": float(rng.random()),
        }
        test = np.arange(fold, _SAMPLES, 5)
        arrays: dict[str, np.ndarray] = {
            "test_index": test,
            "y_true": test % 2,
            "y_pred": test % 2,
            "proba": np.eye(2)[test % 2],
            "importances": rng.random(_FEATURES).astype(np.float32),
        }
        store.write(key, record, arrays)
