"""The first layer of the classification network, in all the forms the methods here give it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from wpfs.auxiliary import SparsityNetwork, WeightPredictor
from wpfs.blocks import SLOPE, RectifiedNorm
from wpfs.masks import MaskStream


class LinearFirstLayer(nn.Module):
    """``LeakyReLU -> BatchNorm -> Dropout`` of ``W (s * x) + b``.

    W is free or predicted; s, the importance scores, are all one or come from a sparsity network:
    together the plain layer of an MLP, DietNetworks' layer, WPFS' layer and WPFS without WPN.
    The paper's ``W diag(s)`` is a D x D product; scaling the eight samples of a batch is the
    same mathematics (Section "Model").

    Parameters
    ----------
    n_features, n_units
        D and K.
    dropout, masks
        As for ``RectifiedNorm``.
    weight_predictor
        Maps embeddings to W transposed (D, K); None for free weights.
    sparsity_network
        Maps embeddings to s (D,); None for ones.
    embeddings
        (D, M), what the auxiliary networks read.
    """

    embeddings: Tensor

    def __init__(
        self,
        n_features: int,
        n_units: int,
        dropout: float,
        masks: MaskStream,
        weight_predictor: WeightPredictor | None = None,
        sparsity_network: SparsityNetwork | None = None,
        embeddings: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.n_features, self.n_units = n_features, n_units
        self.weight_predictor = weight_predictor
        self.sparsity_network = sparsity_network
        if weight_predictor is None:
            weight = torch.empty(n_units, n_features)
            nn.init.kaiming_normal_(weight, a=SLOPE, mode="fan_out", nonlinearity="leaky_relu")
            # A feature's weights side by side in memory, as predicted ones are.
            self.weight = nn.Parameter(weight.t().contiguous().t())
        if embeddings is not None:
            self.register_buffer("embeddings", embeddings)
        self.bias = nn.Parameter(torch.zeros(n_units))
        self.norm = RectifiedNorm(n_units, dropout, masks)
        self.scores: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        """Map samples (n, D) to (n, K); keeps ``scores`` (D,) for the sparsity loss."""
        if self.weight_predictor is None:
            weight = self.weight.t()
        else:
            weight = self.weight_predictor(self.embeddings)
        if self.sparsity_network is not None:
            self.scores = self.sparsity_network(self.embeddings)
            x = x * self.scores
        return self.norm(torch.addmm(self.bias, x, weight))

    def set_step(self, step: int) -> None:
        """Do nothing: this layer is the same at every training step."""

    def forget_last_batch(self) -> None:
        """Drop the scores."""
        self.scores = None

    def importances(self) -> Tensor:
        """Return the importance scores (D,), or the norms of a free layer's columns."""
        if self.sparsity_network is not None:
            return self.sparsity_network(self.embeddings)
        if self.weight_predictor is not None:
            return self.weight_predictor(self.embeddings).norm(dim=1)
        return self.weight.norm(dim=0)


class ConcreteFirstLayer(nn.Module):
    """K selectors that each settle on one feature (Balin et al. 2019).

    While training a selector is a Gumbel-softmax over the features at a falling temperature;
    afterwards it is the feature with the largest logit. There is no bias, activation,
    normalisation or dropout.

    Parameters
    ----------
    n_features, n_units
        D and K.
    annealing_steps
        Steps over which the temperature falls exponentially from 10 to 0.01.
    weight_predictor, embeddings
        For logits predicted from embeddings (FsNet); None for free ones (CAE).
    """

    HOT = 10.0
    COLD = 0.01
    embeddings: Tensor

    def __init__(
        self,
        n_features: int,
        n_units: int,
        annealing_steps: int,
        weight_predictor: WeightPredictor | None = None,
        embeddings: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.n_features, self.n_units = n_features, n_units
        self.annealing_steps = annealing_steps
        self.weight_predictor = weight_predictor
        if weight_predictor is None:
            self.logits = nn.Parameter(torch.empty(n_units, n_features))
            nn.init.xavier_normal_(self.logits)
        if embeddings is not None:
            self.register_buffer("embeddings", embeddings)
        self.temperature = self.HOT

    def set_step(self, step: int) -> None:
        """Cool down: ``step`` counts training steps from one."""
        progress = min(step / self.annealing_steps, 1.0)
        self.temperature = self.HOT * (self.COLD / self.HOT) ** progress

    def forget_last_batch(self) -> None:
        """Do nothing: this layer keeps nothing of a batch."""

    def selector_logits(self) -> Tensor:
        """Return the logits (K, D)."""
        if self.weight_predictor is None:
            return self.logits
        return self.weight_predictor(self.embeddings).t()

    def forward(self, x: Tensor) -> Tensor:
        """Map samples (n, D) to the selected features (n, K)."""
        logits = self.selector_logits()
        if not self.training:
            return x[:, logits.argmax(dim=1)]
        return x @ self.draw_weights(logits).t()

    def draw_weights(self, logits: Tensor) -> Tensor:
        """Return the features' random weights (K, D) in a training step."""
        # Not exponential_().log(), which takes four times as long on a CPU. A uniform draw of zero
        # gives a weight of zero; one, which would give NaN, is never drawn.
        gumbel = -torch.log(-torch.log(torch.rand_like(logits)))
        return torch.softmax((logits + gumbel) / self.temperature, dim=1)

    def importances(self) -> Tensor:
        """Return how many selectors settled on each feature (D,)."""
        logits = self.selector_logits()
        chosen = torch.nn.functional.one_hot(logits.argmax(dim=1), logits.shape[1])
        return chosen.sum(dim=0).float()
