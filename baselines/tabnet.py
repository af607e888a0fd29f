"""TabNet: the network of pytorch-tabnet, trained by a loop of our own.

The package's own trainer is left aside: it prints, its default batch of 1024 silently trains
nothing on small tables, its metrics are classes registered for good, and it multiplies masks by
a D x D identity matrix (3 GB for 20,000 features). Two of its layers are replaced by faster ones.
"""

import copy
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from baselines._shared.method import Method
from baselines._shared.standardised import Samples, StandardisedClassifier
from wpfs.options import keyword_constructor
from wpfs.seeding import seeded_torch

if TYPE_CHECKING:
    import torch


class IdentityMatrix:
    """Stands for the identity: its product with a matrix of masks is these masks.

    pytorch-tabnet maps groups of features to features by a matrix product; with no groups that
    product would cost far more than the rest of the network.
    """

    device = "cpu"

    def __init__(self, size: int) -> None:
        self.shape = (size, size)

    def to(self, device: object) -> Self:
        """Return itself: there is nothing to move."""
        return self

    @classmethod
    def __torch_function__(
        cls,
        function: Callable[..., Any],
        types: object,
        arguments: tuple[Any, ...] = (),
        keywords: object = None,
    ) -> Any:
        """Answer ``torch.matmul(masks, identity)``, the one operation it is used in."""
        return arguments[0] if function.__name__ == "matmul" else NotImplemented


def fit_virtual_batch(n_rows: int, wanted: int) -> int:
    """Return the smallest virtual batch size from ``wanted`` on that leaves no row alone.

    Ghost batch normalisation cuts the rows into chunks; a chunk of one row cannot be
    normalised.
    """
    for size in range(max(wanted, 2), n_rows):
        chunk = math.ceil(n_rows / math.ceil(n_rows / size))
        if n_rows % chunk != 1:
            return size
    return n_rows


@keyword_constructor
class TabNetClassifier(StandardisedClassifier):
    """TabNet, full batch, stopped early on the weighted validation cross-entropy.

    Parameters
    ----------
    learning_rate
        Of Adam; multiplied by 0.95 every 20 epochs.
    sparsity
        Weight of the masks' entropy in the loss (the paper's lambda sparsity).
    width
        Units of decision (n_d) and attention (n_a) layers.
    n_steps
        Decision steps.
    relaxation
        How freely steps may use a feature again (gamma).
    n_independent, n_shared
        Gated linear units of each step, and those the steps share.
    momentum
        Of the ghost batch normalisation.
    virtual_batch_size
        Rows normalised together; raised where a single row would be left over.
    gradient_clip
        Largest gradient norm.
    max_epochs
        Epochs at most.
    patience
        Epochs without a lower validation loss before stopping.
    double_softmax
        Stop on a cross-entropy that takes probabilities for logits, as the paper's authors' code
        does: it can hardly tell a confident mistake from a cautious one. It is also the
        validation loss in ``history_`` then.
    random_state
        Seed of weights and of the order of rows.
    n_threads
        Threads of torch.
    device
        Of torch, for example ``cpu`` or ``cuda:0``.
    """

    needs_validation = True
    thread_pools = "blas"

    learning_rate: float = 0.02
    sparsity: float = 0.01
    width: int = 8
    n_steps: int = 3
    relaxation: float = 1.5
    n_independent: int = 2
    n_shared: int = 2
    momentum: float = 0.3
    virtual_batch_size: int = 5
    gradient_clip: float = 2.0
    max_epochs: int = 5000
    patience: int = 100
    double_softmax: bool = False
    random_state: int | None = None
    n_threads: int = 1
    device: str = "cpu"

    def _learn(self, train: Samples, valid: Samples | None) -> None:
        import torch

        from wpfs.subnormals import flushed_subnormals

        assert valid is not None  # needs_validation
        with seeded_torch(self.random_state, self.n_threads, self.device), flushed_subnormals():
            network = self._build_network(*train.X.shape)
            network.to(self.device)
            self._train(network, train, valid)
            network.eval()
            with torch.no_grad():
                explanation, _ = network.forward_masks(self._to_tensor(train.X))
        importances = explanation.sum(dim=0).cpu().numpy().astype(np.float64)
        total = importances.sum()
        # All decision units can be silent; then the masks explain nothing.
        self.feature_importances_ = importances / total if total > 0 else importances
        self.n_parameters_ = sum(parameter.numel() for parameter in network.parameters())
        self.network_ = network.cpu()

    def restore_network(self, weights: "Mapping[str, torch.Tensor]") -> Any:
        """Return the trained network whose ``state_dict`` these weights are."""
        with seeded_torch(0, self.n_threads):
            # How many rows were normalised together matters to training only.
            network = self._build_network(self.virtual_batch_size, self.n_features_in_)
        network.load_state_dict(weights)
        return network.eval()

    def _build_network(self, n_rows: int, n_features: int) -> Any:
        from pytorch_tabnet.tab_network import TabNet

        from baselines._shared.tabnet_layers import replace_slow_layers

        network = TabNet(
            n_features,
            len(self.classes_),
            n_d=self.width,
            n_a=self.width,
            n_steps=self.n_steps,
            gamma=self.relaxation,
            cat_idxs=[],
            cat_dims=[],
            n_independent=self.n_independent,
            n_shared=self.n_shared,
            virtual_batch_size=fit_virtual_batch(n_rows, self.virtual_batch_size),
            momentum=self.momentum,
            group_attention_matrix=IdentityMatrix(n_features),
        )
        replace_slow_layers(network)
        return network

    def _train(self, network: Any, train: Samples, valid: Samples) -> None:
        """Train in place; the network ends with the weights of the best epoch."""
        import torch

        from wpfs.training import TrainingDivergedError

        X, codes = self._to_tensor(train.X), torch.as_tensor(train.codes, device=self.device)
        X_valid = self._to_tensor(valid.X)
        codes_valid = torch.as_tensor(valid.codes, device=self.device)
        criterion = torch.nn.CrossEntropyLoss(weight=self._to_tensor(self.class_weights_))
        optimiser = torch.optim.Adam(network.parameters(), lr=self.learning_rate)
        schedule = torch.optim.lr_scheduler.StepLR(optimiser, step_size=20, gamma=0.95)
        history: dict[str, list[float]] = {"step": [], "train_loss": [], "valid_loss": []}
        best_loss, best_epoch, best_state = math.inf, 0, copy.deepcopy(network.state_dict())
        for epoch in range(1, self.max_epochs + 1):
            network.train()
            # The order decides which rows are normalised together.
            order = torch.randperm(len(X)).to(self.device)
            optimiser.zero_grad()
            logits, negative_entropy = network(X[order])
            loss = criterion(logits, codes[order])
            (loss - self.sparsity * negative_entropy).backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), self.gradient_clip)
            optimiser.step()
            schedule.step()

            network.eval()
            with torch.no_grad():
                logits = network(X_valid)[0]
                judged = torch.softmax(logits, dim=1) if self.double_softmax else logits
                valid_loss = float(criterion(judged, codes_valid))
            train_loss = float(loss.detach())
            if not math.isfinite(train_loss):
                raise TrainingDivergedError(
                    f"the training loss is {train_loss} at epoch {epoch}: "
                    "lower the learning rate or check the input's scale"
                )
            history["step"].append(epoch)
            history["train_loss"].append(train_loss)
            history["valid_loss"].append(valid_loss)
            if valid_loss < best_loss:
                best_loss, best_epoch = valid_loss, epoch
                best_state = copy.deepcopy(network.state_dict())
            elif epoch - best_epoch >= self.patience:
                break
        network.load_state_dict(best_state)
        self.history_ = history
        self.best_step_, self.n_steps_ = best_epoch, len(history["step"])

    def _to_tensor(self, array: NDArray[np.float64]) -> "torch.Tensor":
        import torch

        return torch.as_tensor(array, dtype=torch.float32, device=self.device)

    def _probabilities(self, X: NDArray[np.float64]) -> NDArray[np.floating]:
        import torch

        with seeded_torch(self.random_state, self.n_threads), torch.no_grad():
            logits, _ = self.network_(torch.as_tensor(X, dtype=torch.float32))
            return torch.softmax(logits.double(), dim=1).numpy()


METHODS = (
    Method(
        name="tabnet",
        estimator=TabNetClassifier,
        title="TabNet",
        kind="network",
        year=2021,
        reference="Arik & Pfister, TabNet: attentive interpretable tabular learning, AAAI, 2021",
        tags=frozenset({"weighs-classes", "ranks-features", "early-stopping", "gpu"}),
        grid={"learning_rate": (0.01, 0.02, 0.03), "sparsity": (0.1, 0.01, 0.001, 0.0001)},
        paper_values={
            "cll": {"learning_rate": 0.03, "sparsity": 0.001},
            "lung": {"learning_rate": 0.02, "sparsity": 0.1, "virtual_batch_size": 6},
            "metabric-dr": {"learning_rate": 0.03, "sparsity": 0.1},
            "metabric-pam50": {"learning_rate": 0.02, "sparsity": 0.001},
            "prostate": {"learning_rate": 0.02, "sparsity": 0.01},
            "smk": {"learning_rate": 0.03, "sparsity": 0.001},
            "tcga-2ysurvival": {"learning_rate": 0.02, "sparsity": 0.01},
            "tcga-tumor-grade": {"learning_rate": 0.02, "sparsity": 0.01},
            "toxicity": {"learning_rate": 0.03, "sparsity": 0.1},
        },
        paper_column="TabNet",
        requires=("torch", "pytorch_tabnet"),
    ),
)
