"""TabPFN, an optional extra: a pre-trained transformer that reads the training rows."""

import numpy as np
from numpy.typing import NDArray

from baselines._shared.method import Method
from baselines._shared.standardised import Samples, StandardisedClassifier
from wpfs.options import keyword_constructor


@keyword_constructor
class TabPFNClassifier(StandardisedClassifier):
    """TabPFN with class probabilities balanced by the training rows' class counts.

    Its weights are downloaded by the tabpfn package on first use; where they cannot be had,
    ``fit`` says so. It was trained on tables of up to 500 features and is run beyond that.

    Parameters
    ----------
    n_estimators
        Passes over shuffled copies of the table that are averaged.
    random_state
        Seed of the shuffling.
    n_threads
        Threads of the linear algebra outside torch.
    device
        Of torch, for example ``cpu`` or ``cuda:0``.
    """

    n_estimators: int = 8
    random_state: int | None = None
    n_threads: int = 1
    device: str = "cpu"

    def _learn(self, train: Samples, valid: Samples | None) -> None:
        import tabpfn

        self.model_ = tabpfn.TabPFNClassifier(
            n_estimators=self.n_estimators,
            balance_probabilities=True,
            ignore_pretraining_limits=True,
            device=self.device,
            random_state=self.random_state,
        )
        try:
            self.model_.fit(train.X.astype(np.float32), train.codes)
        except (OSError, RuntimeError) as error:
            raise RuntimeError(
                f"TabPFN could not be prepared ({str(error).splitlines()[0]}): "
                "its weights must be downloadable or in its cache folder"
            ) from error

    def _probabilities(self, X: NDArray[np.float64]) -> NDArray[np.floating]:
        return self.model_.predict_proba(X.astype(np.float32))


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
        tags=frozenset({"weighs-classes", "gpu"}),
        requires=("tabpfn",),
    ),
)
