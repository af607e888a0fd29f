"""Made-up runs whose scores are known."""

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pytest

from benchmark.datasets.dataset import Dataset
from benchmark.genes.lists import GeneLists, read_gene_lists
from benchmark.results.arrays import FeatureScores


@dataclasses.dataclass
class MadeArrays:
    """Arrays of runs by the rows of their frame."""

    scores: list[FeatureScores | None]
    test_rows: Sequence[np.ndarray] = ()

    unreadable = ()

    def read_scores(self, run: int) -> FeatureScores | None:
        return self.scores[run]

    def read_predictions(self, run: int) -> dict[str, np.ndarray]:
        return {"test_index": self.test_rows[run % len(self.test_rows)]} if self.test_rows else {}

    def read_history(self, run: int) -> dict[str, np.ndarray]:
        return {}

    def read_names(self, checksum: str) -> None:
        return None

    def read_importance_counts(self, run: int) -> np.ndarray | None:
        found = self.scores[run]
        return None if found is None else np.histogram(found.scores, np.linspace(0, 1, 21))[0]


def build_runs(models: dict[str, int], dataset: str = "made") -> pd.DataFrame:
    """Return a frame of so many runs of each method."""
    rows = [
        {"dataset": dataset, "dataset_checksum": "", "model": model, "status": "ok", "seed": 42,
         "repeat": run // 5, "fold": run % 5, "split_checksum": f"{run}",
         "balanced_accuracy_test": 0.8 + run / 100}
        for model, count in models.items()
        for run in range(count)
    ]  # fmt: skip
    return pd.DataFrame(rows)


@pytest.fixture
def make_lists() -> Callable[..., GeneLists]:
    """Return a function: method -> (M, D) scores, and what selects -> lists."""

    def make(
        scores: dict[str, Sequence[Sequence[float]]],
        selected: dict[str, Sequence[Sequence[int]]] | None = None,
        table: Dataset | None = None,
        test_rows: Sequence[np.ndarray] = (),
        top: int = 50,
    ) -> GeneLists:
        runs = build_runs({model: len(of_model) for model, of_model in scores.items()})
        found: list[FeatureScores | None] = []
        for model, of_model in scores.items():
            for run, row in enumerate(of_model):
                marks = None
                if selected and model in selected:
                    marks = np.zeros(len(row), dtype=bool)
                    marks[list(selected[model][run])] = True
                found.append(FeatureScores(np.array(row, dtype=np.float32), marks))
        lists = read_gene_lists(runs, MadeArrays(found, test_rows), table, top=top)
        assert lists is not None
        return lists

    return make
