"""LassoNet (the lassonet package), predicting from a validation-chosen point or the path's end."""

import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from baselines._shared.method import Method
from baselines._shared.standardised import Samples, StandardisedClassifier
from wpfs.options import keyword_constructor
from wpfs.seeding import seeded_torch


@keyword_constructor
class LassoNetClassifier(StandardisedClassifier):
    """A network with a linear skip connection, fitted along a path of rising L1 penalties.

    The point of the path with the lowest weighted cross-entropy on validation data predicts.

    The package's full path (``path_multiplier`` 1.02, 200 epochs at each point whatever
    happens) takes hours for 6,000 features. By default the path is coarser and a point ends
    after ``patience`` epochs without a better validation objective.

    Parameters
    ----------
    lambda_start
        First penalty of the path.
    path_multiplier
        Factor between one penalty and the next.
    hierarchy
        How strongly a feature's weights in the network are bounded by its linear ones (M).
    hidden
        Units of the hidden layers.
    dropout
        Share of hidden units left out while training.
    learning_rate
        Of AdamW.
    batch_size
        Rows of a step; an incomplete last batch is dropped.
    max_epochs
        Epochs at each point of the path at most.
    patience
        Epochs without improvement before a point ends; None runs all.
    random_state
        Seed of weights, dropout and the order of rows.
    n_threads
        Threads of torch.
    device
        Of torch, for example ``cpu`` or ``cuda:0``.
    """

    needs_validation = True
    thread_pools = "blas"
    _predicts_from_end: ClassVar[bool] = False

    lambda_start: float = 0.1
    path_multiplier: float = 2.0
    hierarchy: float = 10.0
    hidden: tuple[int, ...] = (100, 100, 10)
    dropout: float = 0.2
    learning_rate: float = 1e-4
    batch_size: int = 8
    max_epochs: int = 200
    patience: int | None = 10
    random_state: int | None = None
    n_threads: int = 1
    device: str = "cpu"

    def _learn(self, train: Samples, valid: Samples | None) -> None:
        import lassonet.model

        from baselines._shared.hierarchical_shrinkage import shrink_layers

        assert valid is not None  # needs_validation
        with (
            seeded_torch(self.random_state, self.n_threads, self.device),
            # The package spends nine tenths of its time in this function.
            patch.object(lassonet.model, "inplace_prox", shrink_layers),
        ):
            model = self._build_model()
            with warnings.catch_warnings():
                # The paper's lambda_start is kept although features vanish soon after it.
                warnings.filterwarnings("ignore", message="lambda_start=", category=UserWarning)
                path = model.path(
                    train.X,
                    train.codes,
                    X_val=valid.X,
                    y_val=valid.codes,
                    return_state_dicts=True,
                    callback=_forget_losers,
                )
        losses = [point.val_loss for point in path]
        best = len(path) - 1 if self._predicts_from_end else int(np.argmin(losses))
        model.load(path[best])
        # The network alone: the model holds the whole path, with copies of the weights.
        self.network_ = model.model.cpu().eval()
        vanishing = model.feature_importances_.numpy().astype(np.float64)
        self.feature_importances_ = np.where(np.isfinite(vanishing), vanishing, path[-1].lambda_)
        self.selected_features_ = np.flatnonzero(path[best].selected.numpy())
        self.n_parameters_ = sum(weight.numel() for weight in self.network_.parameters())
        self.best_step_, self.n_steps_ = best, len(path)
        self.history_ = {
            "step": list(range(len(path))),
            "lambda": [float(point.lambda_) for point in path],
            "train_loss": [float(point.loss) for point in path],
            "valid_loss": [float(loss) for loss in losses],
            "n_selected": [int(point.selected.sum()) for point in path],
        }

    def _build_model(self) -> Any:
        import lassonet
        import torch

        optimiser = partial(torch.optim.AdamW, lr=self.learning_rate, betas=(0.9, 0.98), fused=True)
        return lassonet.LassoNetClassifier(
            class_weight=self.class_weights_.tolist(),
            hidden_dims=tuple(self.hidden),
            lambda_start=self.lambda_start,
            path_multiplier=self.path_multiplier,
            M=self.hierarchy,
            dropout=self.dropout,
            batch_size=self.batch_size,
            optim=optimiser,
            n_iters=self.max_epochs,
            patience=self.patience,
            backtrack=True,
            device=torch.device(self.device),
            verbose=0,
            torch_seed=self.random_state,
        )

    def _probabilities(self, X: NDArray[np.float64]) -> NDArray[np.floating]:
        import torch

        with seeded_torch(self.random_state, self.n_threads), torch.no_grad():
            logits = self.network_(torch.as_tensor(X, dtype=torch.float32))
            return torch.softmax(logits, dim=1).numpy().astype(np.float64)

    def restore_network(self, weights: Mapping[str, Any]) -> Any:
        """Return the trained network whose ``state_dict`` these weights are."""
        model = self._build_model()
        model.load(weights)
        return model.model.cpu().eval()


class LassoNetPaperClassifier(LassoNetClassifier):
    """LassoNet as the WPFS paper's authors used it: the model at the end of the path predicts.

    The path ends when no feature is left, so this predicts from the output bias alone. The
    paper's row is at chance with a spread that an empty model does not explain.

    Parameters are those of ``LassoNetClassifier``.
    """

    _predicts_from_end = True


def _forget_losers(model: Any, path: list[Any]) -> None:
    """Drop the weights of path points that cannot be chosen: neither the last nor the best."""
    best = min(path, key=lambda point: point.val_loss)
    for point in path[:-1]:
        if point is not best:
            point.state_dict = None


_REFERENCE = (
    "Lemhadri et al., LassoNet: a neural network with feature sparsity, Journal of Machine "
    "Learning Research, 2021"
)
_GRID = {"lambda_start": (0.001, 0.01, 0.1, 1.0, 10.0), "hierarchy": (0.1, 1.0, 3.0, 10.0)}
_REQUIRES = ("torch", "lassonet", "numba")

METHODS = (
    Method(
        name="lassonet",
        estimator=LassoNetClassifier,
        title="LassoNet",
        kind="network",
        year=2021,
        reference=_REFERENCE,
        tags=frozenset(
            {"weighs-classes", "ranks-features", "early-stopping", "gpu", "selects-features"}
        ),
        grid=_GRID,
        paper_column="LassoNet",
        requires=_REQUIRES,
        version=2,
    ),
    Method(
        name="lassonet-paper",
        estimator=LassoNetPaperClassifier,
        title="LassoNet (end of path)",
        kind="network",
        year=2021,
        reference=f"{_REFERENCE}; as used in the WPFS paper",
        # The model at the end of the path reads no feature.
        tags=frozenset({"no-learning", "ranks-features", "gpu"}),
        grid=_GRID,
        paper_column="LassoNet",
        requires=_REQUIRES,
        version=2,
    ),
)
