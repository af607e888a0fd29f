"""What CAE and FsNet share: a first layer of selectors that each settle on one feature."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from wpfs.estimator import NetworkClassifier
from wpfs.options import keyword_constructor
from wpfs.ranges import Count


@keyword_constructor
class ConcreteNetworkClassifier(NetworkClassifier):
    """A network classifier behind a concrete layer.

    Takes the hyper-parameters of ``wpfs.estimator.NetworkClassifier`` too.

    Parameters
    ----------
    annealing_steps
        Steps over which the selectors' temperature falls from 10 to 0.01.
    """

    annealing_steps: Count = 1000

    @property
    def selected_features_(self) -> npt.NDArray[np.int64]:
        """Indices of the features that a selector settled on."""
        return np.flatnonzero(self.feature_importances_)
