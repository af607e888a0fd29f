"""One graph of the training samples per feature, and the graph network that reads them (GCondNet).

In one dimension the k nearest neighbours of a sample are a window of the sorted samples, and the
windows move in one direction only. A graph convolution is then a sum over a sliding window: each
sample is added once and taken away once, whatever k is. The mean over nodes makes the second
convolution linear, so nodes are pooled before it. Nothing of the size of all nodes of all graphs
is ever stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from wpfs.blocks import SLOPE
from wpfs.compiled import compiled
from wpfs.layers import LinearFirstLayer
from wpfs.masks import MaskStream

#: Rounding may differ, sums stay in order.
_compiled = compiled(fastmath={"contract", "nnan"})

_HIDDEN_DROPOUT_SCALE = np.float32(2.0)

#: Keeps an embedding that is the same in every unit from being divided by zero.
_TINY_DEVIATION = 1e-6


@dataclass(frozen=True)
class FeatureGraphs:
    """For each feature a directed graph: every sample to its nearest ones by value, and itself.

    All arrays are (D, n) in the order of the feature's sorted samples. ``P`` is the graph
    convolution's propagation D^(-1/2) (A + I)^T D^(-1/2) with the in-degrees D, loops included.

    Parameters
    ----------
    order
        The samples, sorted.
    first
        Start of the window of k + 1 samples to which a sample sends.
    senders
        Start of the window of samples that send to a sample; it ends where the next ``first``
        lies above it.
    n_senders
        How many send to it: the in-degree.
    values
        The feature's values.
    pooled
        Weight of each sample in the mean over nodes of ``P H``.
    n_neighbors
        k.
    """

    order: npt.NDArray[np.int32]
    first: npt.NDArray[np.int32]
    senders: npt.NDArray[np.int32]
    n_senders: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32]
    pooled: npt.NDArray[np.float32]
    n_neighbors: int

    @property
    def n_samples(self) -> int:
        """How many nodes each graph has."""
        return self.order.shape[1]


def build_graphs(X: npt.NDArray[np.floating], n_neighbors: int) -> FeatureGraphs:
    """Connect samples (n, D) feature by feature; where two are equally near, to the lower one."""
    columns = np.ascontiguousarray(X.T, dtype=np.float32)
    order = np.argsort(columns, axis=1, kind="stable").astype(np.int32)
    values = np.take_along_axis(columns, order, axis=1)
    k = min(n_neighbors, columns.shape[1] - 1)
    first, senders, n_senders = (np.empty_like(order) for _ in range(3))
    pooled = np.empty_like(values)
    _slide_windows(values, k, first, senders, n_senders, pooled)
    return FeatureGraphs(order, first, senders, n_senders, values, pooled, k)


class GraphNetwork(nn.Module):
    """Two graph convolutions and the mean over nodes: an embedding of each feature's graph.

    The nodes' inputs are the rows of diag(x_j), x_j the feature's values (Margeloiu et al. 2024).

    Parameters
    ----------
    graphs
        Of the D features.
    n_outputs
        K; the hidden convolution has 2 K units.
    seed
        Of the dropout of hidden units, half of them.
    """

    def __init__(self, graphs: FeatureGraphs, n_outputs: int, seed: int) -> None:
        super().__init__()
        self.graphs = graphs
        self.weight1 = nn.Parameter(torch.empty(graphs.n_samples, 2 * n_outputs))
        self.bias1 = nn.Parameter(torch.zeros(2 * n_outputs))
        self.weight2 = nn.Parameter(torch.empty(2 * n_outputs, n_outputs))
        self.bias2 = nn.Parameter(torch.zeros(n_outputs))
        nn.init.xavier_uniform_(self.weight1)
        nn.init.xavier_uniform_(self.weight2)
        self._generator = np.random.Generator(np.random.SFC64(seed))

    def forward(self) -> Tensor:
        """Return the embeddings (D, K), with dropout while training."""
        bits = self.draw_dropout() if self.training else None
        pooled = _PooledConvolution.apply(self.weight1, self.bias1, self.graphs, bits)
        return torch.addmm(self.bias2, pooled, self.weight2)

    def draw_dropout(self) -> npt.NDArray[np.uint8]:
        """Draw one bit for each hidden unit of each node (D, ceil(n / 8), 2 K): keep or drop.

        Bit t % 8 of element [j, t // 8, u] is that of unit u at the t-th sorted sample.
        """
        d, n = self.graphs.order.shape
        shape = d, -(-n // 8), len(self.bias1)
        return self._generator.integers(0, 256, size=shape, dtype=np.uint8)


class _PooledConvolution(torch.autograd.Function):
    """The first convolution, ReLU and dropout, pooled over the nodes: (D, 2 K)."""

    @staticmethod
    def forward(
        ctx: Any,
        weight: Tensor,
        bias: Tensor,
        graphs: FeatureGraphs,
        bits: npt.NDArray[np.uint8] | None,
    ) -> Tensor:
        ctx.save_for_backward(weight, bias)
        ctx.graphs, ctx.bits = graphs, bits
        pooled = np.zeros((len(graphs.order), len(bias)), dtype=np.float32)
        _pool_forward(*_to_numpy(weight, bias), *_list_arrays(graphs, bits), pooled)
        return torch.from_numpy(pooled).to(weight.device)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None, None]:
        weight, bias = ctx.saved_tensors
        weight_gradient, bias_gradient = (torch.zeros_like(p, device="cpu") for p in (weight, bias))
        _pool_backward(
            *_to_numpy(weight, bias),
            *_list_arrays(ctx.graphs, ctx.bits),
            *_to_numpy(gradients[0], weight_gradient, bias_gradient),
        )
        return weight_gradient.to(weight.device), bias_gradient.to(weight.device), None, None


class GraphConditionedLayer(LinearFirstLayer):
    """A first layer whose weights are mixed from a graph network's and free ones.

    Parameters
    ----------
    graphs
        Of the D features.
    n_units, dropout, masks
        As for ``LinearFirstLayer``.
    mixing_steps
        Over which the graph network's share falls from one to zero.
    """

    share: Tensor

    def __init__(
        self,
        graphs: FeatureGraphs,
        n_units: int,
        dropout: float,
        masks: MaskStream,
        mixing_steps: int,
    ) -> None:
        super().__init__(len(graphs.order), n_units, dropout, masks)
        nn.init.zeros_(self.weight)
        self._start_deviation = float(
            nn.init.calculate_gain("leaky_relu", SLOPE) / np.sqrt(n_units)
        )
        self._mixing_steps = mixing_steps
        self.graph_network: GraphNetwork | None = GraphNetwork(
            graphs, n_units, seed=int(masks.next_key()[0])
        )
        # A buffer, so that the best weights come back with the share they were measured with.
        self.register_buffer("share", torch.tensor(1.0))

    def set_step(self, step: int) -> None:
        """Set the graph network's share; ``step`` counts training steps from one."""
        self.share.fill_(max(0.0, 1.0 - (step - 1) / self._mixing_steps))

    def mix_weights(self) -> Tensor:
        """Return the weights (D, K)."""
        share = self.share.item()
        if self.graph_network is None or share == 0.0:
            return self.weight.t()
        embeddings = self.graph_network()
        # Each feature's K weights have mean zero and the deviation of Kaiming's start.
        centred = embeddings - embeddings.mean(dim=1, keepdim=True)
        deviation = embeddings.std(dim=1, keepdim=True) + _TINY_DEVIATION
        conditioned = centred * (self._start_deviation / deviation)
        return share * conditioned + (1.0 - share) * self.weight.t()

    def forward(self, x: Tensor) -> Tensor:
        """Map samples (n, D) to (n, K)."""
        return self.norm(torch.addmm(self.bias, x, self.mix_weights()))

    def forget_last_batch(self) -> None:
        """End the training: the weights as they are mixed now are free ones, the graphs go."""
        super().forget_last_batch()
        if self.graph_network is None:
            return
        self.graph_network.eval()
        with torch.no_grad():
            self.weight.copy_(self.mix_weights().t())
        self.graph_network = None
        self.register_buffer("share", torch.tensor(0.0), persistent=False)

    def importances(self) -> Tensor:
        """Return the norms of the features' weights (D,)."""
        return self.mix_weights().norm(dim=1)


def _to_numpy(*tensors: Tensor) -> list[npt.NDArray[np.float32]]:
    return [tensor.detach().cpu().contiguous().numpy() for tensor in tensors]


def _list_arrays(graphs: FeatureGraphs, bits: npt.NDArray[np.uint8] | None) -> tuple:
    """Return what both kernels read; without dropout a mask whose every bit is set serves all."""
    scale = np.float32(1.0) if bits is None else _HIDDEN_DROPOUT_SCALE
    return (
        graphs.order,
        graphs.first,
        graphs.senders,
        graphs.n_senders,
        graphs.values,
        graphs.pooled,
        graphs.n_neighbors,
        np.empty((0, 0, 0), dtype=np.uint8) if bits is None else bits,
        scale,
    )


@_compiled
def _slide_windows(values, k, first, senders, n_senders, pooled):  # type: ignore[no-untyped-def]
    """Fill the arrays of ``FeatureGraphs`` from the sorted values (D, n)."""
    d, n = values.shape
    for j in range(d):
        x = values[j]
        start = 0
        for s in range(n):
            start = max(start, s - k)
            while start < s and start + k + 1 < n and x[s] - x[start] > x[start + k + 1] - x[s]:
                start += 1
            first[j, s] = start
        low = 0
        high = 0
        for t in range(n):
            while first[j, low] + k < t:
                low += 1
            while high < n and first[j, high] <= t:
                high += 1
            senders[j, t] = low
            n_senders[j, t] = high - low
        for s in range(n):
            total = 0.0
            for t in range(first[j, s], first[j, s] + k + 1):
                total += 1.0 / np.sqrt(n_senders[j, t])
            pooled[j, s] = total / (n * np.sqrt(n_senders[j, s]))


@_compiled
def _slide(weight, order, values, n_senders, low, high, new_low, new_high, window):  # type: ignore[no-untyped-def]
    """Move the sum over senders from samples [low, high) to [new_low, new_high)."""
    for s in range(high, new_high):
        factor = values[s] / np.sqrt(np.float32(n_senders[s]))
        row = weight[order[s]]
        for u in range(len(window)):
            window[u] += factor * row[u]
    for s in range(low, new_low):
        factor = values[s] / np.sqrt(np.float32(n_senders[s]))
        row = weight[order[s]]
        for u in range(len(window)):
            window[u] -= factor * row[u]


@_compiled
def _convolve(weight, bias, order, senders, n_senders, values, z):  # type: ignore[no-untyped-def]
    """Write what the first convolution of one feature gives, z (n, units), before its ReLU."""
    n, units = z.shape
    window = np.zeros(units, dtype=np.float32)
    low, high = 0, 0
    for t in range(n):
        new_low = senders[t]
        new_high = new_low + n_senders[t]
        _slide(weight, order, values, n_senders, low, high, new_low, new_high, window)
        low, high = new_low, new_high
        norm = np.float32(1.0) / np.sqrt(np.float32(n_senders[t]))
        for u in range(units):
            z[t, u] = norm * window[u] + bias[u]


@_compiled
def _keeps(bits, j, t, u):  # type: ignore[no-untyped-def]
    """Return one or zero: whether dropout keeps a unit. Without dropout there are no bits."""
    if not bits.size:
        return np.float32(1.0)
    return np.float32((bits[j, t >> 3, u] >> np.uint8(t & 7)) & np.uint8(1))


@_compiled
def _pool_forward(  # type: ignore[no-untyped-def]
    weight, bias, order, first, senders, n_senders, values, pool, k, bits, scale, out
):
    d, n = order.shape
    units = len(bias)
    z = np.empty((n, units), dtype=np.float32)
    zero = np.float32(0.0)
    for j in range(d):
        _convolve(weight, bias, order[j], senders[j], n_senders[j], values[j], z)
        for t in range(n):
            share = pool[j, t] * scale
            for u in range(units):
                out[j, u] += share * _keeps(bits, j, t, u) * max(z[t, u], zero)


@_compiled
def _pool_backward(  # type: ignore[no-untyped-def]
    weight, bias, order, first, senders, n_senders, values, pool, k, bits, scale,
    gradient, weight_gradient, bias_gradient,
):  # fmt: skip
    d, n = order.shape
    units = len(bias)
    window = np.empty(units, dtype=np.float32)
    received = np.empty((n, units), dtype=np.float32)
    zero = np.float32(0.0)
    for j in range(d):
        _convolve(weight, bias, order[j], senders[j], n_senders[j], values[j], received)
        for t in range(n):
            norm = np.float32(1.0) / np.sqrt(np.float32(n_senders[j, t]))
            share = pool[j, t] * scale
            for u in range(units):
                active = np.float32(received[t, u] > zero)
                flow = share * _keeps(bits, j, t, u) * active * gradient[j, u]
                bias_gradient[u] += flow
                received[t, u] = norm * flow
        # A sample's gradient is the sum over the samples it sends to: a sliding window again.
        window[:] = zero
        low, high = 0, 0
        for s in range(n):
            new_low = first[j, s]
            new_high = new_low + k + 1
            for t in range(high, new_high):
                for u in range(units):
                    window[u] += received[t, u]
            for t in range(low, new_low):
                for u in range(units):
                    window[u] -= received[t, u]
            low, high = new_low, new_high
            factor = values[j, s] / np.sqrt(np.float32(n_senders[j, s]))
            row = weight_gradient[order[j, s]]
            for u in range(units):
                row[u] += factor * window[u]
