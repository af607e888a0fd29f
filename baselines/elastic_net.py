"""Elastic-net logistic regression."""

from baselines._shared.logistic import PenalisedLogisticClassifier
from baselines._shared.method import Method
from wpfs.options import keyword_constructor


@keyword_constructor
class ElasticNetClassifier(PenalisedLogisticClassifier):
    """Logistic regression with a mixed L1 and L2 penalty.

    Takes the hyper-parameters of ``PenalisedLogisticClassifier`` too.

    Parameters
    ----------
    l1_ratio
        Share of the L1 part.
    """

    l1_ratio: float = 0.5
    C: float = 0.1


METHODS = (
    Method(
        name="elastic-net",
        estimator=ElasticNetClassifier,
        title="Elastic net",
        kind="linear",
        year=2005,
        reference=(
            "Zou & Hastie, Regularization and variable selection via the elastic net, Journal of "
            "the Royal Statistical Society B, 2005"
        ),
        tags=frozenset({"weighs-classes", "ranks-features", "selects-features"}),
        grid={"C": (0.01, 0.1, 1.0, 10.0), "l1_ratio": (0.1, 0.5, 0.9)},
    ),
)
