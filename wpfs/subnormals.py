"""Numbers too small for full precision, treated as zero inside a ``with`` block.

Multiplicative updates shrink entries of an NMF towards zero without end, and so does training with
the scores of genes that are out. Below 1e-38 float32 has fewer digits, and processors of Intel take
up to a hundred times as long: a product with a few such entries among thousands takes several times
as long as one without.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch

_SUBNORMAL = np.full(1, 1e-40, dtype=np.float32)


@contextmanager
def flushed_subnormals() -> Iterator[None]:
    """Treat subnormal numbers as zero on this thread inside a ``with`` block.

    Threads that PyTorch started itself keep them.
    """
    before = are_flushed()
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)


def are_flushed() -> bool:
    """Return whether this thread treats subnormal numbers as zero."""
    return not (_SUBNORMAL * np.float32(1.0)).any()
