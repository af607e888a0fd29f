"""What the networks of the package pytabkit share: silence, seeds, balanced probabilities."""

import contextlib
import logging
import random
import warnings
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from baselines._shared.standardised import Samples, StandardisedClassifier
from wpfs.options import keyword_constructor
from wpfs.seeding import seeded_torch


@keyword_constructor
class PytabkitClassifier(StandardisedClassifier):
    """A network of pytabkit with its tuned defaults, and balanced class probabilities.

    pytabkit knows no class weights: probabilities are weighed afterwards, as if every class were
    equally frequent.

    Parameters
    ----------
    n_epochs
        Passes over the training rows at most.
    random_state
        Seed of initialisation and batches.
    n_threads
        Threads of torch.
    device
        Of torch, for example ``cpu`` or ``cuda:0``.
    """

    #: Name of pytabkit's classifier.
    original: ClassVar[str]

    n_epochs: int
    random_state: int | None = None
    n_threads: int = 1
    device: str = "cpu"

    needs_validation = True
    thread_pools = "blas"
    not_portable = "pytabkit writes its networks as pickles only"

    def _learn(self, train: Samples, valid: Samples | None) -> None:
        import pytabkit

        assert valid is not None
        seed = self._draw_seed()
        self.model_ = getattr(pytabkit, self.original)(
            n_epochs=self.n_epochs,
            random_state=seed,
            n_threads=self.n_threads,
            device=self.device,
        )
        with _contained(seed, self.n_threads, self.device):
            self.model_.fit(
                train.X.astype(np.float32), train.codes, valid.X.astype(np.float32), valid.codes
            )

    def _probabilities(self, X: NDArray[np.float64]) -> NDArray[np.floating]:
        with _contained(0, self.n_threads, self.device):
            return self.model_.predict_proba(X.astype(np.float32)) * self.class_weights_


@contextlib.contextmanager
def _contained(seed: int, n_threads: int, device: str) -> Iterator[None]:
    """Let neither Lightning's messages nor its seeding of global generators out."""
    numpy_state, python_state = np.random.get_state(), random.getstate()  # noqa: NPY002
    disabled = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(), seeded_torch(seed, n_threads, device):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(disabled)
        np.random.set_state(numpy_state)  # noqa: NPY002
        random.setstate(python_state)
