"""Dropout masks that cost next to nothing on a CPU and can be replayed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

#: What names one mask: an additive key and an odd factor for the hash in ``wpfs.kernels``.
MaskKey = tuple[np.uint32, np.uint32]


class MaskStream:
    """An endless, seeded sequence of mask keys, one for each call of a dropout layer.

    Parameters
    ----------
    seed
        Same seed, same masks, whatever the number of threads.
    """

    def __init__(self, seed: int) -> None:
        self._generator = np.random.Generator(np.random.SFC64(seed))

    def next_key(self) -> MaskKey:
        """Return the key of the next mask."""
        key, factor = self._generator.integers(0, 2**32, size=2, dtype=np.uint32)
        return key, np.uint32(factor | np.uint32(1))


def drop_threshold(rate: float) -> np.uint32:
    """Return the hash value below which an element is dropped."""
    return np.uint32(min(round(rate * 2**32), 2**32 - 1))


def build_mask(key: MaskKey, shape: tuple[int, int], rate: float) -> npt.NDArray[np.uint8]:
    """Return the mask (1 = keep) that a key stands for."""
    from wpfs.kernels import fill_keep_mask

    keep = np.empty(shape, dtype=np.uint8)
    fill_keep_mask(keep, 0, *key, drop_threshold(rate))
    return keep


def drop(x: Tensor, rate: float, masks: MaskStream) -> Tensor:
    """Apply dropout to ``x`` (n, k): hashed masks on a CPU, PyTorch's own elsewhere."""
    if rate == 0.0:
        return x
    if x.device.type != "cpu":
        return torch.nn.functional.dropout(x, rate)
    mask = build_mask(masks.next_key(), (x.shape[0], x.shape[1]), rate)
    return x * torch.from_numpy(mask).to(x.dtype).mul_(1.0 / (1.0 - rate))
