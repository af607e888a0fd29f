"""Scikit-learn classifiers around the networks.

PyTorch is imported when a classifier is fitted, not when this module is: listing the methods of the
benchmark must not cost seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import LabelEncoder, StandardScaler
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from wpfs.holdout import hold_out
from wpfs.ranges import check_ranges
from wpfs.seeding import seeded_torch

if TYPE_CHECKING:
    import torch

    from wpfs.layers import LinearFirstLayer
    from wpfs.masks import MaskStream
    from wpfs.networks import ClassificationNetwork
    from wpfs.training import Check, Samples

EvalSet = Sequence[tuple[npt.ArrayLike, npt.ArrayLike]]


class NetworkClassifier(ClassifierMixin, BaseEstimator):
    """Everything the neural classifiers share: scaling, validation rows, training, prediction.

    A subclass has the hyper-parameters below among its constructor's arguments and says in
    ``_build_network`` what is to be trained.

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

    hidden_sizes: Sequence[int]
    dropout: float
    learning_rate: float
    weight_decay: float
    batch_size: int
    max_steps: int
    patience: int
    validation_interval: int
    batched_validation: bool
    gradient_clip: float
    schedule: str
    validation_fraction: float
    device: str
    n_threads: int | None
    random_state: int | None

    def _build_network(
        self, X: npt.NDArray[np.float64], n_classes: int, masks: MaskStream, seed: int
    ) -> ClassificationNetwork:
        """Return the untrained network for raw training rows X (n, D)."""
        raise NotImplementedError

    def check_hyperparameters(self) -> None:
        """Raise a ``ValueError`` that names what cannot be meant; ``fit`` does so first."""
        check_ranges(self.get_params(deep=False))

    def fit(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        eval_set: EvalSet | None = None,
        *,
        on_check: Callable[[Check], None] | None = None,
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
            Called after every look at the validation rows.
        should_stop
            Asked before every step; True ends the training with the best weights so far.
        """
        import torch

        from wpfs.masks import MaskStream
        from wpfs.training import TrainingSettings, train

        self.check_hyperparameters()
        rows, labels = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(labels)
        encoder = LabelEncoder().fit(labels)
        self.classes_ = encoder.classes_
        if len(self.classes_) < 2:
            raise ValueError(f"cannot learn from one class: y has only {self.classes_[0]!r}")
        codes = encoder.transform(labels)
        seed = self._draw_seed()
        if eval_set is None:
            (rows, codes), (rows_valid, codes_valid) = hold_out(
                rows, codes, self.validation_fraction, seed
            )
        else:
            rows_valid, codes_valid = self._read_eval_set(eval_set, encoder)
        self._scaler = StandardScaler().fit(rows)
        device = choose_device(self.device)
        with seeded_torch(seed, self.n_threads, device):
            network = self._build_network(rows, len(self.classes_), MaskStream(seed), seed).to(
                device
            )
            outcome = train(
                network,
                self._to_samples(rows, codes, device),
                self._to_samples(rows_valid, codes_valid, device),
                balance_classes(codes, len(self.classes_)).to(device),
                TrainingSettings(
                    learning_rate=self.learning_rate,
                    weight_decay=self.weight_decay,
                    batch_size=self.batch_size,
                    max_steps=self.max_steps,
                    patience=self.patience,
                    validation_interval=self.validation_interval,
                    batched_validation=self.batched_validation,
                    gradient_clip=self.gradient_clip,
                    schedule=self.schedule,
                ),
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

    def _read_eval_set(
        self, eval_set: EvalSet, encoder: LabelEncoder
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        if len(eval_set) != 1:
            raise ValueError(f"eval_set must hold one pair (X, y), not {len(eval_set)}")
        X_valid, y_valid = eval_set[0]
        X_valid = check_array(X_valid, dtype=np.float64)
        if X_valid.shape[1] != self.n_features_in_:
            raise ValueError(
                f"eval_set has {X_valid.shape[1]} features, X has {self.n_features_in_}"
            )
        return X_valid, encoder.transform(np.asarray(y_valid))

    def _draw_seed(self) -> int:
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _to_samples(
        self, rows: npt.NDArray[np.float64], codes: npt.NDArray[np.int64], device: torch.device
    ) -> Samples:
        import torch

        from wpfs.training import Samples

        return Samples(self._standardise(rows, device), torch.from_numpy(codes).to(device))

    def _standardise(self, X: npt.NDArray[np.float64], device: torch.device) -> torch.Tensor:
        import torch

        return torch.from_numpy(self._scaler.transform(X).astype(np.float32)).to(device)


class WPFSClassifier(NetworkClassifier):
    """Weight Predictor Network with Feature Selection (Margeloiu et al., AAAI 2023).

    Parameters
    ----------
    embedding, embedding_size, embedding_preprocessing, mirrored
        What the auxiliary networks read; see ``wpfs.embeddings.embed_features``.
    sparsity
        The paper's lambda: weight of the sum of importance scores in the loss.
    weight_predictor, sparsity_network
        The two auxiliary networks; without both, this is an MLP.
    hidden_sizes
        Units of the classification network's hidden layers.
    auxiliary_sizes
        Layers of the auxiliary networks: all hidden for the sparsity network; all but the last
        for the weight predictor, whose last size must be ``hidden_sizes[0]``.
    dropout
        In all networks.
    learning_rate, weight_decay, gradient_clip, schedule
        AdamW; ``schedule`` is "exponential" (as the authors' code), "linear" (as the paper) or
        "constant".
    batch_size, max_steps, patience, validation_interval, batched_validation
        See ``wpfs.training.TrainingSettings``.
    validation_fraction
        Share of rows held out for early stopping when ``fit`` gets no ``eval_set``.
    selection_threshold
        A feature counts as selected when its score is above this.
    device
        "cpu", "cuda:0" ... or "auto".
    n_threads
        Threads to use; None leaves PyTorch's setting alone.
    random_state
        Seed of initialisation, batches, dropout and NMF.

    Examples
    --------
    >>> from wpfs import WPFSClassifier
    >>> model = WPFSClassifier(sparsity=3e-5, random_state=42)  # doctest: +SKIP
    >>> model.fit(X, y).selected_features_  # doctest: +SKIP
    """

    def __init__(
        self,
        *,
        embedding: str = "nmf",
        embedding_size: int = 50,
        embedding_preprocessing: str = "min-max",
        mirrored: bool = False,
        sparsity: float = 0.0,
        weight_predictor: bool = True,
        sparsity_network: bool = True,
        hidden_sizes: Sequence[int] = (100, 100, 10),
        auxiliary_sizes: Sequence[int] = (100, 100, 100, 100),
        dropout: float = 0.2,
        learning_rate: float = 3e-3,
        weight_decay: float = 1e-4,
        gradient_clip: float = 2.5,
        schedule: str = "exponential",
        batch_size: int = 8,
        max_steps: int = 10_000,
        patience: int = 200,
        validation_interval: int = 5,
        batched_validation: bool = False,
        validation_fraction: float = 0.1,
        selection_threshold: float = 0.95,
        device: str = "cpu",
        n_threads: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.embedding = embedding
        self.embedding_size = embedding_size
        self.embedding_preprocessing = embedding_preprocessing
        self.mirrored = mirrored
        self.sparsity = sparsity
        self.weight_predictor = weight_predictor
        self.sparsity_network = sparsity_network
        self.hidden_sizes = hidden_sizes
        self.auxiliary_sizes = auxiliary_sizes
        self.dropout = dropout
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.gradient_clip = gradient_clip
        self.schedule = schedule
        self.batch_size = batch_size
        self.max_steps = max_steps
        self.patience = patience
        self.validation_interval = validation_interval
        self.batched_validation = batched_validation
        self.validation_fraction = validation_fraction
        self.selection_threshold = selection_threshold
        self.device = device
        self.n_threads = n_threads
        self.random_state = random_state

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

    def _build_network(
        self, X: npt.NDArray[np.float64], n_classes: int, masks: MaskStream, seed: int
    ) -> ClassificationNetwork:
        from wpfs.networks import ClassificationNetwork

        return ClassificationNetwork(
            self._build_first_layer(X, masks, seed),
            self.hidden_sizes,
            n_classes,
            self.dropout,
            masks,
            self.sparsity,
        )

    def _build_first_layer(
        self, X: npt.NDArray[np.float64], masks: MaskStream, seed: int
    ) -> LinearFirstLayer:
        import torch

        from wpfs.auxiliary import SparsityNetwork, WeightPredictor
        from wpfs.embeddings import embed_features
        from wpfs.layers import LinearFirstLayer

        size = X.shape[1], self.hidden_sizes[0], self.dropout, masks
        if not (self.weight_predictor or self.sparsity_network):
            return LinearFirstLayer(*size)
        embeddings = torch.from_numpy(
            embed_features(
                X,
                self.embedding,
                self.embedding_size,
                self.embedding_preprocessing,
                self.mirrored,
                seed,
            )
        )
        auxiliary = embeddings.shape[1], self.auxiliary_sizes, self.dropout, masks
        return LinearFirstLayer(
            *size,
            weight_predictor=WeightPredictor(*auxiliary) if self.weight_predictor else None,
            sparsity_network=SparsityNetwork(*auxiliary) if self.sparsity_network else None,
            embeddings=embeddings,
        )


def balance_classes(codes: npt.NDArray[np.int64], n_classes: int) -> torch.Tensor:
    """Return weights (C,) inverse to the class counts; zero for classes that do not occur."""
    import torch

    counts = np.bincount(codes, minlength=n_classes)
    weights = np.divide(
        len(codes),
        np.count_nonzero(counts) * counts,
        out=np.zeros(n_classes),
        where=counts > 0,
    )
    return torch.from_numpy(weights).float()


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
