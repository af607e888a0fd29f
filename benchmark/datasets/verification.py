"""Comparing a table with what the registry says of it."""

from collections.abc import Sequence

from benchmark.datasets.registry import Expected


def find_differences(
    expected: Expected, shape: Sequence[int], counts: Sequence[int], class_names: Sequence[str]
) -> list[str]:
    """Return a sentence for each number that is not as expected."""
    found = (("samples", shape[0], expected.samples), ("features", shape[1], expected.features))
    sentences = [f"It has {have} {what}, not {want}." for what, have, want in found if have != want]
    for name, have, want in zip(class_names, counts, expected.counts, strict=True):
        if have != want:
            sentences.append(f"Class {name} has {have} samples, not {want}.")
    return sentences
