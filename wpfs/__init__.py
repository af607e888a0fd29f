"""WPFS: Weight Predictor Network with Feature Selection (AAAI 2023), as a library."""

from wpfs.estimator import WPFSClassifier

__all__ = ["WPFSClassifier"]
