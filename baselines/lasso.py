"""Lasso logistic regression."""

from baselines._shared.logistic import PenalisedLogisticClassifier
from baselines._shared.method import Method


class LassoClassifier(PenalisedLogisticClassifier):
    """Logistic regression with an L1 penalty."""


METHODS = (
    Method(
        name="lasso",
        estimator=LassoClassifier,
        title="Lasso",
        kind="linear",
        year=1996,
        reference=(
            "Tibshirani, Regression shrinkage and selection via the lasso, Journal of the Royal "
            "Statistical Society B, 1996"
        ),
        tags=frozenset({"weighs-classes", "ranks-features", "selects-features"}),
        grid={"C": (0.1, 1.0, 10.0, 100.0, 1000.0)},
        # Not in the WPFS paper: the values its authors chose in later work.
        paper_values={
            "cll": {"C": 10.0},
            "lung": {"C": 100.0},
            "metabric-dr": {"C": 100.0},
            "metabric-pam50": {"C": 10.0},
            "prostate": {"C": 100.0},
            "smk": {"C": 1000.0},
            "tcga-2ysurvival": {"C": 10.0},
            "tcga-tumor-grade": {"C": 100.0},
            "toxicity": {"C": 100.0},
        },
    ),
)
