"""Hidden blocks and a linear output that see all D features at every step.

In plain PyTorch a tower is its blocks and its output, one after the other. On a CPU it runs as one
autograd function with hand-written gradients over the compiled passes of ``wpfs.kernels`` and
memory that lives as long as the tower: same mathematics, nothing fresh to allocate, less traffic
between memory and processor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from wpfs import kernels
from wpfs.blocks import SLOPE, HiddenBlock, RectifiedNorm
from wpfs.kernels import CHUNK
from wpfs.masks import drop_threshold
from wpfs.subnormals import flushed_subnormals

Array = npt.NDArray[np.float32]

_SLOPE = np.float32(SLOPE)


class Tower(nn.Module):
    """Block after block, then a linear layer.

    Parameters
    ----------
    blocks, output
        Each reads what the one in front of it gives.
    bounded
        Pass the output through tanh.
    """

    def __init__(
        self, blocks: Sequence[HiddenBlock], output: nn.Linear, bounded: bool = False
    ) -> None:
        super().__init__()
        self.blocks = nn.Sequential(*blocks)
        self.output = output
        self.bounded = bounded
        self._memory: _Memory | None = None

    @property
    def hidden_blocks(self) -> list[HiddenBlock]:
        """The blocks, first to last."""
        return cast(list[HiddenBlock], list(self.blocks))

    def forward(self, x: Tensor) -> Tensor:
        """Map (n, inputs) to (n, outputs), in (-1, 1) if bounded.

        While training on a CPU the result's memory is used again at the next call.
        """
        if _can_fuse(x) and len(self.blocks) > 0:
            parameters = list(self.parameters())
            learns = any(parameter.requires_grad for parameter in parameters)
            if self.training and torch.is_grad_enabled() and learns:
                return _FusedTower.apply(x, self, *parameters)
            if not (self.training or torch.is_grad_enabled()):
                return self._evaluate(x)
        out = self.output(self.blocks(x))
        return out.tanh() if self.bounded else out

    def _evaluate(self, x: Tensor) -> Tensor:
        hidden = x.contiguous().numpy()
        for block in self.hidden_blocks:
            norm = block.norm
            assert norm.running_mean is not None
            assert norm.running_var is not None
            scale = norm.weight * torch.rsqrt(norm.running_var + norm.eps)
            shift = norm.bias - norm.running_mean * scale
            # Not the training's memory: two threads may evaluate one tower.
            out = np.empty((len(x), block.linear.out_features), dtype=np.float32)
            arrays = *_read(block.linear), _SLOPE, scale.numpy(), shift.numpy(), out
            over_rows(partial(kernels.evaluate, hidden, *arrays), len(x))
            hidden = out
        result = self.output(torch.from_numpy(hidden))
        return result.tanh_() if self.bounded else result

    def reserve_memory(self, rows: int) -> _Memory:
        """Return the scratch memory for a number of rows, the one at hand where it fits."""
        if self._memory is None or self._memory.rows != rows:
            units = [block.linear.out_features for block in self.hidden_blocks]
            self._memory = _Memory(rows, units, self.output.out_features)
        return self._memory

    def __getstate__(self) -> dict[str, Any]:
        """Leave the scratch memory out of pickles and copies."""
        return {**self.__dict__, "_memory": None}


class _Level:
    """One block's part of the memory, and what its forward pass leaves for the backward pass.

    Attributes
    ----------
    activation
        (rows, units), in front of the BatchNorm.
    gradient
        (rows, units), behind the BatchNorm; blocks of one width share it.
    sums, products
        (chunks, units), what the compiled passes gather.
    mean, scale, shift
        (units,): ``activation * scale + shift`` is what the BatchNorm makes of it.
    drop
        The dropout mask, as ``kernels.forward_hidden`` takes it.
    """

    def __init__(self, rows: int, units: int, gradient: Array) -> None:
        self.activation = np.empty((rows, units), dtype=np.float32)
        self.gradient = gradient
        self.sums, self.products = np.empty((2, _count_chunks(rows), units), dtype=np.float32)
        self.mean, self._variance = np.empty((2, units), dtype=np.float32)
        self.drop: tuple[np.uint32, np.uint32, np.uint32, np.float32]

    @property
    def rows(self) -> int:
        return len(self.activation)

    @property
    def output(self) -> tuple[Any, ...]:
        """What the layer above needs to go forward."""
        return self.activation, self.scale, self.shift, self.drop

    @property
    def input(self) -> tuple[Any, ...]:
        """What the layer above needs to go backward."""
        return self.activation, self.scale, self.shift, self.mean, self.drop

    def normalise(self, norm: RectifiedNorm) -> None:
        """Turn the gathered statistics into the BatchNorm's, and draw a dropout mask."""
        assert norm.running_mean is not None
        assert norm.running_var is not None
        kernels.join_statistics(self.sums, self.products, self.rows, self.mean, self._variance)
        momentum = norm.momentum or 0.0
        unbiased = self._variance * np.float32(self.rows / (self.rows - 1))
        norm.running_mean.lerp_(torch.from_numpy(self.mean), momentum)
        norm.running_var.lerp_(torch.from_numpy(unbiased), momentum)
        self._inverse_std = 1.0 / np.sqrt(self._variance + np.float32(norm.eps))
        self.scale = norm.weight.detach().numpy() * self._inverse_std
        self.shift = norm.bias.detach().numpy() - self.mean * self.scale
        if norm.dropout > 0.0:
            key, factor = norm.masks.next_key()
            threshold = drop_threshold(norm.dropout)
        else:
            key = factor = threshold = np.uint32(0)  # no hash is below zero: everything is kept
        self.drop = key, factor, threshold, np.float32(1.0 / (1.0 - norm.dropout))

    def differentiate_norm(self) -> tuple[tuple[Array, ...], Array, Array]:
        """Return the ``upper`` of ``kernels.backward_hidden`` and BatchNorm's own gradients."""
        d_beta = _join(self.sums)
        d_gamma = _join(self.products) * self._inverse_std
        offset = self.scale * d_beta / np.float32(self.rows)
        pull = self.scale * self._inverse_std * d_gamma / np.float32(self.rows)
        return (self.mean, self.scale, offset, pull), d_gamma, d_beta


class _Memory:
    """Scratch memory of one tower for one number of rows, reused at every step."""

    def __init__(self, rows: int, units: Sequence[int], n_outputs: int) -> None:
        self.rows = rows
        gradients = {width: np.empty((rows, width), dtype=np.float32) for width in units}
        self.levels = [_Level(rows, width, gradients[width]) for width in units]
        self.output = np.empty((rows, n_outputs), dtype=np.float32)
        self.output_sums = np.empty((_count_chunks(rows), n_outputs), dtype=np.float32)
        self.uses = 0
        self._by_chunk: dict[tuple[int, ...], Array] = {}

    def by_chunk(self, shape: tuple[int, ...]) -> Array:
        """Return memory for one array of a shape per chunk; the same one for the same shape."""
        if shape not in self._by_chunk:
            wanted = _count_chunks(self.rows), *shape
            self._by_chunk[shape] = np.empty(wanted, dtype=np.float32)
        return self._by_chunk[shape]


class _FusedTower(torch.autograd.Function):
    """A tower in training mode on a CPU; its parameters come in the order of the module's."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, tower: Tower, *parameters: Tensor) -> Tensor:
        memory = tower.reserve_memory(len(x))
        memory.uses += 1
        below: _Level | None = None
        for block, level in zip(tower.hidden_blocks, memory.levels, strict=True):
            layer = *_read(block.linear), _SLOPE, level.activation, level.sums, level.products
            if below is None:
                work = partial(kernels.forward_first, x.contiguous().numpy(), *layer)
            else:
                work = partial(kernels.forward_hidden, *below.output, *layer)
            over_rows(work, len(x))
            level.normalise(block.norm)
            below = level
        assert below is not None
        work = partial(kernels.forward_output, *below.output, *_read(tower.output), memory.output)
        over_rows(work, len(x))
        # A new tensor on the old memory: autograd writes its history on what it returns.
        out = torch.from_numpy(memory.output)
        if tower.bounded:
            out.tanh_()
        ctx.save_for_backward(x, *parameters)
        ctx.memory, ctx.use, ctx.bounded = memory, memory.uses, tower.bounded
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        memory: _Memory = ctx.memory
        if ctx.use != memory.uses:
            raise RuntimeError("a tower ran forward again before its backward pass")
        x, *parameters = ctx.saved_tensors
        gradients = list(_differentiate(memory, gradient, x, parameters, ctx.bounded))
        return None, None, *(torch.from_numpy(value) for value in reversed(gradients))


def _differentiate(
    memory: _Memory, gradient: Tensor, x: Tensor, parameters: Sequence[Tensor], bounded: bool
) -> Iterator[Array]:
    """Yield the gradients of a tower's parameters, last parameter first."""
    # Of each block: weight and bias of the linear layer, then BatchNorm's; of the output: the two.
    weights = [parameter.numpy() for parameter in (*parameters[:-2:4], parameters[-2])]
    levels = memory.levels
    d_weights = memory.by_chunk(weights[-1].shape)
    work = partial(
        kernels.backward_output,
        *(gradient.contiguous().numpy(), memory.output, bounded),
        *levels[-1].input,
        *(weights[-1], d_weights, memory.output_sums),
        *(levels[-1].gradient, levels[-1].sums, levels[-1].products),
    )
    over_rows(work, memory.rows)
    yield _join(memory.output_sums)
    yield d_weights.sum(axis=0)
    for depth in reversed(range(len(levels))):
        level, weight = levels[depth], weights[depth]
        upper, d_gamma, d_beta = level.differentiate_norm()
        yield d_beta
        yield d_gamma
        d_weights = memory.by_chunk(weight.shape)
        # The norm's sums are read: their memory takes those of the bias.
        leaving = level.gradient, level.activation, upper, _SLOPE
        if depth == 0:
            inputs = x.contiguous().numpy()
            work = partial(kernels.backward_first, *leaving, inputs, d_weights, level.sums)
        else:
            lower = levels[depth - 1]
            arriving = *lower.input, weight, d_weights, level.sums
            gathered = lower.gradient, lower.sums, lower.products
            work = partial(kernels.backward_hidden, *leaving, *arriving, *gathered)
        over_rows(work, memory.rows)
        yield _join(level.sums)
        yield d_weights.sum(axis=0)


def _can_fuse(x: Tensor) -> bool:
    """Return whether the compiled passes can work on an input (a plain one, in main memory)."""
    plain = type(x) is Tensor and x.device.type == "cpu" and x.dtype == torch.float32
    return plain and not x.requires_grad and len(x) > 1


def _read(linear: nn.Linear) -> tuple[Array, Array]:
    """Return a layer's weights, as they multiply from the right, and its bias."""
    return linear.weight.detach().numpy().T, linear.bias.detach().numpy()


def _join(per_chunk: Array) -> Array:
    return per_chunk.sum(axis=0, dtype=np.float64).astype(np.float32)


def _count_chunks(rows: int) -> int:
    return -(-rows // CHUNK)


def over_rows(work: Callable[[int, int], None], rows: int) -> None:
    """Call ``work(start, stop)`` over all rows, on as many threads as PyTorch may use."""
    threads = torch.get_num_threads()
    chunks = _count_chunks(rows)
    if threads == 1 or chunks < 4 * threads:  # waking a thread costs as much as some chunks
        _run(work, 0, rows)
        return
    bounds = [CHUNK * round(chunks * part / threads) for part in range(threads)] + [rows]
    list(_thread_pool(threads).map(partial(_run, work), bounds[:-1], bounds[1:]))


def _run(work: Callable[[int, int], None], start: int, stop: int) -> None:
    with flushed_subnormals():
        work(start, stop)


_POOLS: dict[int, ThreadPoolExecutor] = {}


def _thread_pool(threads: int) -> ThreadPoolExecutor:
    if threads not in _POOLS:
        _POOLS[threads] = ThreadPoolExecutor(threads, thread_name_prefix="wpfs")
    return _POOLS[threads]
