"""What in a table may spoil a benchmark: each finding has a stable code and one line of help."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmark.text import count_noun, list_some

Level = Literal["stop", "warning", "note"]

_NAMED = 3

_ID_NAME = re.compile(
    r"((sample|patient|subject|case|row|record)[ _.-]*)?(id|no|nr|number|index|barcode)|unnamed.*",
    re.IGNORECASE,
)

_BATCH_NAME = re.compile(
    r"site|cent(er|re)|batch|plate|scanner|hospital|lab|platform|run|lane|chip|slide|date",
    re.IGNORECASE,
)

#: Ends of ids by which samples of one patient differ: P01_1, P01-T, P01.rep2.
_REPLICATE = re.compile(r"^(.+?)[-_. ](\d{1,2}|[A-Za-z]|rep\d+|pre|post|tumou?r|normal)$")

_TCGA = re.compile(r"^(TCGA-\w{2}-\w{4})-.+$")

#: From here on whole numbers share a float32 with their neighbours.
_EXACT_FLOAT32 = 2**24

#: Shares of samples whose class their site tells; above it the site may be all that is learnt.
_TELLING = 0.9


@dataclass(frozen=True)
class Finding:
    """Something to know before a run.

    Parameters
    ----------
    code
        Stable, as ``--accept`` takes it.
    level
        ``stop`` (a run refuses unless it is accepted), ``warning`` or ``note``.
    text
        What was found, and where.
    help
        What to do.
    """

    code: str
    level: Level
    text: str
    help: str


def find_problems(
    matrix: NDArray[np.float64],
    names: Sequence[str],
    ids: Sequence[str],
    y: NDArray[np.int64],
    class_names: Sequence[str],
    raw_labels: Sequence[str],
    facts: pd.DataFrame,
    grouped: bool,
) -> list[Finding]:
    """Look for everything known to spoil a benchmark.

    Parameters
    ----------
    matrix
        (n, D), as read.
    names, ids
        Of features (D,) and samples (n,).
    y, class_names
        Class codes (n,) and names (C,).
    raw_labels
        Labels as they are spelt in the file.
    facts
        What else is known of the samples, the target left out.
    grouped
        Whether ``--groups`` keeps samples together.
    """
    return [
        *_find_id_columns(matrix, names),
        *_find_label_copies(matrix, names, y, len(class_names)),
        *_find_duplicates(matrix, ids),
        *_find_repeated_patients(ids, grouped),
        *_find_telling_facts(facts, y, class_names),
        *_find_spellings(raw_labels),
        *_find_collisions(matrix, names),
    ]


def _find_id_columns(matrix: NDArray[np.float64], names: Sequence[str]) -> Iterator[Finding]:
    with np.errstate(invalid="ignore"):
        steps = np.diff(matrix, axis=0)
        rising = (steps > 0).all(axis=0) | (steps < 0).all(axis=0)
        whole = (matrix == np.round(matrix)).all(axis=0)
    like = rising & whole & (len(matrix) > 5)
    called = np.array([_ID_NAME.fullmatch(str(name)) is not None for name in names])
    found = _names_where(like | called, names)
    if found:
        yield Finding(
            "id-column",
            "stop",
            f"a sample id or row number among the features ({list_some(found, _NAMED)})",
            "in a sorted table it gives the class away: name it with --id, or leave it out with "
            "--drop",
        )


def _find_label_copies(
    matrix: NDArray[np.float64], names: Sequence[str], y: NDArray[np.int64], n_classes: int
) -> Iterator[Finding]:
    low = np.full((n_classes, matrix.shape[1]), np.nan)
    high = low.copy()
    for code in range(n_classes):
        part = matrix[y == code]
        low[code], high[code] = np.fmin.reduce(part, axis=0), np.fmax.reduce(part, axis=0)
    constant = (low == high).all(axis=0)
    ordered = np.sort(low, axis=0)
    copies = constant & (np.diff(ordered, axis=0) > 0).all(axis=0)
    if copies.any():
        found = _names_where(copies, names)
        yield Finding(
            "label-copy",
            "stop",
            f"a copy of the label among the features ({list_some(found, _NAMED)})",
            "it is the label under another name: leave it out with --drop",
        )
    apart = np.zeros(matrix.shape[1], dtype=bool)
    for code in range(n_classes):
        others = [c for c in range(n_classes) if c != code]
        apart |= low[code] > np.fmax.reduce(high[others], axis=0)
        apart |= high[code] < np.fmin.reduce(low[others], axis=0)
    apart &= ~copies
    if apart.any():
        found = _names_where(apart, names)
        yield Finding(
            "separating-feature",
            "note",
            f"{count_noun(len(found), 'feature')}, each alone enough to tell a class from the "
            f"rest: {list_some(found, _NAMED)}",
            "real genes do in easy tasks; a clinical column that does may be the label in disguise",
        )


def _find_duplicates(matrix: NDArray[np.float64], ids: Sequence[str]) -> Iterator[Finding]:
    seen: dict[bytes, list[str]] = {}
    for name, row in zip(ids, np.ascontiguousarray(matrix), strict=True):
        seen.setdefault(row.tobytes(), []).append(str(name))
    pairs = [" = ".join(same) for same in seen.values() if len(same) > 1]
    if pairs:
        yield Finding(
            "duplicate-samples",
            "warning",
            f"{count_noun(len(pairs), 'set')} of samples with the same values under other ids: "
            f"{list_some(pairs, _NAMED)}",
            "a copy in training and test flatters every method: keep one of each",
        )


def _find_repeated_patients(ids: Sequence[str], grouped: bool) -> Iterator[Finding]:
    if grouped:
        return
    for pattern in (_TCGA, _REPLICATE):
        matches = [pattern.match(str(name)) for name in ids]
        stems = Counter(match[1] for match in matches if match)
        repeated = {stem: count for stem, count in stems.items() if count > 1}
        # A common prefix is no patient: a patient gives a few samples, not most of them.
        if len(stems) >= len(ids) / 4 and repeated:
            yield Finding(
                "repeated-patients",
                "warning",
                f"{count_noun(len(repeated), 'patient')} seem to have several samples: "
                f"{list_some(repeated, _NAMED)}",
                "keep samples of one patient in one fold with --groups COLUMN",
            )
            return


def _find_telling_facts(
    facts: pd.DataFrame, y: NDArray[np.int64], class_names: Sequence[str]
) -> Iterator[Finding]:
    for name in facts.columns:
        values = facts[name].astype(str).where(facts[name].notna())
        levels = values.nunique()
        if not (_BATCH_NAME.search(str(name)) and 2 <= levels <= max(20, len(y) // 5)):
            continue
        counts = pd.crosstab(values.to_numpy(), y)
        told = counts.max(axis=1).sum() / len(y)
        guess = np.bincount(y).max() / len(y)
        if told >= _TELLING and told > guess + 0.05:
            yield Finding(
                "telling-batch",
                "warning",
                f"{name!r} alone tells the class of {100 * told:.0f}% of the samples",
                "a model may learn the batch instead of the disease: balance it, or use --groups",
            )


def _find_spellings(labels: Sequence[str]) -> Iterator[Finding]:
    by_key: dict[str, set[str]] = {}
    for label in labels:
        by_key.setdefault(re.sub(r"^0+(?=\d)", "", str(label).strip().casefold()), set()).add(
            str(label).strip()
        )
    pairs = [" / ".join(sorted(same)) for same in by_key.values() if len(same) > 1]
    if pairs:
        yield Finding(
            "label-spelling",
            "warning",
            f"labels that differ only in case or leading zeros: {list_some(pairs, _NAMED)}",
            "spell them alike if they mean one class",
        )


def _find_collisions(matrix: NDArray[np.float64], names: Sequence[str]) -> Iterator[Finding]:
    large = np.flatnonzero((np.abs(matrix) >= _EXACT_FLOAT32).any(axis=0))
    found = []
    for j in large:
        column = matrix[:, j][~np.isnan(matrix[:, j])]
        if (column == np.round(column)).all() and len(np.unique(column)) > len(
            np.unique(column.astype(np.float32))
        ):
            found.append(str(names[int(j)]))
    if found:
        yield Finding(
            "float32-integers",
            "warning",
            f"{count_noun(len(found), 'feature')} with whole numbers that float32 cannot tell "
            f"apart: {list_some(found, _NAMED)}",
            "they are hardly measurements: leave them out with --drop, or subtract an offset",
        )


def _names_where(chosen: NDArray[np.bool_], names: Sequence[str]) -> list[str]:
    return [str(name) for name, is_chosen in zip(names, chosen, strict=True) if is_chosen]
