"""What forests and boosted trees share: features as they are, in single precision."""

from abc import abstractmethod
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from wpfs.holdout import EvalSet


class TreesClassifier(ClassifierMixin, BaseEstimator):
    """A classifier made of trees, which do not change under scaling."""

    @abstractmethod
    def _grow(
        self, X: NDArray[np.float32], codes: NDArray[np.int64], eval_set: EvalSet | None
    ) -> None:
        """Fit to the training rows (n, D) and their class codes (n,)."""

    @abstractmethod
    def _probabilities(self, X: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return (n, C) probabilities."""

    def fit(self, X: ArrayLike, y: ArrayLike, eval_set: EvalSet | None = None) -> Self:
        """Grow trees on X (n, D) and y (n,).

        Parameters
        ----------
        X, y
            Raw features and labels.
        eval_set
            ``[(X_valid, y_valid)]`` to stop boosting on; without it boosting ends after
            ``patience`` rounds. Forests do not use it.
        """
        rows, labels = validate_data(self, X, y, dtype=np.float32)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("y holds one class only: two are needed")
        self._grow(rows, codes, eval_set)
        return self

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return class probabilities, (n, C)."""
        check_is_fitted(self)
        return self._probabilities(validate_data(self, X, dtype=np.float32, reset=False))

    def predict(self, X: ArrayLike) -> NDArray:
        """Return labels, (n,)."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
