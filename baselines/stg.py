"""STG: a perceptron behind one stochastic gate per feature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from baselines._shared.method import Method
from wpfs.estimator import NetworkClassifier
from wpfs.options import keyword_constructor
from wpfs.ranges import Positive, Weight

if TYPE_CHECKING:
    import torch

    from baselines._shared.stochastic_gates import GatedFirstLayer
    from wpfs.masks import MaskStream


@keyword_constructor
class STGClassifier(NetworkClassifier):
    """A perceptron whose inputs pass gates ``clamp(centre + noise, 0, 1)``, noise-free at the end.

    ``feature_importances_`` are the gates; what a gate above zero lets through is selected.

    Takes the hyper-parameters of ``NetworkClassifier`` too.

    Parameters
    ----------
    sparsity
        Strength of the expected number of open gates.
    noise
        Standard deviation of the gates' noise while training.
    """

    sparsity: Weight = 1e-3
    noise: Positive = 0.5

    @property
    def selected_features_(self) -> npt.NDArray[np.int64]:
        """Indices of the features whose gates are open."""
        return np.flatnonzero(self.feature_importances_)

    def _build_first_layer(
        self, n_features: int, masks: MaskStream, embeddings: torch.Tensor | None
    ) -> GatedFirstLayer:
        from baselines._shared.stochastic_gates import GatedFirstLayer

        return GatedFirstLayer(n_features, self.hidden_sizes[0], self.dropout, masks, self.noise)

    def _penalise(self, embeddings: torch.Tensor | None, masks: MaskStream) -> dict[str, Any]:
        return {"sparsity": self.sparsity}


METHODS = (
    Method(
        name="stg",
        estimator=STGClassifier,
        title="STG",
        kind="network",
        year=2020,
        reference=(
            "Yamada et al., Feature selection using stochastic gates, ICML, 2020; the network and "
            "its training are those of the MLP"
        ),
        tags=frozenset(
            {
                "weighs-classes",
                "ranks-features",
                "early-stopping",
                "gpu",
                "selects-features",
                "gates-features",
            }
        ),
        grid={"sparsity": (1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2)},
        requires=("torch", "numba"),
    ),
)
