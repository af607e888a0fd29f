"""GCT 1.2 and 1.3 (Broad Institute), and the CLS files with their classes."""

import re

import numpy as np
import pandas as pd

from benchmark.datasets.formats.delimited import decode, parse_text
from benchmark.datasets.formats.raw_table import Content, FormatError, RawTable, ReadOptions


def read_gct(content: Content, options: ReadOptions) -> RawTable:
    """Read genes in rows; of version 1.3 also what it says of samples and genes."""
    text, _ = decode(content.data)
    version, sizes, *_ = [*re.split(r"\r\n|\n|\r", text, maxsplit=2), "", ""]
    found = re.fullmatch(r"#1\.([23])", version.strip())
    numbers = [int(number) for number in sizes.split() if number.isdecimal()]
    if found is None or len(numbers) < 2:
        raise FormatError("the first two lines of a GCT file are #1.2 or #1.3 and its sizes")
    is_13 = found[1] == "3"
    if is_13 and len(numbers) < 4:
        raise FormatError("the second line of a GCT 1.3 file holds four numbers")
    n_row_facts, n_column_facts = (numbers[2], numbers[3]) if is_13 else (1, 0)
    table = parse_text(text, "\t", skipped=2)
    table = table.set_index(table.columns[0])
    samples = table.columns[n_row_facts:]
    facts = table.iloc[:n_column_facts, n_row_facts:].T if n_column_facts else None
    values = table.iloc[n_column_facts:, n_row_facts:]
    if values.shape != (numbers[0], numbers[1]):
        raise FormatError(
            f"it announces {numbers[0]} x {numbers[1]} values and holds "
            f"{values.shape[0]} x {values.shape[1]}"
        )
    try:
        values = values.apply(pd.to_numeric).astype(np.float64)
    except (ValueError, TypeError) as error:
        raise FormatError(f"a value is not a number ({error})") from None
    values.index = pd.Index(values.index.astype(str), name=None)
    if facts is not None:
        facts = facts.astype(object)
        facts.columns = [str(name) for name in facts.columns]
        facts.index = samples
    return RawTable(values, True, facts, details={"version": f"1.{found[1]}"})


def read_cls(content: Content) -> list[str]:
    """Return the class of each sample, in the order of the expression file."""
    text, _ = decode(content.data)
    lines = [line.strip() for line in re.split(r"\r\n|\n|\r", text) if line.strip()]
    head = lines[0].split() if lines else []
    if len(lines) != 3 or len(head) != 3 or not lines[1].startswith("#"):
        raise FormatError("a CLS file has three lines: sizes, # class names, and a class each")
    names = lines[1].lstrip("#").split()
    labels = lines[2].split()
    if len(labels) != int(head[0]):
        raise FormatError(f"it announces {head[0]} samples and holds {len(labels)}")
    # Numbers stand for the names in the order in which they first occur.
    if set(labels) <= set(names):
        return labels
    order = list(dict.fromkeys(labels))
    if len(order) != len(names):
        raise FormatError(f"{len(names)} class names for {len(order)} classes")
    return [names[order.index(label)] for label in labels]
