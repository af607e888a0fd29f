"""From the files of a source to a labelled table: pure functions on data frames."""

from benchmark.datasets.derive.build import build_dataset

__all__ = ["build_dataset"]
