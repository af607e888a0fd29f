"""TabM, an optional extra: 32 MLPs that share most of their weights."""

from typing import ClassVar

from baselines._shared.method import Method
from baselines._shared.pytabkit_network import PytabkitClassifier
from wpfs.options import keyword_constructor


@keyword_constructor
class TabMClassifier(PytabkitClassifier):
    """TabM with its authors' defaults, as pytabkit has it."""

    original: ClassVar[str] = "TabM_D_Classifier"
    # pytabkit's own limit: it stops after 16 epochs without a better one.
    n_epochs: int = 1_000_000_000


METHODS = (
    Method(
        name="tabm",
        estimator=TabMClassifier,
        title="TabM",
        kind="network",
        year=2025,
        reference=(
            "Gorishniy, Kotelnikov & Babenko, TabM: advancing tabular deep learning with "
            "parameter-efficient ensembling, ICLR, 2025"
        ),
        tags=frozenset({"weighs-classes", "early-stopping", "gpu"}),
        requires=("pytabkit", "torch"),
    ),
)
