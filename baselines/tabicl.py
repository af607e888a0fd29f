"""TabICL, an optional extra: a pre-trained transformer for larger tables."""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from baselines._shared.in_context import InContextClassifier
from baselines._shared.method import Method


class TabICLClassifier(InContextClassifier):
    """TabICL on the features whose class means differ most."""

    title: ClassVar[str] = "TabICL"

    def _make_model(self) -> Any:
        import tabicl

        path = None if self.weights is None else Path(self.weights).expanduser()
        return tabicl.TabICLClassifier(
            model_path=path,
            n_estimators=self.n_estimators,
            device=self.device,
            random_state=self.random_state,
            n_jobs=self.n_threads,
        )

    def _probabilities(self, X: NDArray[np.float64]) -> NDArray[np.floating]:
        # As if every class were equally frequent, which TabPFN does by itself.
        return super()._probabilities(X) * self.class_weights_


METHODS = (
    Method(
        name="tabicl",
        estimator=TabICLClassifier,
        title="TabICL",
        kind="network",
        year=2025,
        reference=(
            "Qu et al., TabICL: a tabular foundation model for in-context learning on large data, "
            "ICML, 2025"
        ),
        tags=frozenset({"weighs-classes", "gpu"}),
        requires=("tabicl",),
    ),
)
