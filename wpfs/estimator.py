"""Scikit-learn classifiers around the networks.

PyTorch is imported when a classifier is fitted, not when this module is: listing the methods of the
benchmark must not cost seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from wpfs.embeddings import EMBEDDINGS, PREPROCESSINGS, embed_features
from wpfs.holdout import EvalSet, hold_out, read_eval_set
from wpfs.loss import balance_classes
from wpfs.options import TrainingOptions, keyword_constructor
from wpfs.ranges import Choice, Count, Range, Sizes, Weight, check_ranges
from wpfs.seeding import seeded_torch

if TYPE_CHECKING:
    import torch

    from wpfs.layers import ConcreteFirstLayer, LinearFirstLayer
    from wpfs.masks import MaskStream
    from wpfs.networks import ClassificationNetwork
    from wpfs.training import DeviceSamples, ValidationCheck

    FirstLayer: TypeAlias = LinearFirstLayer | ConcreteFirstLayer


@keyword_constructor
class NetworkClassifier(ClassifierMixin, TrainingOptions, BaseEstimator):
    """Everything the neural classifiers share: scaling, validation rows, training, prediction.

    A subclass says in ``_build_first_layer`` what is in front of the hidden layers. Takes the
    hyper-parameters of ``wpfs.options.TrainingOptions`` too.

    Parameters
    ----------
    hidden_sizes
        Units of the classification network's hidden layers.
    dropout
        In all networks.
    validation_fraction
        Share of rows held out for early stopping when ``fit`` gets no ``eval_set``.
    device
        "cpu", "cuda:0" ... or "auto".
    n_threads
        Threads to use; None leaves PyTorch's setting alone.
    random_state
        Seed of initialisation, batches, dropout and NMF.

    Attributes
    ----------
    classes_
        Labels in the order of ``predict_proba``'s columns.
    history_
        Lists of equal length, one entry per validation check.
    best_step_, n_steps_, stop_reason_
        When the best weights came, how long training went on, and why it ended.
    n_parameters_
        Learnable parameters.
    network_
        The trained network, in main memory.
    """

    hidden_sizes: Sizes = (100, 100, 10)
    dropout: Annotated[float, Range(0, 1)] = 0.2
    validation_fraction: Annotated[float, Range(0, 1, open_low=True)] = 0.1
    device: str = "cpu"
    n_threads: int | None = None
    random_state: int | None = None

    def _build_first_layer(
        self, n_features: int, masks: MaskStream, embeddings: torch.Tensor | None
    ) -> FirstLayer:
        """Return the untrained first layer."""
        raise NotImplementedError

    def _embed(self, X: npt.NDArray[np.float64], seed: int) -> torch.Tensor | None:
        """Return embeddings (D, M) of the features of raw training rows, if they are read."""
        return None

    def _penalise(self, embeddings: torch.Tensor | None, masks: MaskStream) -> dict[str, Any]:
        """Return the ``ClassificationNetwork`` arguments that add to its loss."""
        return {}

    def check_hyperparameters(self) -> None:
        """Raise a ``ValueError`` that names what cannot be meant; ``fit`` does so first."""
        check_ranges(self)

    def fit(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        eval_set: EvalSet | None = None,
        *,
        on_check: Callable[[ValidationCheck], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> Self:
        """Train on X (n, D) and y (n,).

        Parameters
        ----------
        X, y
            Raw values and labels; standardised inside with the statistics of these rows.
        eval_set
            ``[(X_valid, y_valid)]`` for early stopping; without it a stratified
            ``validation_fraction`` of the rows is held out.
        on_check
            Called after every validation check.
        should_stop
            Asked before every step; True ends the training with the best weights so far.
        """
        import torch

        from wpfs.masks import MaskStream
        from wpfs.training import train

        self.check_hyperparameters()
        rows, labels = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"cannot learn from one class: y has only {self.classes_[0]!r}")
        seed = self._draw_seed()
        if eval_set is None:
            (rows, codes), (rows_valid, codes_valid) = hold_out(
                rows, codes, self.validation_fraction, seed
            )
        else:
            rows_valid, codes_valid = read_eval_set(eval_set, self.n_features_in_, self.classes_)
        self._scaler = StandardScaler().fit(rows)
        device = choose_device(self.device)
        with seeded_torch(seed, self.n_threads, device):
            masks, embeddings = MaskStream(seed), self._embed(rows, seed)
            network = self._build_network(masks, embeddings).to(device)
            weights = balance_classes(codes, len(self.classes_))
            outcome = train(
                network,
                self._to_samples(rows, codes, device),
                self._to_samples(rows_valid, codes_valid, device),
                torch.from_numpy(weights).float().to(device),
                self,
                seed,
                on_check,
                should_stop,
            )
            self.network_ = network.cpu()
            with torch.no_grad():
                importances = network.first_layer.importances()
            self._importances = importances.numpy().astype(np.float64)
        self.best_step_ = outcome.best_step
        self.n_steps_ = outcome.n_steps
        self.stop_reason_ = outcome.reason
        self.n_parameters_ = network.count_parameters()
        self.history_ = {
            name: [getattr(check, name) for check in outcome.checks]
            for name in ("step", "train_loss", "penalty", "valid_loss", "learning_rate")
        }
        return self

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """Importance of each feature (D,)."""
        check_is_fitted(self, "network_")
        return self._importances

    def predict_proba(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return class probabilities (n, C)."""
        import torch

        check_is_fitted(self, "network_")
        rows = validate_data(self, X, dtype=np.float64, reset=False)
        cpu = torch.device("cpu")
        with seeded_torch(0, self.n_threads), torch.no_grad():
            logits = self.network_(self._standardise(rows, cpu))
            return torch.softmax(logits.double(), dim=1).numpy()

    def predict(self, X: npt.ArrayLike) -> npt.NDArray:
        """Return labels (n,)."""
        check_is_fitted(self, "network_")
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def restore_network(self, weights: Mapping[str, torch.Tensor]) -> ClassificationNetwork:
        """Return the trained network whose ``state_dict`` these weights are."""
        from wpfs.masks import MaskStream

        with seeded_torch(0, self.n_threads):
            network = self._build_network(MaskStream(0), weights.get("first_layer.embeddings"))
        network.load_state_dict(weights)
        network.eval()
        return network

    def _build_network(
        self, masks: MaskStream, embeddings: torch.Tensor | None
    ) -> ClassificationNetwork:
        from wpfs.networks import ClassificationNetwork

        return ClassificationNetwork(
            self._build_first_layer(self.n_features_in_, masks, embeddings),
            self.hidden_sizes,
            len(self.classes_),
            self.dropout,
            masks,
            **self._penalise(embeddings, masks),
        )

    def _draw_seed(self) -> int:
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _to_samples(
        self, rows: npt.NDArray[np.float64], codes: npt.NDArray[np.int64], device: torch.device
    ) -> DeviceSamples:
        import torch

        from wpfs.training import DeviceSamples

        return DeviceSamples(self._standardise(rows, device), torch.from_numpy(codes).to(device))

    def _standardise(self, X: npt.NDArray[np.float64], device: torch.device) -> torch.Tensor:
        import torch

        return torch.from_numpy(self._scaler.transform(X).astype(np.float32)).to(device)


@keyword_constructor
class EmbeddingClassifier(NetworkClassifier):
    """A network classifier with auxiliary networks that read embeddings of the features.

    Takes the hyper-parameters of ``NetworkClassifier`` too.

    Parameters
    ----------
    embedding, embedding_size
        What the auxiliary networks read; see ``wpfs.embeddings.embed_features``.
    mirrored
        Give every feature its mirror image's embedding, as the paper's authors' code did.
    auxiliary_sizes
        Layers of the auxiliary networks: all hidden for a sparsity network; all but the last for
        a weight predictor, whose last layer is as wide as what it predicts.
    """

    embedding: Annotated[str, Choice(EMBEDDINGS)] = "nmf"
    embedding_size: Count = 50
    embedding_preprocessing: Annotated[str, Choice(PREPROCESSINGS)] = field(
        default="min-max", init=False
    )
    mirrored: bool = False
    auxiliary_sizes: Sizes = (100, 100, 100, 100)

    def _embed(self, X: npt.NDArray[np.float64], seed: int) -> torch.Tensor | None:
        import torch

        return torch.from_numpy(
            embed_features(
                X,
                self.embedding,
                self.embedding_size,
                self.embedding_preprocessing,
                self.mirrored,
                seed,
            )
        )


@keyword_constructor
class WPFSClassifier(EmbeddingClassifier):
    """Weight Predictor Network with Feature Selection (Margeloiu et al., AAAI 2023).

    Takes the hyper-parameters of ``EmbeddingClassifier`` too.

    Parameters
    ----------
    embedding_preprocessing
        How features are scaled before they are embedded; see ``wpfs.embeddings.embed_features``.
    sparsity
        The paper's lambda: weight of the sum of importance scores in the loss.
    weight_predictor, sparsity_network
        Whether there are the two auxiliary networks; without both, this is an MLP.
    selection_threshold
        A feature counts as selected when its score is above this.

    Examples
    --------
    >>> from wpfs import WPFSClassifier
    >>> model = WPFSClassifier(sparsity=3e-5, random_state=42)  # doctest: +SKIP
    >>> model.fit(X, y).selected_features_  # doctest: +SKIP
    """

    embedding_preprocessing: Annotated[str, Choice(PREPROCESSINGS)] = "min-max"
    sparsity: Weight = 0.0
    weight_predictor: bool = True
    sparsity_network: bool = True
    selection_threshold: float = 0.95

    def check_hyperparameters(self) -> None:
        """Raise a ``ValueError`` that names what cannot be meant; ``fit`` does so first."""
        super().check_hyperparameters()
        if self.weight_predictor and self.auxiliary_sizes[-1] != self.hidden_sizes[0]:
            raise ValueError(
                f"the weight predictor's last layer ({self.auxiliary_sizes[-1]}) must be as wide "
                f"as the first hidden layer ({self.hidden_sizes[0]})"
            )

    @property
    def selected_features_(self) -> npt.NDArray:
        """Names, or indices where there are none, of features scored above the threshold."""
        selected = np.flatnonzero(self.feature_importances_ > self.selection_threshold)
        names = getattr(self, "feature_names_in_", None)
        return selected if names is None else names[selected]

    def _embed(self, X: npt.NDArray[np.float64], seed: int) -> torch.Tensor | None:
        reads = self.weight_predictor or self.sparsity_network
        return super()._embed(X, seed) if reads else None

    def _build_first_layer(
        self, n_features: int, masks: MaskStream, embeddings: torch.Tensor | None
    ) -> FirstLayer:
        from wpfs.auxiliary import SparsityNetwork, WeightPredictor
        from wpfs.layers import LinearFirstLayer

        size = n_features, self.hidden_sizes[0], self.dropout, masks
        if embeddings is None:
            return LinearFirstLayer(*size)
        auxiliary = embeddings.shape[1], self.auxiliary_sizes, self.dropout, masks
        return LinearFirstLayer(
            *size,
            weight_predictor=WeightPredictor(*auxiliary) if self.weight_predictor else None,
            sparsity_network=SparsityNetwork(*auxiliary) if self.sparsity_network else None,
            embeddings=embeddings,
        )

    def _penalise(self, embeddings: torch.Tensor | None, masks: MaskStream) -> dict[str, Any]:
        return {"sparsity": self.sparsity}


def choose_device(name: str) -> torch.device:
    """Return the device a user means; "auto" is the first GPU, or the CPU."""
    import torch

    if name == "auto":
        name = "cuda:0" if torch.cuda.is_available() else "cpu"
    device = torch.device(name)
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ValueError(
            f"there is no device {name}: PyTorch sees {torch.cuda.device_count()} GPUs"
        )
    return device
