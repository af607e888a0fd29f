"""Linear -> LeakyReLU -> BatchNorm -> Dropout, the block all networks here are made of.

``RectifiedNorm`` is the part behind the matrix product, in plain PyTorch. ``HiddenBlock`` puts a
linear layer in front of it and, while training on a CPU, runs both as one autograd function with
hand-written gradients and buffers that live as long as the block: same mathematics, no fresh
memory, a third of the passes over the D x 100 activations.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from wpfs import kernels
from wpfs.kernels import CHUNK
from wpfs.masks import MaskStream, drop, drop_threshold
from wpfs.products import multiply

SLOPE = 0.01  # LeakyReLU's


class RectifiedNorm(nn.BatchNorm1d):
    """LeakyReLU -> BatchNorm -> Dropout.

    Parameters
    ----------
    n_units
        Number of columns.
    dropout
        Share of elements dropped while training.
    masks
        Where the dropout masks come from.
    """

    def __init__(self, n_units: int, dropout: float, masks: MaskStream) -> None:
        super().__init__(n_units)
        self.dropout = dropout
        self.masks = masks

    def forward(self, z: Tensor) -> Tensor:
        """Map pre-activations (n, k) to the next layer's input (n, k)."""
        a = nn.functional.leaky_relu(z, SLOPE)
        # One row has no variance; the running statistics are all that is known of its columns.
        learns_statistics = self.training and len(z) > 1
        a = nn.functional.batch_norm(
            a,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            learns_statistics,
            self.momentum or 0.0,
            self.eps,
        )
        return drop(a, self.dropout, self.masks) if self.training else a


class HiddenBlock(nn.Module):
    """A linear layer followed by ``RectifiedNorm``.

    Parameters
    ----------
    n_inputs, n_units
        Columns of input and output.
    dropout, masks
        As for ``RectifiedNorm``.
    """

    def __init__(self, n_inputs: int, n_units: int, dropout: float, masks: MaskStream) -> None:
        super().__init__()
        self.linear = nn.Linear(n_inputs, n_units)
        self.norm = RectifiedNorm(n_units, dropout, masks)
        self._scratch: _Buffers | None = None

    def forward(self, x: Tensor) -> Tensor:
        """Map (n, n_inputs) to (n, n_units)."""
        if not can_fuse(x) or len(x) == 1:
            return self.norm(self.linear(x))
        if self.training:
            return _FusedBlock.apply(
                x,
                self.linear.weight,
                self.linear.bias,
                self.norm.weight,
                self.norm.bias,
                self.norm,
                self._scratch_for(len(x)),
            )
        if torch.is_grad_enabled():
            return self.norm(self.linear(x))
        return self._evaluate(x)

    def _evaluate(self, x: Tensor) -> Tensor:
        norm = self.norm
        assert norm.running_var is not None
        assert norm.running_mean is not None
        scale = norm.weight * torch.rsqrt(norm.running_var + norm.eps)
        shift = norm.bias - norm.running_mean * scale
        out = multiply(x, self.linear.weight.t(), out=self._scratch_for(len(x)).activation)
        bias = self.linear.bias.detach().numpy()
        arrays = out.numpy(), bias, np.float32(SLOPE), scale.numpy(), shift.numpy()
        over_rows(partial(kernels.rectify_and_normalise, *arrays), len(out))
        return out

    def _scratch_for(self, rows: int) -> _Buffers:
        buffers = self._scratch
        if buffers is None or buffers.rows != rows:
            buffers = _Buffers(rows, self.linear.out_features)
            self._scratch = buffers
        return buffers

    def __getstate__(self) -> dict[str, Any]:
        """Leave the scratch memory out of pickles and copies."""
        return {**self.__dict__, "_scratch": None}


class _Buffers:
    """Scratch memory of one block for one number of rows, reused at every training step."""

    def __init__(self, rows: int, columns: int) -> None:
        self.rows = rows
        chunks = -(-rows // CHUNK)
        # One allocation: from 4 MB on, numpy asks Linux for huge pages, which saves page look-ups.
        memory = np.empty((2 * rows + -(-rows // 4), columns), dtype=np.float32)
        self.activation = torch.from_numpy(memory[:rows])
        self.output = torch.from_numpy(memory[rows : 2 * rows])
        self.keep = memory[2 * rows :].view(np.uint8).reshape(-1, columns)[:rows]
        self.first = np.empty((chunks, columns), dtype=np.float32)
        self.second = np.empty((chunks, columns), dtype=np.float32)
        self.mean = np.empty(columns, dtype=np.float32)
        self.variance = np.empty(columns, dtype=np.float32)
        self.use = 0


class _FusedBlock(torch.autograd.Function):
    """One block in training mode on a CPU."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        weight: Tensor,
        bias: Tensor,
        gamma: Tensor,
        beta: Tensor,
        norm: RectifiedNorm,
        buffers: _Buffers,
    ) -> Tensor:
        rows = buffers.rows
        a, out = buffers.activation.numpy(), buffers.output.numpy()
        multiply(x, weight.t(), out=buffers.activation)
        measured = buffers.first, buffers.second
        over_rows(
            partial(kernels.rectify_and_measure, a, bias.numpy(), np.float32(SLOPE), *measured),
            rows,
        )
        kernels.join_statistics(*measured, rows, buffers.mean, buffers.variance)
        _update_running_statistics(norm, buffers)
        inverse_std = 1.0 / np.sqrt(buffers.variance + np.float32(norm.eps))
        scale = gamma.numpy() * inverse_std
        shift = beta.numpy() - buffers.mean * scale
        if norm.dropout > 0.0:
            key, factor = norm.masks.next_key()
            threshold = drop_threshold(norm.dropout)
        else:
            key = factor = threshold = np.uint32(0)  # no hash is below zero: everything is kept
        keep_scale = np.float32(1.0 / (1.0 - norm.dropout))
        finish = partial(
            kernels.normalise_and_drop,
            *(a, scale, shift, keep_scale, key, factor, threshold, buffers.keep, out),
        )
        over_rows(finish, rows)
        buffers.use += 1
        ctx.save_for_backward(x, weight)
        ctx.buffers, ctx.use = buffers, buffers.use
        ctx.inverse_std, ctx.scale, ctx.keep_scale = inverse_std, scale, keep_scale
        # A new tensor object on the old memory: autograd writes its history on what it returns.
        return buffers.output.view(rows, -1)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        buffers: _Buffers = ctx.buffers
        if ctx.use != buffers.use:
            raise RuntimeError("a hidden block ran forward again before its backward pass")
        rows = buffers.rows
        a, g = buffers.activation.numpy(), gradient.contiguous().numpy()
        behind_dropout = g, buffers.keep, ctx.keep_scale, a, buffers.mean
        gather = partial(kernels.gather_gradients, *behind_dropout, buffers.first, buffers.second)
        over_rows(gather, rows)
        d_beta = buffers.first.sum(axis=0, dtype=np.float64).astype(np.float32)
        product = buffers.second.sum(axis=0, dtype=np.float64).astype(np.float32)
        d_gamma = product * ctx.inverse_std
        offset = ctx.scale * d_beta / np.float32(rows)
        pull = ctx.scale * ctx.inverse_std * d_gamma / np.float32(rows)
        # What the layers behind needed of the output is over: its memory takes dz. Then the
        # activation is not needed any more either: there goes the input's gradient.
        d_z = buffers.output
        propagate = partial(
            kernels.propagate_gradients,
            *behind_dropout,
            *(ctx.scale, offset, pull, np.float32(SLOPE), d_z.numpy(), buffers.first),
        )
        over_rows(propagate, rows)
        d_bias = buffers.first.sum(axis=0, dtype=np.float64).astype(np.float32)
        d_x = None
        if ctx.needs_input_grad[0]:
            reusable = x.shape == buffers.activation.shape and x.grad_fn is not None
            d_x = multiply(d_z, weight, out=buffers.activation if reusable else None)
        return (
            d_x,
            multiply(d_z.t(), x),
            torch.from_numpy(d_bias),
            torch.from_numpy(d_gamma),
            torch.from_numpy(d_beta),
            None,
            None,
        )


def can_fuse(x: Tensor) -> bool:
    """Say whether the compiled kernels can work on a tensor (a plain one, in main memory)."""
    return type(x) is Tensor and x.device.type == "cpu" and x.dtype == torch.float32


def _update_running_statistics(norm: RectifiedNorm, buffers: _Buffers) -> None:
    rows = buffers.rows
    assert norm.running_mean is not None
    assert norm.running_var is not None
    momentum = norm.momentum or 0.0
    norm.running_mean.lerp_(torch.from_numpy(buffers.mean), momentum)
    norm.running_var.lerp_(torch.from_numpy(buffers.variance * (rows / (rows - 1))), momentum)


def over_rows(work: Callable[[int, int], None], rows: int) -> None:
    """Call ``work(start, stop)`` over all rows, on as many threads as PyTorch may use."""
    threads = torch.get_num_threads()
    chunks = -(-rows // CHUNK)
    if threads == 1 or chunks < 8 * threads:  # waking a thread costs as much as some chunks
        work(0, rows)
        return
    bounds = [CHUNK * round(chunks * part / threads) for part in range(threads)] + [rows]
    list(_thread_pool(threads).map(work, bounds[:-1], bounds[1:]))


_POOLS: dict[int, ThreadPoolExecutor] = {}


def _thread_pool(threads: int) -> ThreadPoolExecutor:
    if threads not in _POOLS:
        _POOLS[threads] = ThreadPoolExecutor(threads, thread_name_prefix="wpfs")
    return _POOLS[threads]
