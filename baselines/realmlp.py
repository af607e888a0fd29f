"""RealMLP, an optional extra: an MLP with defaults tuned on many tables."""

from typing import ClassVar

from baselines._shared.method import Method
from baselines._shared.pytabkit_network import PytabkitClassifier
from wpfs.options import keyword_constructor


@keyword_constructor
class RealMLPClassifier(PytabkitClassifier):
    """RealMLP with its tuned defaults (RealMLP-TD), as pytabkit has it."""

    original: ClassVar[str] = "RealMLP_TD_Classifier"
    n_epochs: int = 256


METHODS = (
    Method(
        name="realmlp",
        estimator=RealMLPClassifier,
        title="RealMLP",
        kind="network",
        year=2024,
        reference=(
            "Holzmüller, Grinsztajn & Steinwart, Better by default: strong pre-tuned MLPs and "
            "boosted trees on tabular data, NeurIPS, 2024"
        ),
        tags=frozenset({"weighs-classes", "early-stopping", "gpu"}),
        requires=("pytabkit", "torch"),
    ),
)
