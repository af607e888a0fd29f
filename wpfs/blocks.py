"""Linear -> LeakyReLU -> BatchNorm -> Dropout, the block all networks here are made of."""

from __future__ import annotations

from torch import Tensor, nn

from wpfs.masks import MaskStream, drop

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

    def forward(self, x: Tensor) -> Tensor:
        """Map (n, n_inputs) to (n, n_units)."""
        return self.norm(self.linear(x))
