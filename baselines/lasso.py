"""Lasso logistic regression."""

from baselines._shared.logistic import PenalisedLogisticClassifier
from baselines._shared.method import Method


class LassoClassifier(PenalisedLogisticClassifier):
    """Logistic regression with an L1 penalty.

    Parameters
    ----------
    C
        Inverse strength of the penalty.
    max_iter
        Passes over the data at most.
    tol
        Relative change of the coefficients at which the solver stops.
    random_state
        Seed of the solver's order of rows.
    n_threads
        Threads of the linear algebra.
    """

    l1_ratio = 1.0

    def __init__(
        self,
        C: float = 1.0,
        max_iter: int = 1000,
        tol: float = 1e-4,
        random_state: int | None = None,
        n_threads: int = 1,
    ) -> None:
        self.C = C
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_threads = n_threads


METHODS = (
    Method(
        name="lasso",
        estimator=LassoClassifier,
        title="Lasso",
        reference=(
            "Tibshirani, Regression shrinkage and selection via the lasso, Journal of the Royal "
            "Statistical Society B, 1996"
        ),
        tags=frozenset({"weighs-classes", "ranks-features"}),
        grid={"C": (0.1, 1.0, 10.0, 100.0, 1000.0)},
        # Not in the WPFS paper: the values its authors chose in later work.
        paper={
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
