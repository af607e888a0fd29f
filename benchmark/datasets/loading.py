"""From a name, or a file of the user's, to a frozen record."""

from collections.abc import Sequence
from pathlib import Path

from benchmark.datasets import synthetic
from benchmark.datasets.record import Dataset
from benchmark.errors import UserError


def load(
    name: str,
    data_dir: Path | None = None,
    registries: Sequence[Path] = (),
    transform: str | None = None,
    impute: str | None = None,
) -> Dataset:
    """Load a data set by name.

    Parameters
    ----------
    name
        A name of ``datasets.yaml`` or of ``registries``, or ``synthetic``, with parameters as in
        ``synthetic:samples=100,features=5000``.
    """
    if name.partition(":")[0] == synthetic.NAME:
        return synthetic.load_synthetic(**synthetic.parse_name(name))
    raise UserError(f"unknown data set {name!r}")
