"""SPINN, and the WPFS paper's proxy for DNP, which is SPINN without the lasso part."""

from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from baselines._shared.method import Method
from baselines._shared.sparse_input_network import Layers, SparseInputObjective, minimise
from baselines._shared.standardised import Samples, StandardisedClassifier
from wpfs.loss import softmax
from wpfs.options import keyword_constructor


@keyword_constructor
class SpinnClassifier(StandardisedClassifier):
    """Sparse-input neural network.

    Minimises weighted cross-entropy + ridge on the later layers + ``penalty`` *
    [(1 - ``group_share``) ||W1||_1 + ``group_share`` * sum_j ||W1_j||_2], where W1_j are the
    first-layer weights of feature j. Features whose weights are all exactly zero are not
    selected. It uses no validation data.

    The hidden sizes and the class weights that the WPFS authors used with the SPINN package are
    not published: (100, 100, 10), as in their other networks, and balanced weights are our
    choice. Units, start and step sizes are that package's.

    Parameters
    ----------
    penalty
        Strength of the sparse group lasso (lambda in the paper's appendix).
    group_share
        Share of the group lasso in it (alpha); 1 is the paper's proxy for DNP.
    ridge
        Strength of the ridge.
    hidden
        Units of the hidden layers.
    max_iter
        Proximal steps at most.
    step_size
        First step size.
    step_shrink
        Factor of the step size after a step that raised the objective.
    random_state
        Seed of the first weights.
    n_threads
        Threads of the linear algebra.
    """

    penalty: float = 0.0032
    group_share: float = 0.9
    ridge: float = 1e-4
    hidden: tuple[int, ...] = (100, 100, 10)
    max_iter: int = 1000
    step_size: float = 0.05
    step_shrink: float = 0.8
    random_state: int | None = None
    n_threads: int = 1

    def _learn(self, train: Samples, valid: Samples | None) -> None:
        objective = SparseInputObjective(
            X_transposed=np.ascontiguousarray(train.X.T, dtype=np.float32),
            codes=train.codes,
            weights=train.weights,
            lasso=self.penalty * (1 - self.group_share),
            group=self.penalty * self.group_share,
            ridge=self.ridge,
        )
        sizes = (train.X.shape[1], *self.hidden, len(self.classes_))
        descent = minimise(
            objective,
            Layers.draw(sizes, np.random.default_rng(self.random_state)),
            max_iter=self.max_iter,
            step_size=self.step_size,
            step_shrink=self.step_shrink,
        )
        self.layers_ = descent.layers
        self.feature_importances_ = np.linalg.norm(self.layers_.weights[0], axis=1)
        self.selected_features_ = np.flatnonzero(self.feature_importances_)
        self.n_parameters_ = self.layers_.size
        self.n_steps_ = descent.n_iterations
        self.best_step_ = descent.steps[-1] if descent.steps else 0
        self.history_ = {
            "step": descent.steps,
            "train_loss": descent.losses,
            "objective": descent.objectives,
        }

    def _probabilities(self, X: NDArray[np.float64]) -> NDArray[np.floating]:
        return softmax(self.layers_.forward(X.T.astype(np.float32))[-1])


@keyword_constructor
class DnpProxyClassifier(SpinnClassifier):
    """What the WPFS paper calls DNP: SPINN with the group lasso alone (``group_share`` 1).

    The paper's appendix says so: no implementation of DNP was found, and DNP is a greedy
    approximation to the group lasso. ``dnp-greedy`` is the greedy method itself. Takes the other
    hyper-parameters of ``SpinnClassifier``.
    """

    group_share: float = field(default=1.0, init=False)


_TAGS = frozenset({"weighs-classes", "ranks-features", "selects-features"})
_GRID = {"penalty": (0.001, 0.0032, 0.01, 0.032)}

METHODS = (
    Method(
        name="spinn",
        estimator=SpinnClassifier,
        title="SPINN",
        kind="network",
        year=2017,
        reference=(
            "Feng & Simon, Sparse-input neural networks for high-dimensional nonparametric "
            "regression and classification, arXiv:1711.07592, 2017"
        ),
        tags=_TAGS,
        grid=_GRID,
        paper_column="SPINN",
    ),
    Method(
        name="dnp",
        estimator=DnpProxyClassifier,
        title="DNP (proxy)",
        kind="network",
        year=2017,
        reference=(
            "Liu et al., Deep neural networks for high dimension, low sample size data, IJCAI, "
            "2017; the WPFS paper's proxy: SPINN with the group lasso alone"
        ),
        tags=_TAGS,
        grid=_GRID,
        paper_column="DNP",
    ),
)
