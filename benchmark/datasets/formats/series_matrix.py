"""GEO series matrix: what is said of the samples in ``!Sample_`` lines, then the table."""

import csv
import re
from collections.abc import Sequence

import pandas as pd

from benchmark.datasets.formats.delimited import decode, parse_text
from benchmark.datasets.formats.raw_table import Content, FormatError, RawTable, ReadOptions

_BEGIN, _END = "!series_matrix_table_begin", "!series_matrix_table_end"

_ACCESSION = "!Sample_geo_accession"


def read_series_matrix(content: Content, options: ReadOptions) -> RawTable:
    """Read genes (or probes) in rows; characteristics become columns of the sample table."""
    text, _ = decode(content.data)
    lines = re.split(r"\r\n|\n|\r", text)
    try:
        begin, end = lines.index(_BEGIN), lines.index(_END)
    except ValueError:
        raise FormatError(f"no table between {_BEGIN} and {_END}: is the file whole?") from None
    rows = [
        next(csv.reader([line], delimiter="\t"))
        for line in lines[:begin]
        if line.startswith("!Sample_")
    ]
    values = parse_text("\n".join(lines[begin + 1 : end]), "\t")
    values = values.set_index(values.columns[0])
    values.index = pd.Index(values.index.astype(str), name=None)
    facts = _read_facts(rows)
    if facts is not None and list(facts.index) != list(values.columns):
        raise FormatError(f"{_ACCESSION} names other samples than the table")
    return RawTable(values, True, facts)


def _read_facts(rows: Sequence[Sequence[str]]) -> pd.DataFrame | None:
    ids = next((row[1:] for row in rows if row[0] == _ACCESSION), None)
    if ids is None:
        return None
    columns: dict[str, list[str | None]] = {}
    for name, *fields in rows:
        if name == _ACCESSION or len(fields) != len(ids):
            continue
        if name.startswith("!Sample_characteristics"):
            keys = {field.partition(": ")[0] for field in fields if field}
            # Submitters may leave a field out, which moves later ones to another line's key.
            for key in sorted(keys):
                found = [
                    field.partition(": ")[2] if field.partition(": ")[0] == key else None
                    for field in fields
                ]
                if key in columns:
                    found = [old if new is None else new for old, new in
                             zip(columns[key], found, strict=True)]  # fmt: skip
                columns[key] = found
        elif len(set(fields)) > 1:
            columns.setdefault(name.removeprefix("!Sample_"), list(fields))
    return pd.DataFrame(columns, index=pd.Index(ids, name=None), dtype=object)
