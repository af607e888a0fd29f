"""Numbers with nouns, and lists cut short, for messages."""

from collections.abc import Collection


def count_noun(number: int, noun: str) -> str:
    """Return ``1 sample``, ``2 samples``; the plural of ``class`` takes ``es``."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun}{'es' if noun.endswith('s') else 's'}"


def list_some(items: Collection[object], first: int, last: int = 0) -> str:
    """Join items with commas; of many only the first ones and the last ones are named."""
    texts = [str(item) for item in items]
    if len(texts) <= first + last:
        return ", ".join(texts)
    return ", ".join([*texts[:first], "...", *texts[len(texts) - last :]])
