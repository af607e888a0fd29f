"""Ranges of the networks' hyper-parameters: what cannot be meant is refused before any work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wpfs.embeddings import EMBEDDINGS, PREPROCESSINGS


@dataclass(frozen=True)
class Range:
    """Numbers from ``low`` to below ``high``.

    Parameters
    ----------
    low, high
        Ends; there is no upper one when None.
    open_low
        Whether ``low`` itself is too small.
    whole
        Whether only whole numbers will do.
    """

    low: float
    high: float | None = None
    open_low: bool = False
    whole: bool = False

    def contains(self, value: Any) -> bool:
        """Tell whether a value can be meant."""
        try:
            above = value > self.low if self.open_low else value >= self.low
            below = self.high is None or value < self.high
            return bool(above and below and (not self.whole or value == int(value)))
        except (TypeError, ValueError, OverflowError):
            return False

    def __str__(self) -> str:
        noun = "a whole number" if self.whole else "a number"
        low = f"{'above' if self.open_low else 'from'} {self.low:g}"
        return f"{noun} {low}" if self.high is None else f"{noun} {low} to below {self.high:g}"


_COUNT = Range(1, whole=True)
_WEIGHT = Range(0)
_POSITIVE = Range(0, open_low=True)

RANGES: Mapping[str, Range] = {
    "embedding_size": _COUNT,
    "sparsity": _WEIGHT,
    "reconstruction": _WEIGHT,
    "annealing_steps": _COUNT,
    "dropout": Range(0, 1),
    "learning_rate": _POSITIVE,
    "weight_decay": _WEIGHT,
    "gradient_clip": _POSITIVE,
    # Batch normalisation needs two rows to have a spread.
    "batch_size": Range(2, whole=True),
    "max_steps": _COUNT,
    "patience": _COUNT,
    "validation_interval": _COUNT,
    "validation_fraction": Range(0, 1, open_low=True),
}

SCHEDULES = ("exponential", "linear", "constant")

CHOICES: Mapping[str, Sequence[str]] = {
    "schedule": SCHEDULES,
    "embedding": EMBEDDINGS,
    "embedding_preprocessing": PREPROCESSINGS,
}

_SIZES = ("hidden_sizes", "auxiliary_sizes")


def check_ranges(hyperparameters: Mapping[str, Any]) -> None:
    """Raise a ``ValueError`` that names the first hyper-parameter out of its range."""
    for name, value in hyperparameters.items():
        if name in RANGES and not RANGES[name].contains(value):
            raise ValueError(f"{name} must be {RANGES[name]}, not {value!r}")
        if name in CHOICES and value not in CHOICES[name]:
            raise ValueError(f"{name} must be one of {', '.join(CHOICES[name])}, not {value!r}")
        if name in _SIZES and not _are_sizes(value):
            raise ValueError(f"{name} must be one or more whole numbers from 1, not {value!r}")


def _are_sizes(value: Any) -> bool:
    return isinstance(value, Sequence) and len(value) > 0 and all(map(_COUNT.contains, value))
