"""What the plain classifiers of this package share: scaling, label codes, class weights."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from wpfs.holdout import EvalSet, hold_out, read_eval_set
from wpfs.loss import balance_classes

#: Share of the training rows set aside when a method needs validation data and is given none.
VALIDATION_SHARE = 0.1


@dataclass(frozen=True)
class Samples:
    """Rows ready to learn from.

    Parameters
    ----------
    X
        (n, D) features, z-scored with the training rows' means and standard deviations.
    codes
        (n,) classes as 0 .. C-1.
    weights
        (n,) balanced weight of each row's class, from the training rows' class counts.
    """

    X: NDArray[np.float64]
    codes: NDArray[np.int64]
    weights: NDArray[np.float64]


class StandardisedClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that takes raw features and any labels.

    A subclass says how to learn from z-scored ``Samples`` and how to turn z-scored features
    into probabilities; it may have ``random_state`` and ``n_threads`` among its arguments.
    """

    #: Whether ``_learn`` needs validation rows (a stratified tenth of the training rows is set
    #: apart when ``eval_set`` is missing).
    needs_validation: ClassVar[bool] = False

    #: Which thread pools are limited to ``n_threads``, as threadpoolctl names them: all, or "blas"
    #: for methods that use ``seeded_torch``. Inside a limit on OpenMP it finds the wanted number
    #: and does not set PyTorch's own: LassoNet's later fits in a process then took twelve times
    #: as long and differed from the first in the last bits.
    thread_pools: ClassVar[str | None] = None

    #: Why a fitted classifier cannot be kept in files, where that is so.
    not_portable: ClassVar[str | None] = None

    n_threads: int = 1
    random_state: int | None = None

    @abstractmethod
    def _learn(self, train: Samples, valid: Samples | None) -> None:
        """Fit to the training rows."""

    @abstractmethod
    def _probabilities(self, X: NDArray[np.float64]) -> NDArray[np.floating]:
        """Return (n, C) probabilities of z-scored rows."""

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        eval_set: EvalSet | None = None,
    ) -> Self:
        """Learn from the training rows.

        Parameters
        ----------
        X
            (n, D) raw features.
        y
            (n,) labels of any type that sorts.
        eval_set
            One pair of validation features and labels; used only by methods that stop or
            choose on validation data.
        """
        features, labels = validate_data(self, X, y, dtype=np.float64)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y holds one class only ({self.classes_[0]!r}): two are needed")
        valid_features, valid_codes = None, None
        if self.needs_validation and eval_set is None:
            (features, codes), (valid_features, valid_codes) = hold_out(
                features, codes, VALIDATION_SHARE, self._draw_seed()
            )
        elif self.needs_validation and eval_set is not None:
            valid_features, valid_codes = read_eval_set(
                eval_set, self.n_features_in_, self.classes_
            )

        self.scaler_ = StandardScaler().fit(features)
        self.class_weights_ = balance_classes(codes, len(self.classes_))
        train = self._prepare(features, codes)
        valid = None
        if valid_features is not None and valid_codes is not None:
            valid = self._prepare(valid_features, valid_codes)
        with threadpool_limits(limits=self.n_threads, user_api=self.thread_pools):
            self._learn(train, valid)
        return self

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return (n, C) class probabilities, columns in the order of ``classes_``."""
        check_is_fitted(self, "scaler_")
        features = validate_data(self, X, dtype=np.float64, reset=False)
        with threadpool_limits(limits=self.n_threads, user_api=self.thread_pools):
            proba = self._probabilities(self.scaler_.transform(features))
        proba = np.asarray(proba, dtype=np.float64)
        return proba / proba.sum(axis=1, keepdims=True)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most probable class of each row, shape (n,)."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _draw_seed(self) -> int:
        if self.random_state is not None:
            return self.random_state
        return int(np.random.default_rng().integers(2**31))

    def _prepare(self, features: NDArray[np.float64], codes: NDArray[np.int64]) -> Samples:
        return Samples(self.scaler_.transform(features), codes, self.class_weights_[codes])
