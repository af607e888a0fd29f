"""Numbers with nouns, lists cut short, and long lines, for messages."""

import shutil
import textwrap
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


def hang(text: str, indent: int) -> str:
    """Break text that starts in column ``indent`` at the terminal's width; paths stay whole."""
    lines = textwrap.wrap(
        text,
        max(shutil.get_terminal_size().columns - indent, 20),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return ("\n" + " " * indent).join(lines)
