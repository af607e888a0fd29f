"""Nearest shrunken centroids (PAM), its threshold chosen on validation data."""

import numpy as np
from numpy.typing import NDArray

from baselines._shared.method import Method
from baselines._shared.standardised import Samples, StandardisedClassifier
from wpfs.options import keyword_constructor


@keyword_constructor
class ShrunkenCentroidsClassifier(StandardisedClassifier):
    """Compare a row with class centroids shrunk towards the overall one.

    Own implementation: scikit-learn's ``NearestCentroid`` predicts from distances that leave
    out the variance offset s0, and its probabilities from others. Class priors are uniform,
    which is what balanced class weights mean here.

    The threshold is chosen by the weighted error, as in PAM, not by the cross-entropy: features
    count as independent, so thousands of them make every probability 0 or 1, and a single
    validation error would make the empty model the best.

    Parameters
    ----------
    threshold
        How far each standardised class difference is shrunk; None chooses on validation data
        among ``n_thresholds`` values from none to all, the larger one when tied.
    n_thresholds
        Number of candidates.
    random_state
        Seed of the validation split made when ``fit`` gets no ``eval_set``.
    """

    needs_validation = True

    threshold: float | None = None
    n_thresholds: int = 30
    random_state: int | None = None

    def _learn(self, train: Samples, valid: Samples | None) -> None:
        n, n_classes = len(train.X), len(self.classes_)
        counts = np.bincount(train.codes)
        centroids = np.stack(
            [train.X[train.codes == code].mean(axis=0) for code in range(n_classes)]
        )
        residuals = train.X - centroids[train.codes]
        spread = np.sqrt((residuals**2).sum(axis=0) / max(n - n_classes, 1))
        offset = np.median(spread)
        scale = spread + offset
        self.scale_ = np.where(scale > 0, scale, 1.0)
        self.centre_ = train.X.mean(axis=0)
        # Tibshirani et al. 2002, equation 2 (with the minus sign of their later erratum).
        self.units_ = np.sqrt(1 / counts - 1 / n)[:, None] * self.scale_
        self.differences_ = (centroids - self.centre_) / self.units_

        if self.threshold is not None:
            self._shrink(self.threshold)
        else:
            assert valid is not None  # needs_validation
            self._choose_threshold(valid)
        self.feature_importances_ = np.abs(self.shrunken_).max(axis=0)
        self.selected_features_ = np.flatnonzero(self.feature_importances_)
        self.n_parameters_ = int(np.count_nonzero(self.shrunken_))

    def _choose_threshold(self, valid: Samples) -> None:
        candidates = np.linspace(0, np.abs(self.differences_).max(), self.n_thresholds)
        errors = []
        for candidate in candidates:
            self._shrink(candidate)
            wrong = self._probabilities(valid.X).argmax(axis=1) != valid.codes
            errors.append(float(np.average(wrong, weights=valid.weights)))
        best = len(errors) - 1 - int(np.argmin(errors[::-1]))
        self._shrink(candidates[best])
        self.history_ = {
            "step": list(range(len(candidates))),
            "threshold": candidates.tolist(),
            "valid_error": errors,
        }
        self.best_step_ = best
        self.n_steps_ = len(candidates)

    def _shrink(self, threshold: float) -> None:
        self.threshold_ = float(threshold)
        size = np.maximum(np.abs(self.differences_) - threshold, 0)
        self.shrunken_ = np.sign(self.differences_) * size

    def _probabilities(self, X: NDArray[np.float64]) -> NDArray[np.floating]:
        rows = (X - self.centre_) / self.scale_
        centroids = self.shrunken_ * self.units_ / self.scale_
        scores = rows @ centroids.T - 0.5 * (centroids**2).sum(axis=1)
        scores -= scores.max(axis=1, keepdims=True)
        return np.exp(scores)


METHODS = (
    Method(
        name="shrunken-centroids",
        estimator=ShrunkenCentroidsClassifier,
        title="Shrunken centroids",
        kind="linear",
        year=2002,
        reference=(
            "Tibshirani et al., Diagnosis of multiple cancer types by shrunken centroids of gene "
            "expression, PNAS, 2002"
        ),
        tags=frozenset(
            {
                "deterministic",
                "weighs-classes",
                "ranks-features",
                "early-stopping",
                "selects-features",
            }
        ),
        grid={"threshold": (None, 0.5, 1.0, 2.0, 3.0)},
    ),
)
