"""Words for people: counted nouns, shortened lists, nearest names, durations and sizes."""

import difflib
import re
import shutil
import textwrap
from collections.abc import Collection, Iterable
from typing import Any

from benchmark.errors import UserError


def count_noun(number: int, noun: str) -> str:
    """Return ``1 sample``, ``2 samples``; the plural of ``class`` takes ``es``."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun}{'es' if noun.endswith('s') else 's'}"


#: A whole header taken for one name by a wrong separator must not fill the screen.
_LONGEST = 200


def escape_formula(text: Any) -> Any:
    """Return a cell of a CSV file so that spreadsheets show it and do not compute it."""
    if not isinstance(text, str) or not text.startswith(("=", "+", "-", "@", "\t", "\r")):
        return text
    try:
        float(text)  # a signed number is no formula
    except ValueError:
        return f"'{text}"
    return text


def list_some(items: Collection[object], first: int, last: int = 0) -> str:
    """Join items with commas, long ones cut; of many the first ones and the last ones are named."""
    texts = [text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..." for text in map(str, items)]
    if len(texts) <= first + last:
        return ", ".join(texts)
    return ", ".join([*texts[:first], "...", *texts[len(texts) - last :]])


def suggest_name(wrong: str, known: Iterable[str]) -> str:
    """Return ``did you mean 'prostate'?`` for a misspelt name, "" if none is near."""
    candidates = [name for name in known if len(name) <= 2 * len(wrong) + _LONGEST]
    nearest = difflib.get_close_matches(wrong, candidates, n=1, cutoff=0.6)
    return f"did you mean {nearest[0]!r}?" if nearest else ""


def wrap_after(indent: int, text: str) -> str:
    """Wrap text that starts in column ``indent`` at the terminal's width; paths stay whole."""
    lines = textwrap.wrap(
        text,
        max(shutil.get_terminal_size().columns - indent, 20),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return ("\n" + " " * indent).join(lines)


_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}

_MEGABYTES = {"M": 1, "G": 1024, "T": 1024**2}


def parse_duration(text: str) -> float:
    """Return the seconds of a ``--timeout``: ``90``, ``90s``, ``15m``, ``2h`` or ``1h30m``."""
    parts = re.findall(r"(\d+(?:\.\d+)?)([smhd]?)", text.strip())
    if not parts or "".join(number + unit for number, unit in parts) != text.strip():
        raise UserError(f"--timeout {text}: write a duration as 90s, 15m, 2h or 1h30m")
    seconds = sum(float(number) * _SECONDS[unit or "s"] for number, unit in parts)
    if seconds <= 0:
        raise UserError(f"--timeout {text}: write a duration of more than 0")
    return seconds


def parse_megabytes(text: str, flag: str = "--memory-limit") -> float:
    """Return the megabytes of an amount of memory: ``500M``, ``4G``, ``4GB`` or ``1.5GiB``."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([MGT])(?:i?B)?", text.strip(), re.IGNORECASE)
    if not match or not float(match[1]):
        raise UserError(f"{flag} {text}: write an amount of memory as 500M or 4G")
    return float(match[1]) * _MEGABYTES[match[2].upper()]


def show_duration(seconds: float) -> str:
    """Return ``0.4 s``, ``42 s``, ``3 min 05 s`` or ``2 h 07 min``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
