"""XGBoost, an optional extra: gradient-boosted trees stopped early on validation data."""

import numpy as np
from numpy.typing import NDArray

from baselines._shared.method import Method
from baselines._shared.standardised import Samples, StandardisedClassifier
from wpfs.options import keyword_constructor


@keyword_constructor
class XGBoostClassifier(StandardisedClassifier):
    """Gradient-boosted trees with the hyper-parameters of our LightGBM where both have them.

    Parameters
    ----------
    learning_rate
        Shrinkage of each tree.
    max_depth
        Of a tree.
    feature_fraction
        Share of the features offered to each tree.
    max_rounds
        Boosting rounds at most.
    patience
        Rounds without a lower weighted validation cross-entropy before stopping.
    random_state
        Seed of the feature sampling.
    n_threads
        Threads.
    """

    needs_validation = True

    learning_rate: float = 0.1
    max_depth: int = 2
    feature_fraction: float = 0.3
    max_rounds: int = 2000
    patience: int = 100
    random_state: int | None = None
    n_threads: int = 1

    def _learn(self, train: Samples, valid: Samples | None) -> None:
        import xgboost

        assert valid is not None  # needs_validation
        self.model_ = xgboost.XGBClassifier(
            # One objective for two classes and more, so that n_classes rows always come out.
            objective="multi:softprob",
            num_class=len(self.classes_),
            eval_metric="mlogloss",
            tree_method="hist",
            learning_rate=self.learning_rate,
            max_depth=self.max_depth,
            colsample_bytree=self.feature_fraction,
            n_estimators=self.max_rounds,
            early_stopping_rounds=self.patience,
            random_state=self.random_state,
            n_jobs=self.n_threads,
            verbosity=0,
        )
        self.model_.fit(
            train.X,
            train.codes,
            sample_weight=train.weights,
            eval_set=[(train.X, train.codes), (valid.X, valid.codes)],
            sample_weight_eval_set=[train.weights, valid.weights],
            verbose=False,
        )
        curves = self.model_.evals_result()
        train_curve, valid_curve = (curves[key]["mlogloss"] for key in sorted(curves))
        self.history_ = {
            "step": list(range(1, len(valid_curve) + 1)),
            "train_loss": train_curve,
            "valid_loss": valid_curve,
        }
        self.best_step_ = int(self.model_.best_iteration) + 1
        self.n_steps_ = len(valid_curve)
        self.feature_importances_ = self.model_.feature_importances_.astype(np.float64)

    def _probabilities(self, X: NDArray[np.float64]) -> NDArray[np.floating]:
        return self.model_.predict_proba(X)


METHODS = (
    Method(
        name="xgboost",
        estimator=XGBoostClassifier,
        title="XGBoost",
        kind="trees",
        year=2016,
        reference="Chen & Guestrin, XGBoost: a scalable tree boosting system, KDD, 2016",
        tags=frozenset({"weighs-classes", "ranks-features", "early-stopping"}),
        grid={"learning_rate": (0.1, 0.01), "max_depth": (1, 2)},
        requires=("xgboost",),
    ),
)
