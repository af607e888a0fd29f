"""The weight predictor's output: a linear layer and tanh over all D features."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from wpfs import kernels
from wpfs.blocks import can_fuse, over_rows
from wpfs.kernels import CHUNK
from wpfs.products import multiply


class TanhHead(nn.Linear):
    """``tanh(W x + b)``, fused on a CPU like ``HiddenBlock``."""

    def forward(self, x: Tensor) -> Tensor:
        """Map (n, n_inputs) to (n, n_units) in (-1, 1)."""
        if can_fuse(x) and torch.is_grad_enabled():
            return _FusedTanh.apply(x, self.weight, self.bias)
        return nn.functional.linear(x, self.weight, self.bias).tanh_()


class _FusedTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        out = multiply(x, weight.t()).add_(bias).tanh_()
        ctx.save_for_backward(x, weight, out)
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, weight, out = ctx.saved_tensors
        sums = np.empty((-(-len(out) // CHUNK), out.shape[1]), dtype=np.float32)
        d_z = torch.empty_like(out)
        arrays = gradient.contiguous().numpy(), out.detach().numpy(), d_z.numpy(), sums
        over_rows(partial(kernels.propagate_through_tanh, *arrays), len(out))
        d_bias = torch.from_numpy(sums.sum(axis=0, dtype=np.float64).astype(np.float32))
        d_x = multiply(d_z, weight) if ctx.needs_input_grad[0] else None
        return d_x, multiply(d_z.t(), x), d_bias
