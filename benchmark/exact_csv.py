"""CSV files read to the last bit, whatever version pandas has."""

from typing import Any

import pandas as pd

#: Before 3.1 pandas took a faster parser, off by one bit in a fifth of the numbers, unless it was
#: asked; since then it is exact and deprecates the question.
_EXACT = (
    {"float_precision": "round_trip"}
    if tuple(int(part) for part in pd.__version__.split(".")[:2]) < (3, 1)
    else {}
)


def read_csv(source: Any, **options: Any) -> pd.DataFrame:
    """Read a file or stream as pandas does; every number is the double nearest to its text."""
    return pd.read_csv(source, **options, **_EXACT)
