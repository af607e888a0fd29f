"""Comparing a table with what the registry says of it."""

from collections.abc import Sequence

from benchmark.datasets.registry import Expected
from benchmark.datasets.wording import count_noun


def find_differences(
    expected: Expected, shape: Sequence[int], counts: Sequence[int], class_names: Sequence[str]
) -> list[str]:
    """Return a sentence for each number that is not as expected."""
    found = (("sample", shape[0], expected.samples), ("feature", shape[1], expected.features))
    sentences = [
        f"It has {count_noun(have, noun)}, not {want}."
        for noun, have, want in found
        if have != want
    ]
    for name, have, want in zip(class_names, counts, expected.counts, strict=True):
        if have != want:
            sentences.append(f"Class {name} has {count_noun(have, 'sample')}, not {want}.")
    return sentences
