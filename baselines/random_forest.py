"""Random forest (Breiman 2001), with the settings of the WPFS paper."""

from collections.abc import Sequence
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from baselines._shared.method import Method


class ForestClassifier(ClassifierMixin, BaseEstimator):
    """Random forest with balanced class weights.

    Trees do not change under scaling, so features are used as they are.

    Parameters
    ----------
    n_estimators
        Number of trees.
    max_depth
        Depth at which a tree stops growing.
    min_samples_leaf
        Smallest number of training rows in a leaf.
    max_features
        Features tried per split.
    random_state
        Seed.
    n_threads
        Threads.
    """

    def __init__(
        self,
        n_estimators: int = 500,
        max_depth: int | None = 5,
        min_samples_leaf: int = 2,
        max_features: str | float = "sqrt",
        random_state: int | None = None,
        n_threads: int = 1,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.n_threads = n_threads

    def fit(
        self,
        X: np.ndarray,
        y: np.ndarray,
        eval_set: Sequence[tuple[np.ndarray, np.ndarray]] | None = None,
    ) -> Self:
        """Grow the forest on X (n, D) and y (n,); ``eval_set`` is not needed."""
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.utils.multiclass import check_classification_targets

        X, y = validate_data(self, X, y, dtype=np.float32)
        check_classification_targets(y)
        self.forest_ = RandomForestClassifier(
            n_estimators=self.n_estimators,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            max_features=self.max_features,
            class_weight="balanced",
            random_state=self.random_state,
            n_jobs=self.n_threads,
        ).fit(X, y)
        self.classes_ = self.forest_.classes_
        self.feature_importances_ = self.forest_.feature_importances_
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return class probabilities, (n, C)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float32, reset=False)
        return self.forest_.predict_proba(X)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return labels, (n,)."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


METHODS = (
    Method(
        name="random-forest",
        estimator=ForestClassifier,
        title="Random Forest",
        reference="Breiman, Random forests, Machine Learning 45, 2001",
        tags=frozenset({"weighs-classes", "ranks-features"}),
        grid={"max_depth": (3, 5, 7), "min_samples_leaf": (2, 3)},
        paper={
            "cll": {"max_depth": 3, "min_samples_leaf": 3},
            "lung": {"max_depth": 3, "min_samples_leaf": 2},
            "metabric-dr": {"max_depth": 7, "min_samples_leaf": 2},
            "metabric-pam50": {"max_depth": 7, "min_samples_leaf": 2},
            "prostate": {"max_depth": 5, "min_samples_leaf": 2},
            "smk": {"max_depth": 5, "min_samples_leaf": 2},
            "tcga-2ysurvival": {"max_depth": 3, "min_samples_leaf": 3},
            "tcga-tumor-grade": {"max_depth": 3, "min_samples_leaf": 3},
            "toxicity": {"max_depth": 5, "min_samples_leaf": 3},
        },
        column="Random Forest",
    ),
)
