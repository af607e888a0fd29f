"""Deep Neural Pursuit: a network that takes in one feature after another."""

import numpy as np
from numpy.typing import NDArray

from baselines._shared.method import Method
from baselines._shared.sparse_input_network import Layers, SparseInputObjective
from baselines._shared.standardised import Samples, StandardisedClassifier
from wpfs.loss import softmax, weighted_cross_entropy
from wpfs.options import keyword_constructor


@keyword_constructor
class DnpGreedyClassifier(StandardisedClassifier):
    """Greedy feature selection by gradient size.

    Starting from no features, the feature whose first-layer gradient is largest, averaged over
    networks thinned by dropout, joins the model; its weights are drawn again and the network is
    trained on all selected features (Liu et al. 2017, algorithm 1). The number of features is
    the one with the lowest weighted cross-entropy on validation data.

    Units are tanh and gradients full-batch, as in our SPINN, whose network it shares. The article
    gives no step size or number of steps; the defaults have the lowest validation loss on the
    synthetic data set (docs/deviations.md).

    Parameters
    ----------
    max_features
        Features at most.
    patience
        Features added without a lower validation loss before stopping.
    n_steps_per_feature
        Adagrad steps after each new feature.
    learning_rate
        Of Adagrad.
    n_thinned
        Dropout networks whose gradients are averaged.
    dropout
        Share of hidden units left out in each of them.
    ridge
        Strength of the ridge on the later layers.
    hidden
        Units of the hidden layers.
    random_state
        Seed of weights and dropout.
    n_threads
        Threads of the linear algebra.
    """

    needs_validation = True

    max_features: int = 100
    patience: int = 30
    n_steps_per_feature: int = 10
    learning_rate: float = 0.01
    n_thinned: int = 20
    dropout: float = 0.5
    ridge: float = 1e-4
    hidden: tuple[int, ...] = (100, 100, 10)
    random_state: int | None = None
    n_threads: int = 1

    def _learn(self, train: Samples, valid: Samples | None) -> None:
        assert valid is not None  # needs_validation
        rng = np.random.default_rng(self.random_state)
        X_transposed = np.ascontiguousarray(train.X.T, dtype=np.float32)
        n_features = len(X_transposed)
        layers = Layers.draw((0, *self.hidden, len(self.classes_)), rng)
        selected: list[int] = []
        best: tuple[float, Layers, list[int]] | None = None
        self.history_: dict[str, list[float]] = {"step": [], "train_loss": [], "valid_loss": []}
        for n_selected in range(1, min(self.max_features, n_features) + 1):
            candidate = self._find_steepest(X_transposed, train, layers, selected, rng)
            selected.append(candidate)
            layers = self._add_feature(layers, rng)
            train_loss = self._descend(X_transposed[selected], train, layers)
            proba = softmax(layers.forward(valid.X.T[selected].astype(np.float32))[-1])
            valid_loss = weighted_cross_entropy(proba, valid.codes, valid.weights)
            self.history_["step"].append(n_selected)
            self.history_["train_loss"].append(train_loss)
            self.history_["valid_loss"].append(valid_loss)
            if best is None or valid_loss < best[0]:
                best = valid_loss, layers.copy(), list(selected)
            elif n_selected - len(best[2]) >= self.patience:
                break
        assert best is not None  # D is at least one
        _, self.layers_, kept = best
        self.selected_features_ = np.array(kept)
        self.feature_importances_ = np.zeros(n_features)
        self.feature_importances_[kept] = np.linalg.norm(self.layers_.weights[0], axis=1)
        self.best_step_ = len(kept)
        self.n_steps_ = len(self.history_["step"])
        self.n_parameters_ = self.layers_.size

    def _find_steepest(
        self,
        X_transposed: NDArray[np.float32],
        train: Samples,
        layers: Layers,
        selected: list[int],
        rng: np.random.Generator,
    ) -> int:
        """Return the unselected feature with the largest average first-layer gradient."""
        objective = self._objective(X_transposed[selected], train)
        delta = np.zeros((len(train.codes), self.hidden[0]), dtype=np.float32)
        for _ in range(self.n_thinned):
            thinned = layers.thin(self.dropout, rng)
            activations = thinned.forward(objective.X_transposed)
            delta += thinned.back_to_first(activations, objective.logit_gradient(activations[-1]))
        steepness = np.linalg.norm(X_transposed @ delta, axis=1)
        steepness[selected] = -1
        return int(np.argmax(steepness))

    @staticmethod
    def _add_feature(layers: Layers, rng: np.random.Generator) -> Layers:
        """Return layers with one more input, its weights drawn Glorot-uniform."""
        n_inputs, n_units = layers.weights[0].shape
        new = Layers.draw((n_inputs + 1, n_units), rng).weights[0][:1]
        return Layers([np.vstack([layers.weights[0], new]), *layers.weights[1:]], layers.biases)

    def _descend(self, X_transposed: NDArray[np.float32], train: Samples, layers: Layers) -> float:
        """Train the network in place by Adagrad; return the last weighted cross-entropy."""
        objective = self._objective(X_transposed, train)
        arrays = [*layers.weights, *layers.biases]
        squares = [np.full_like(array, 1e-10) for array in arrays]
        activations = layers.forward(X_transposed)
        for _ in range(self.n_steps_per_feature):
            gradient = objective.smooth_gradient(layers, activations)
            changes = [*gradient.weights, *gradient.biases]
            for array, square, change in zip(arrays, squares, changes, strict=True):
                square += change**2
                array -= np.float32(self.learning_rate) * change / np.sqrt(square)
            activations = layers.forward(X_transposed)
        return objective.loss(activations[-1])

    def _objective(self, X_transposed: NDArray[np.float32], train: Samples) -> SparseInputObjective:
        return SparseInputObjective(
            X_transposed, train.codes, train.weights, lasso=0, group=0, ridge=self.ridge
        )

    def _probabilities(self, X: NDArray[np.float64]) -> NDArray[np.floating]:
        rows = X.T[self.selected_features_].astype(np.float32)
        return softmax(self.layers_.forward(rows)[-1])


METHODS = (
    Method(
        name="dnp-greedy",
        estimator=DnpGreedyClassifier,
        title="DNP (greedy)",
        kind="network",
        year=2017,
        reference=(
            "Liu et al., Deep neural networks for high dimension, low sample size data, IJCAI, 2017"
        ),
        tags=frozenset({"weighs-classes", "ranks-features", "early-stopping", "selects-features"}),
        grid={"learning_rate": (0.01, 0.02, 0.05), "n_steps_per_feature": (5, 10, 20, 50)},
    ),
)
