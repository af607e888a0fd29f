"""TabPFN, an optional extra: a pre-trained transformer that reads the training rows."""

from pathlib import Path
from typing import Any, ClassVar

from baselines._shared.in_context import InContextClassifier
from baselines._shared.method import Method


class TabPFNClassifier(InContextClassifier):
    """TabPFN on the features whose class means differ most."""

    title: ClassVar[str] = "TabPFN"

    def _make_model(self) -> Any:
        import tabpfn

        path = {} if self.weights is None else {"model_path": Path(self.weights).expanduser()}
        return tabpfn.TabPFNClassifier(
            **path,
            n_estimators=self.n_estimators,
            balance_probabilities=True,
            ignore_pretraining_limits=True,
            device=self.device,
            random_state=self.random_state,
        )


METHODS = (
    Method(
        name="tabpfn",
        estimator=TabPFNClassifier,
        title="TabPFN",
        kind="network",
        year=2025,
        reference=(
            "Hollmann et al., Accurate predictions on small data with a tabular foundation model, "
            "Nature, 2025"
        ),
        # 2: the features are reduced to what it was trained on.
        version=2,
        tags=frozenset({"weighs-classes", "gpu"}),
        requires=("tabpfn",),
    ),
)
