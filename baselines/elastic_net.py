"""Elastic-net logistic regression."""

from baselines._shared.logistic import PenalisedLogisticClassifier
from baselines._shared.method import Method


class ElasticNetClassifier(PenalisedLogisticClassifier):
    """Logistic regression with a mixed L1 and L2 penalty.

    Parameters
    ----------
    C
        Inverse strength of the penalty.
    l1_ratio
        Share of the L1 part.
    max_iter
        Passes over the data at most.
    tol
        Relative change of the coefficients at which the solver stops.
    random_state
        Seed of the solver's order of rows.
    n_threads
        Threads of the linear algebra.
    """

    def __init__(
        self,
        C: float = 0.1,
        l1_ratio: float = 0.5,
        max_iter: int = 1000,
        tol: float = 1e-4,
        random_state: int | None = None,
        n_threads: int = 1,
    ) -> None:
        self.C = C
        self.l1_ratio = l1_ratio
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_threads = n_threads


METHODS = (
    Method(
        name="elastic-net",
        estimator=ElasticNetClassifier,
        title="Elastic net",
        reference=(
            "Zou & Hastie, Regularization and variable selection via the elastic net, Journal of "
            "the Royal Statistical Society B, 2005"
        ),
        tags=frozenset({"weighs-classes", "ranks-features"}),
        grid={"C": (0.01, 0.1, 1.0, 10.0), "l1_ratio": (0.1, 0.5, 0.9)},
    ),
)
