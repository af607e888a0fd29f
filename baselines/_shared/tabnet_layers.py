"""Two layers of pytorch-tabnet, written for small, wide tables on a CPU.

Same mathematics as the package's, which sorts every row for its sparse attention and normalises
each virtual batch of five rows by a call of its own: most of a training step.
"""

from typing import Any

import numpy as np
import torch
from pytorch_tabnet.sparsemax import Sparsemax
from pytorch_tabnet.tab_network import GBN
from torch import Tensor, nn

from wpfs.compiled import compiled


def replace_slow_layers(network: nn.Module) -> None:
    """Put the layers of this module in place of the package's, parameters and all."""
    for module in list(network.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, GBN):
                setattr(module, name, GhostNorm(child.bn, child.virtual_batch_size))
            elif isinstance(child, Sparsemax):
                setattr(module, name, RowSparsemax())


class GhostNorm(nn.Module):
    """Batch normalisation of each virtual batch, all batches of one size at once.

    Parameters
    ----------
    bn
        Has weights and running statistics.
    virtual_batch_size
        Rows normalised together, at most.
    """

    def __init__(self, bn: nn.BatchNorm1d, virtual_batch_size: int) -> None:
        super().__init__()
        self.bn = bn
        self.virtual_batch_size = virtual_batch_size

    def forward(self, x: Tensor) -> Tensor:
        """Normalise x (n, k)."""
        if not self.training:
            return self.bn(x)
        rows, columns = x.shape
        # As torch.chunk cuts: equal parts, and a smaller one for what is left over.
        size = -(-rows // -(-rows // self.virtual_batch_size))
        count = rows // size
        # Batches side by side are columns of their own to batch_norm.
        beside = x[: count * size].view(count, size, columns).transpose(0, 1)
        means = torch.zeros(count * columns, device=x.device)
        variances = torch.zeros(count * columns, device=x.device)
        normalised = nn.functional.batch_norm(
            beside.reshape(size, count * columns),
            means,
            variances,
            self.bn.weight.repeat(count),
            self.bn.bias.repeat(count),
            training=True,
            momentum=1.0,
            eps=self.bn.eps,
        )
        self._update_running_statistics(means.view(count, columns), variances.view(count, columns))
        result = normalised.view(size, count, columns).transpose(0, 1).reshape(-1, columns)
        if count * size == rows:
            return result
        return torch.cat((result, self.bn(x[count * size :])))

    def _update_running_statistics(self, means: Tensor, variances: Tensor) -> None:
        """Apply the statistics of each batch (b, k), one after the other."""
        assert self.bn.running_mean is not None
        assert self.bn.running_var is not None
        kept = 1.0 - (self.bn.momentum or 0.0)
        age = torch.arange(len(means) - 1, -1, -1, device=means.device)
        weights = (1.0 - kept) * kept**age
        self.bn.running_mean.mul_(kept ** len(means)).add_(weights @ means)
        self.bn.running_var.mul_(kept ** len(means)).add_(weights @ variances)


class RowSparsemax(nn.Module):
    """Sparsemax of each row (Martins & Astudillo 2016)."""

    def forward(self, z: Tensor) -> Tensor:
        """Map scores (n, k) to weights (n, k) that sum to one, most of them zero."""
        if z.device.type == "cpu":
            return _RowSparsemax.apply(z)
        return Sparsemax(dim=-1)(z)


class _RowSparsemax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, z: Tensor) -> Tensor:
        values = z.detach().contiguous().numpy()
        out = np.empty_like(values)
        _project(values, out)
        result = torch.from_numpy(out)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        (result,) = ctx.saved_tensors
        out = np.empty_like(result.numpy())
        _project_gradient(gradient.contiguous().numpy(), result.numpy(), out)
        return torch.from_numpy(out)


@compiled
def _project(z, out):  # type: ignore[no-untyped-def]
    """Project each row onto the simplex, ``out = max(z - threshold, 0)``.

    The threshold is the mean, less 1/count, of the entries above it. Taking entries below it out
    raises it, so doing so until none is left ends at the threshold (Michelot 1986); those a whole
    unit below the largest are out from the start.
    """
    rows, columns = z.shape
    active = np.empty(columns, dtype=np.float32)
    for i in range(rows):
        largest = z[i, 0]
        for k in range(1, columns):
            largest = max(largest, z[i, k])
        count = 0
        total = 0.0
        for k in range(columns):
            value = z[i, k] - largest
            if value > -1.0:
                active[count] = value
                total += value
                count += 1
        threshold = (total - 1.0) / count
        before = count + 1
        while count < before:
            before = count
            count = 0
            total = 0.0
            for k in range(before):
                value = active[k]
                if value > threshold:
                    active[count] = value
                    total += value
                    count += 1
            threshold = (total - 1.0) / count
        cut = np.float32(threshold)
        for k in range(columns):
            out[i, k] = max(z[i, k] - largest - cut, np.float32(0.0))


@compiled
def _project_gradient(gradient, result, out):  # type: ignore[no-untyped-def]
    """Take the mean over its row's non-zero weights from each gradient; zero at the others."""
    rows, columns = result.shape
    for i in range(rows):
        total = 0.0
        count = 0
        for k in range(columns):
            if result[i, k] > 0:
                total += gradient[i, k]
                count += 1
        mean = np.float32(total / count)
        for k in range(columns):
            out[i, k] = gradient[i, k] - mean if result[i, k] > 0 else np.float32(0.0)
