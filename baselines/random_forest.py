"""Random forest (Breiman 2001), with the hyper-parameters of the WPFS paper."""

import numpy as np
from numpy.typing import NDArray

from baselines._shared.method import Method
from baselines._shared.trees import TreesClassifier
from wpfs.holdout import EvalSet
from wpfs.options import keyword_constructor


@keyword_constructor
class ForestClassifier(TreesClassifier):
    """Random forest with balanced class weights.

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

    n_estimators: int = 500
    max_depth: int | None = 5
    min_samples_leaf: int = 2
    max_features: str | float = "sqrt"
    random_state: int | None = None
    n_threads: int = 1

    def _grow(
        self, X: NDArray[np.float32], codes: NDArray[np.int64], eval_set: EvalSet | None
    ) -> None:
        from sklearn.ensemble import RandomForestClassifier

        self.forest_ = RandomForestClassifier(
            n_estimators=self.n_estimators,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            max_features=self.max_features,
            class_weight="balanced",
            random_state=self.random_state,
            n_jobs=self.n_threads,
        ).fit(X, codes)
        self.feature_importances_ = self.forest_.feature_importances_

    def _probabilities(self, X: NDArray[np.float32]) -> NDArray[np.float64]:
        return self.forest_.predict_proba(X)


METHODS = (
    Method(
        name="random-forest",
        estimator=ForestClassifier,
        title="Random Forest",
        kind="trees",
        year=2001,
        reference="Breiman, Random forests, Machine Learning 45, 2001",
        tags=frozenset({"weighs-classes", "ranks-features"}),
        grid={"max_depth": (3, 5, 7), "min_samples_leaf": (2, 3)},
        paper_values={
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
        paper_column="Random Forest",
    ),
)
