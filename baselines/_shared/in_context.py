"""What the pre-trained transformers share: weights from a file, and features they can take."""

from abc import abstractmethod
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from baselines._shared.separation import measure_separation, select_best
from baselines._shared.standardised import Samples, StandardisedClassifier
from wpfs.options import keyword_constructor


@keyword_constructor
class InContextClassifier(StandardisedClassifier):
    """A pre-trained transformer that reads the training rows, with balanced class probabilities.

    Parameters
    ----------
    weights
        File of the pre-trained weights; where there is none, its package looks for them.
    n_estimators
        Passes over shuffled copies of the table that are averaged.
    max_features
        Features it is given: those whose class means differ most on the training rows.
    random_state
        Seed of the shuffling.
    n_threads
        Threads of the linear algebra outside torch.
    device
        Of torch, for example ``cpu`` or ``cuda:0``.
    """

    #: As in messages.
    title: ClassVar[str]

    not_portable = "its weights belong to its package, so there is nothing to keep but the table"

    weights: str | None = None
    n_estimators: int = 8
    max_features: int = 500
    random_state: int | None = None
    n_threads: int = 1
    device: str = "cpu"

    @abstractmethod
    def _make_model(self) -> Any:
        """Return the unfitted classifier of the package."""

    def check_hyperparameters(self) -> None:
        """Raise a ``ValueError`` where the weights are not; the suite asks before the first run."""
        if self.weights is not None and not Path(self.weights).expanduser().is_file():
            raise ValueError(f"{self.title}'s weights: there is no file {self.weights}")

    def _learn(self, train: Samples, valid: Samples | None) -> None:
        self.check_hyperparameters()
        separation = measure_separation(train.X, train.codes)
        self.given_features_ = select_best(separation, self.max_features)
        try:
            self.model_ = self._make_model()
            self.model_.fit(train.X[:, self.given_features_].astype(np.float32), train.codes)
        except Exception as error:  # the packages have classes of errors of their own
            text = str(error) or type(error).__name__
            reason = text.partition("\n")[0].partition(". ")[0].removesuffix(".")
            raise RuntimeError(
                f"{self.title} could not be prepared ({reason}): if its weights are missing, "
                "download them where there is a network and name the file: --set weights=PATH"
            ) from error

    def _probabilities(self, X: NDArray[np.float64]) -> NDArray[np.floating]:
        return self.model_.predict_proba(X[:, self.given_features_].astype(np.float32))
