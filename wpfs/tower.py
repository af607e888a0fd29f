"""Hidden blocks and a linear output that see all D features at every step."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from wpfs.blocks import SLOPE, HiddenBlock
from wpfs.subnormals import flushed_subnormals

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

    @property
    def hidden_blocks(self) -> list[HiddenBlock]:
        """The blocks, first to last."""
        return cast(list[HiddenBlock], list(self.blocks))

    def forward(self, x: Tensor) -> Tensor:
        """Map (n, inputs) to (n, outputs), in (-1, 1) if bounded."""
        if _can_compile(x) and not (self.training or torch.is_grad_enabled()):
            hidden = self._evaluate(x)
        else:
            hidden = self.blocks(x)
        out = self.output(hidden)
        return out.tanh() if self.bounded else out

    def _evaluate(self, x: Tensor) -> Tensor:
        """Return what the blocks make of x, by compiled passes."""
        from wpfs import kernels
        from wpfs.chunks import Work, finish

        hidden = x.contiguous().numpy()
        for block in self.hidden_blocks:
            norm, linear = block.norm, block.linear
            assert norm.running_mean is not None
            assert norm.running_var is not None
            scale = norm.weight * torch.rsqrt(norm.running_var + norm.eps)
            shift = norm.bias - norm.running_mean * scale
            out = np.empty((len(x), linear.out_features), dtype=np.float32)
            work = partial(
                kernels.evaluate,
                hidden,
                linear.weight.detach().numpy().T,
                linear.bias.detach().numpy(),
                _SLOPE,
                scale.numpy(),
                shift.numpy(),
                out,
            )
            with flushed_subnormals():
                finish(iter([Work(work, len(x))]))
            hidden = out
        return torch.from_numpy(hidden)


def _can_compile(x: Tensor) -> bool:
    """Return whether the compiled passes can work on an input (a plain one, in main memory)."""
    return type(x) is Tensor and x.device.type == "cpu" and x.dtype == torch.float32
