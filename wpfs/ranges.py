"""Ranges of the networks' hyper-parameters: what cannot be meant is refused before any work.

A range stands beside the hyper-parameter it belongs to, in its annotation:
``dropout: Annotated[float, Range(0, 1)] = 0.2``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, get_type_hints


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
        """Return whether a value can be meant."""
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


@dataclass(frozen=True)
class Choice:
    """One of a few words."""

    words: tuple[str, ...]

    def contains(self, value: Any) -> bool:
        """Return whether a value is among them."""
        return value in self.words

    def __str__(self) -> str:
        return f"one of {', '.join(self.words)}"


@dataclass(frozen=True)
class LayerSizes:
    """Units of one layer or more."""

    def contains(self, value: Any) -> bool:
        """Return whether a value is a sequence of counts."""
        return isinstance(value, Sequence) and len(value) > 0 and all(map(COUNT.contains, value))

    def __str__(self) -> str:
        return "one or more whole numbers from 1"


COUNT = Range(1, whole=True)

Count = Annotated[int, COUNT]
Weight = Annotated[float, Range(0)]
Positive = Annotated[float, Range(0, open_low=True)]
Sizes = Annotated[Sequence[int], LayerSizes()]


def check_ranges(estimator: object) -> None:
    """Raise a ``ValueError`` that names the first hyper-parameter out of its range."""
    for name, allowed in _find_ranges(type(estimator)).items():
        value = getattr(estimator, name)
        if not allowed.contains(value):
            raise ValueError(f"{name} must be {allowed}, not {value!r}")


def _find_ranges(estimator: type) -> dict[str, Range | Choice | LayerSizes]:
    hints = get_type_hints(estimator, include_extras=True)
    return {
        name: hint.__metadata__[0] for name, hint in hints.items() if hasattr(hint, "__metadata__")
    }
