"""Matrix products of tensors in main memory, by numpy's BLAS.

For D x 100 by 100 x 100 products on one core of an AMD processor, numpy's OpenBLAS needs about a
fifth less time than the MKL inside PyTorch (``wpfs-bench bench`` measures both). With several
threads PyTorch multiplies: two libraries' thread pools on the same cores get in each other's way.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor


def multiply(a: Tensor, b: Tensor, out: Tensor | None = None) -> Tensor:
    """Return ``a @ b``, in ``out`` when it is given; no gradient is tracked."""
    if torch.get_num_threads() > 1:
        with torch.no_grad():
            return torch.mm(a, b, out=out)
    if out is None:
        return torch.from_numpy(np.matmul(a.detach().numpy(), b.detach().numpy()))
    np.matmul(a.detach().numpy(), b.detach().numpy(), out=out.numpy())
    return out
