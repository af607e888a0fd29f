"""Delimited text: comma, tab, semicolon or blank; decimal point or comma; any line ends."""

import csv
import io
import re
from collections.abc import Collection, Sequence

import pandas as pd

from benchmark.datasets.formats.raw_table import Content, FormatError, RawTable, ReadOptions
from benchmark.exact_csv import read_csv

#: Tried in this order: a comma may be a decimal mark in a file with any of the first two.
_SEPARATORS = {"\t": "tab", ";": "semicolon", ",": "comma", "|": "bar", " ": "blank"}

_SNIFFED_LINES = 12

_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+([eE][-+]?\d+)?")

_ENCODINGS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))

#: Row names as pandas and R write them: a first column without a name.
UNNAMED = "Unnamed: 0"


def read_delimited(content: Content, options: ReadOptions) -> RawTable:
    """Read a text table whose first row, leading comments aside, names the columns."""
    text, encoding = decode(content.data)
    lines = _first_lines(text)
    skipped = count_comments(lines)
    lines = lines[skipped:]
    if not lines:
        raise FormatError("the file is empty")
    separator = choose_separator(lines, content.suffix)
    decimal = _choose_decimal(lines, separator)
    as_text = None if options.all_text else options.as_text
    frame = parse_text(text, separator, decimal, skipped, as_text)
    details = {"separator": _SEPARATORS[separator], "encoding": encoding}
    if decimal == ",":
        details["decimal mark"] = "comma"
    if skipped:
        details["comment lines"] = str(skipped)
    return RawTable(frame, details=details)


def decode(data: bytes) -> tuple[str, str]:
    """Return text and encoding: what a byte-order mark says, else UTF-8, else Latin-1."""
    for mark, encoding in _ENCODINGS:
        if data.startswith(mark):
            return data.decode(encoding), encoding
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        if b"\x00" in data[:4096]:
            raise FormatError("it is neither text nor a format known here") from None
        return data.decode("latin-1"), "latin-1"


def parse_text(
    text: str,
    separator: str,
    decimal: str = ".",
    skipped: int = 0,
    as_text: Collection[str] | None = (),
) -> pd.DataFrame:
    """Read text into a frame; row names, if there are any, become its index.

    Columns named by ``as_text``, all when it is None, keep their spelling.
    Names that occur twice in the header are kept as they are.
    """
    text = text.lstrip("\ufeff")
    header = _read_header(text, separator, skipped)
    try:
        frame = read_csv(
            io.StringIO(text),
            sep=separator,
            decimal=decimal,
            skiprows=skipped,
            header=0,
            # By place, because pandas calls the second of two columns g0 tacitly g0.1.
            names=[f"c{place}" for place in range(len(header))],
            low_memory=False,
            dtype={
                f"c{place}": str
                for place, name in enumerate(header)
                if as_text is None or name in as_text
            },
            skipinitialspace=separator == " ",
        )
    except pd.errors.EmptyDataError:
        raise FormatError("the file is empty") from None
    except (pd.errors.ParserError, ValueError) as error:
        raise FormatError(" ".join(str(error).split())[:200]) from None
    if not isinstance(frame.index, pd.RangeIndex):
        # R's write.table gives the column of row names no head.
        more = frame.index.nlevels
        if more > 1 or frame.iloc[:, -1].isna().all():
            raise FormatError(
                f"rows have {len(header) + more} fields, the header has {len(header)}"
            )
        return frame.set_axis(header, axis=1).set_axis(frame.index.astype(str), axis=0)
    if header[0] in ("", UNNAMED):
        names = pd.Index(frame["c0"].astype(str), name=None)
        return frame.iloc[:, 1:].set_axis(_name_all(header)[1:], axis=1).set_axis(names, axis=0)
    return frame.set_axis(_name_all(header), axis=1)


def _name_all(header: Sequence[str]) -> list[str]:
    return [name or f"column-{place}" for place, name in enumerate(header, start=1)]


def choose_separator(lines: Sequence[str], suffix: str = "") -> str:
    """Return the separator that cuts the first lines into the same number of fields.

    Parameters
    ----------
    lines
        Of the table, its header first.
    suffix
        ``.csv`` and ``.tsv`` decide where the lines do not.
    """
    preferred = {".csv": ",", ".tsv": "\t"}.get(suffix, "")
    counts = {mark: [_count_fields(line, mark) for line in lines] for mark in _SEPARATORS}
    for mark, found in counts.items():
        # Row names may have no head: then the first line has one field less.
        if min(found) > 1 and len(set(found[1:] or found)) == 1 and abs(found[0] - found[-1]) <= 1:
            if mark == " " and preferred:
                continue
            return mark
    if preferred:
        return preferred
    return max(_SEPARATORS, key=lambda mark: counts[mark][0])


def count_comments(lines: Sequence[str]) -> int:
    """Return how many leading lines are comments: those that begin with ``#``.

    A single such line with as many fields as the next, numeric one is a header.
    """
    found = 0
    while found < len(lines) and lines[found].startswith("#"):
        found += 1
    if found == 1 and len(lines) > 1:
        separator = choose_separator(lines)
        head, row = (_split(line, separator) for line in lines[:2])
        if len(head) == len(row) > 1 and any(_is_number(field) for field in row[1:]):
            return 0
    return found


def _first_lines(text: str) -> list[str]:
    lines = []
    start = 0
    for match in re.finditer(r"\r\n|\n|\r", text):
        lines.append(text[start : match.start()])
        start = match.end()
        if len(lines) == _SNIFFED_LINES:
            return lines
    return [*lines, text[start:]] if text[start:] else lines


def _read_header(text: str, separator: str, skipped: int) -> list[str]:
    lines = _first_lines(text)[skipped:]
    return _split(lines[0], separator) if lines else []


def _split(line: str, separator: str) -> list[str]:
    if '"' not in line:  # csv refuses fields of more than 128 KB, as a wrong separator makes
        return line.split() if separator == " " else line.split(separator)
    return next(csv.reader([line], delimiter=separator, skipinitialspace=separator == " "), [])


def _count_fields(line: str, separator: str) -> int:
    return len(_split(line, separator))


def _choose_decimal(lines: Sequence[str], separator: str) -> str:
    fields = [field for line in lines[1:] for field in _split(line, separator)]
    commas = sum(_DECIMAL_COMMA.fullmatch(field.strip()) is not None for field in fields)
    points = sum("." in field and _is_number(field) for field in fields)
    return "," if commas > points else "."


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
