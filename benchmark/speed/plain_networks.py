"""The networks as one would write them down in PyTorch, and as plain a way to train them."""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from benchmark.speed.contenders import (
    EMBEDDING,
    HIDDEN,
    UNITS,
    PlainWPFS,
    stack_blocks,
    stack_tail,
)
from wpfs.embeddings import embed_features
from wpfs.loss import balance_classes

if TYPE_CHECKING:
    from benchmark.run.execute import Part

#: Method -> the embeddings it reads; those not named read none.
_EMBEDDINGS = {"wpfs": "nmf", "diet-networks": "dot-histogram", "fsnet": "dot-histogram"}

_CHECK_EVERY = 5


class PlainNetwork(nn.Module):
    """MLP, DietNetworks, CAE or FsNet.

    Parameters
    ----------
    name
        Of the method.
    n_features, n_classes
        D and C.
    embeddings
        (D, M) of a method whose first layer is predicted, else None.
    """

    def __init__(
        self, name: str, n_features: int, n_classes: int, embeddings: Tensor | None
    ) -> None:
        super().__init__()
        self.selects = name in ("cae", "fsnet")
        self.embeddings = embeddings
        if embeddings is None:
            self.weight = nn.Parameter(torch.empty(UNITS, n_features))
            nn.init.kaiming_normal_(self.weight, mode="fan_out")
        else:
            sizes = (embeddings.shape[1], *HIDDEN[:1] * 3)
            last = nn.Linear(sizes[-1], UNITS)
            self.wpn = nn.Sequential(*stack_blocks(sizes), last, nn.Tanh())
        self.bias = nn.Parameter(torch.zeros(UNITS))
        first = [] if self.selects else stack_tail(UNITS)
        self.rest = nn.Sequential(*first, *stack_blocks(HIDDEN), nn.Linear(HIDDEN[-1], n_classes))
        self.temperature = 10.0

    def forward(self, x: Tensor) -> Tensor:
        """Map samples (n, D) to logits (n, C)."""
        weight = self.weight if self.embeddings is None else self.wpn(self.embeddings).t()
        if not self.selects:
            return self.rest(nn.functional.linear(x, weight, self.bias))
        if not self.training:
            return self.rest(x[:, weight.argmax(dim=1)])
        chosen = nn.functional.gumbel_softmax(weight, tau=self.temperature, dim=1)
        return self.rest(nn.functional.linear(x, chosen))

    def penalty(self) -> float:
        """Return nothing: these networks have no sparsity loss."""
        return 0.0


def fit_plain(name: str, train: Part, valid: Part, n_steps: int) -> PlainWPFS | PlainNetwork:
    """Scale, embed, train with checks on validation rows, and keep the best weights.

    Parameters
    ----------
    name
        Of a method in ``PLAIN``.
    train, valid
        Raw rows (n, D) and class codes (n,).
    n_steps
        Training steps of eight rows.
    """
    torch.manual_seed(0)
    mean, std = train.X.mean(axis=0), train.X.std(axis=0)
    std[std == 0] = 1
    x, x_valid = (torch.from_numpy((part.X - mean) / std).float() for part in (train, valid))
    y, y_valid = torch.from_numpy(train.y), torch.from_numpy(valid.y)
    n_classes = int(y.max()) + 1
    embeddings = None
    if name in _EMBEDDINGS:
        embeddings = torch.from_numpy(embed_features(train.X, _EMBEDDINGS[name], EMBEDDING))
    if name == "wpfs":
        assert embeddings is not None
        network: PlainWPFS | PlainNetwork = PlainWPFS(
            embeddings, diagonal=False, n_classes=n_classes
        )
    else:
        network = PlainNetwork(name, x.shape[1], n_classes, embeddings)
    weights = torch.from_numpy(balance_classes(train.y, n_classes)).float()
    criterion = nn.CrossEntropyLoss(weights)
    optimiser = torch.optim.AdamW(network.parameters(), lr=3e-3, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimiser, 0.995)
    best_loss, best_state = math.inf, network.state_dict()
    step = 0
    while step < n_steps:
        batches = torch.randperm(len(y)).split(8)[: len(y) // 8]
        for batch, rows in enumerate(batches, start=1):
            step += 1
            network.train()
            if isinstance(network, PlainNetwork):
                network.temperature = max(10 * 0.001 ** (step / 1000), 0.01)
            loss = criterion(network(x[rows]), y[rows]) + network.penalty()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 2.5)
            optimiser.step()
            if batch % min(_CHECK_EVERY, len(batches)) == 0:  # counted as ours are
                network.eval()
                with torch.no_grad():
                    valid_loss = float(criterion(network(x_valid), y_valid))
                schedule.step()
                if valid_loss < best_loss:
                    best_loss, best_state = valid_loss, copy.deepcopy(network.state_dict())
            if step == n_steps:
                break
    network.load_state_dict(best_state)
    return network


#: Methods that are written out here.
PLAIN = ("wpfs", "mlp", "diet-networks", "fsnet", "cae")
