"""Axes: from values to places and round ticks."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """Maps values to places on the page, linearly or by logarithm."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        """Return the place of a value."""
        low, high = self.low, self.high
        if self.logarithmic:
            value, low, high = math.log10(value), math.log10(low), math.log10(high)
        share = 0.5 if high == low else (value - low) / (high - low)
        return self.start + share * (self.end - self.start)

    def ticks(self, wanted: int = 5) -> list[float]:
        """Return round values inside the range."""
        if self.logarithmic:
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            ticks = [step * 10.0**power for power in powers for step in (1, 3)]
            return [tick for tick in ticks if self.low <= tick <= self.high]
        span = self.high - self.low
        if span <= 0:
            return [self.low]
        rough = span / wanted
        magnitude = 10 ** math.floor(math.log10(rough))
        step = next(m * magnitude for m in (1, 2, 5, 10) if m * magnitude >= rough)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [index * step for index in range(first, last + 1)]
