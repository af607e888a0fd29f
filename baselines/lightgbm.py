"""LightGBM (Ke et al. 2017), with the hyper-parameters of the WPFS paper."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines._shared.method import Method
from baselines._shared.trees import TreesClassifier
from wpfs.holdout import EvalSet, read_eval_set
from wpfs.loss import balance_classes
from wpfs.options import keyword_constructor


@keyword_constructor
class BoostedTreesClassifier(TreesClassifier):
    """Gradient-boosted trees with balanced class weights and early stopping.

    The validation loss that stops the boosting weighs classes as the training loss does; the
    paper's authors stopped on the unweighted one (``weighted_stopping=False``).

    Parameters
    ----------
    learning_rate
        Shrinkage of each tree.
    max_depth
        Depth of each tree.
    min_data_in_leaf
        Smallest number of training rows in a leaf.
    feature_fraction
        Share of the features offered to each tree.
    n_rounds
        Largest number of boosting rounds.
    patience
        Rounds without improvement on ``eval_set`` after which boosting stops.
    weighted_stopping
        Whether the stopping loss weighs classes.
    random_state
        Seed.
    n_threads
        Threads.
    """

    learning_rate: float = 0.1
    max_depth: int = 2
    min_data_in_leaf: int = 2
    feature_fraction: float = 0.3
    n_rounds: int = 10_000
    patience: int = 100
    weighted_stopping: bool = True
    random_state: int | None = None
    n_threads: int = 1

    def _grow(
        self, X: NDArray[np.float32], codes: NDArray[np.int64], eval_set: EvalSet | None
    ) -> None:
        import lightgbm

        weights = balance_classes(codes, len(self.classes_))
        train = lightgbm.Dataset(X, codes, weight=weights[codes], free_raw_data=True)
        history: dict[str, Any] = {}
        stopping: dict[str, Any] = {"num_boost_round": self.patience}
        if eval_set is not None:
            X_valid, valid_codes = read_eval_set(eval_set, self.n_features_in_, self.classes_)
            valid = lightgbm.Dataset(
                X_valid.astype(np.float32),
                valid_codes,
                weight=weights[valid_codes] if self.weighted_stopping else None,
                reference=train,
            )
            stopping = {
                "num_boost_round": self.n_rounds,
                "valid_sets": [train, valid],
                "valid_names": ["train", "valid"],
                "callbacks": [
                    lightgbm.early_stopping(self.patience, verbose=False),
                    lightgbm.record_evaluation(history),
                ],
            }
        self.booster_ = lightgbm.train(self._parameters(), train, **stopping)
        self.history_ = _read_history(history)
        # The booster keeps only the rounds up to the best one.
        self.best_step_ = self.booster_.current_iteration()
        self.n_steps_ = len(self.history_["step"]) if history else self.best_step_
        self.feature_importances_ = self.booster_.feature_importance(
            "gain", iteration=self.best_step_
        )

    def _probabilities(self, X: NDArray[np.float32]) -> NDArray[np.float64]:
        proba = np.asarray(
            self.booster_.predict(X, num_iteration=self.best_step_, num_threads=self.n_threads)
        )
        return np.column_stack([1 - proba, proba]) if proba.ndim == 1 else proba

    def _parameters(self) -> dict[str, Any]:
        binary = len(self.classes_) == 2
        parameters: dict[str, Any] = {
            "objective": "binary" if binary else "multiclass",
            "metric": "binary_logloss" if binary else "multi_logloss",
            "learning_rate": self.learning_rate,
            "max_depth": self.max_depth,
            "min_data_in_leaf": self.min_data_in_leaf,
            "feature_fraction": self.feature_fraction,
            "num_threads": self.n_threads,
            "deterministic": True,
            "force_row_wise": True,
            "verbosity": -1,
        }
        if not binary:
            parameters["num_class"] = len(self.classes_)
        if self.random_state is not None:
            parameters["seed"] = self.random_state
        return parameters


def _read_history(evaluations: dict[str, Any]) -> dict[str, list[float]]:
    if not evaluations:
        return {}
    losses = {name: next(iter(metrics.values())) for name, metrics in evaluations.items()}
    return {
        "step": list(range(1, len(losses["valid"]) + 1)),
        "train_loss": list(losses["train"]),
        "valid_loss": list(losses["valid"]),
    }


METHODS = (
    Method(
        name="lightgbm",
        estimator=BoostedTreesClassifier,
        title="LightGBM",
        kind="trees",
        year=2017,
        reference=(
            "Ke et al., LightGBM: A highly efficient gradient boosting decision tree, NeurIPS 2017"
        ),
        tags=frozenset({"weighs-classes", "ranks-features", "early-stopping"}),
        grid={"learning_rate": (0.1, 0.01), "max_depth": (1, 2)},
        paper_values={
            "cll": {"learning_rate": 0.1, "max_depth": 2},
            "lung": {"learning_rate": 0.1, "max_depth": 1},
            "metabric-dr": {"learning_rate": 0.1, "max_depth": 1},
            "metabric-pam50": {"learning_rate": 0.01, "max_depth": 2},
            "prostate": {"learning_rate": 0.1, "max_depth": 2},
            "smk": {"learning_rate": 0.1, "max_depth": 2},
            "tcga-2ysurvival": {"learning_rate": 0.1, "max_depth": 1},
            "tcga-tumor-grade": {"learning_rate": 0.1, "max_depth": 1},
            "toxicity": {"learning_rate": 0.1, "max_depth": 2},
        },
        paper_column="LightGBM",
        requires=("lightgbm",),
    ),
)
