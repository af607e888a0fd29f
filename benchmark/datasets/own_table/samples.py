"""Samples in rows with what is known of each: orientation, ids, and the join with the labels."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from benchmark.datasets.formats.gct import read_cls
from benchmark.datasets.formats.raw_table import FormatError, RawTable, ReadOptions, name_rows
from benchmark.datasets.formats.read import read_file, unpack
from benchmark.datasets.own_table.options import TableOptions
from benchmark.errors import UserError
from benchmark.text import count_noun, list_some, suggest_name

#: Named in messages; more are counted.
_NAMED = 3

#: Column that a CLS file's classes are put into.
CLS_TARGET = "class"

#: A table wider than this many rows per column does not look like one with samples in rows.
_TALL = 2


@dataclass(frozen=True)
class SampleTable:
    """Values with one row per sample, and facts on the samples.

    Parameters
    ----------
    frame
        Samples x columns; the label may still be among the columns.
    facts
        What other tables, or the file itself, say of the samples; indexed like ``values``.
    target
        The column of ``facts`` that the file's format defines as the label.
    details
        How it was read and joined, for people.
    """

    frame: pd.DataFrame
    facts: pd.DataFrame
    target: str | None = None
    details: Mapping[str, str] = field(default_factory=dict)


def read_samples(options: TableOptions) -> SampleTable:
    """Read the values and, if there is a second file, join it by sample id."""
    as_text = {name for name in (options.target, options.groups, options.id_column) if name}
    given = ReadOptions(frozenset(as_text), x=options.x, y=options.y, layer=options.layer)
    with _naming(options.path):
        raw = read_file(options.path, options.format, given)
    if raw.frame.empty:
        missing = "columns" if len(raw.frame) else "rows"
        raise UserError(f"{options.path}: the table has no {missing}")
    if options.labels is None:
        table = _turn(raw, options, None)
    elif options.labels.suffix.lower() == ".cls":
        table = _add_classes(_turn(raw, options, None), options, _read_cls(options.labels))
    else:
        labels = _read_labels(options.labels)
        column = _choose_id_column(labels, raw, options)
        ids = labels.index if column is None else labels[column]
        table = _turn(raw, options, [str(name) for name in ids])
        table = _join(table, labels, column, options)
    _check_ids(options.path, table.frame.index)
    return table


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Prefix errors with the name of the file."""
    try:
        yield
    except FormatError as error:
        raise UserError(f"{path}: {error}") from None


def _turn(raw: RawTable, options: TableOptions, ids: Sequence[str] | None) -> SampleTable:
    """Turn samples into rows; ``ids`` are those of the labels, which tell rows from columns."""
    frame = raw.frame
    in_rows = options.genes_in_rows or raw.genes_in_rows
    if in_rows is None and ids is not None:
        down = max(_count_common(names, ids, options.match_ids) for names in _row_names(frame))
        in_rows = _count_common(frame.columns, ids, options.match_ids) > down
    details = dict(raw.details)
    if not in_rows:
        frame, facts = _take_ids(raw, options, ids), raw.samples
        if facts is not None:
            facts = facts.set_axis(frame.index, axis=0)
        details["orientation"] = "samples in rows"
    else:
        frame = _name_genes(frame, options)
        facts = raw.samples
        frame = pd.DataFrame(
            _numbers(frame, options.path).T,
            index=pd.Index(frame.columns.map(str)),
            columns=frame.index.map(str),
        )
        details["orientation"] = "genes in rows"
    if facts is None:
        facts = pd.DataFrame(index=frame.index)
    return SampleTable(frame, facts, raw.target, details)


def _row_names(frame: pd.DataFrame) -> list[Sequence[str]]:
    names = [frame.index] + [frame[c] for c in frame.columns[:3] if frame[c].dtype.kind not in "fc"]
    return [[str(name) for name in each] for each in names]


def _name_genes(frame: pd.DataFrame, options: TableOptions) -> pd.DataFrame:
    """Make the gene names the index of a table with genes in rows; leave dropped columns out."""
    if isinstance(frame.index, pd.RangeIndex):
        texts = [c for c in frame.columns if not pd.api.types.is_numeric_dtype(frame[c])]
        if not texts:
            raise UserError(
                f"{options.path}: genes are in rows, but no column names them: put their names "
                "into the first column"
            )
        names = frame[texts[0]].astype(str)
        frame = frame.drop(columns=texts[0]).set_axis(pd.Index(names, name=None), axis=0)
    return frame.drop(columns=[name for name in options.drop if name in frame.columns])


def _numbers(frame: pd.DataFrame, path: Path) -> np.ndarray:
    texts = [c for c in frame.columns if not pd.api.types.is_numeric_dtype(frame[c])]
    if texts:
        raise UserError(
            f"{path}: {count_noun(len(texts), 'sample column')} without numbers: "
            f"{list_some(texts, _NAMED)}{describe_text(frame[texts[0]])}; leave columns that are "
            "no samples out with --drop COLUMN"
        )
    return frame.to_numpy(dtype=np.float64, na_value=np.nan)


def describe_text(column: pd.Series) -> str:
    """Return an example of what in a column is no number: `` (for example 'ND')``."""
    values = column.dropna()
    bad = values[pd.to_numeric(values, errors="coerce").isna()]
    return f" (for example {str(bad.iloc[0])[:20]!r})" if len(bad) else ""


def _take_ids(raw: RawTable, options: TableOptions, ids: Sequence[str] | None) -> pd.DataFrame:
    """Make the sample ids the index of a table with samples in rows.

    They are the column asked for, else row names, else the column that fits the labels' ids.
    """
    frame = raw.frame
    column = options.id_column if options.id_column in frame.columns else None
    if column is None and options.labels is None and options.id_column is not None:
        raise UserError(
            f"{options.path}: --id column {options.id_column!r} is not there "
            f"({describe_columns(options.id_column, frame.columns)})"
        )
    if column is None and isinstance(frame.index, pd.RangeIndex) and ids is not None:
        fits = {
            name: _count_common(frame[name], ids, options.match_ids)
            for name in frame.columns
            if frame[name].dtype.kind not in "fc"
        }
        column = max(fits, key=lambda name: fits[name], default=None)
        column = column if column is not None and fits[column] else None
    if column is not None:
        names = frame[column].map(_spell_id)
        return frame.drop(columns=column).set_axis(pd.Index(names, name=None), axis=0)
    return frame.set_axis(name_rows(raw), axis=0)


def describe_columns(wrong: str, columns: Iterable[object]) -> str:
    """Return what to choose in place of a column that is not there."""
    names = [str(name) for name in columns]
    return suggest_name(wrong, names) or f"columns: {list_some(names, first=3, last=2)}"


def _spell_id(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _read_cls(path: Path) -> list[str]:
    with _naming(path):
        return read_cls(unpack(path))


def _add_classes(table: SampleTable, options: TableOptions, classes: list[str]) -> SampleTable:
    if len(classes) != len(table.frame):
        raise UserError(
            f"{options.labels}: {len(classes)} classes for {len(table.frame)} samples of "
            f"{options.path}"
        )
    facts = table.facts.assign(**{CLS_TARGET: classes})
    details = {**table.details, "labels": f"{options.labels}, in the order of the samples"}
    return replace(table, facts=facts, target=CLS_TARGET, details=details)


def _read_labels(path: Path) -> pd.DataFrame:
    with _naming(path):
        raw = read_file(path, options=ReadOptions(all_text=True))
    if raw.genes_in_rows is not None and raw.samples is not None:
        return raw.samples
    if raw.frame.empty:
        raise UserError(f"{path}: the table has no {'columns' if len(raw.frame) else 'rows'}")
    return raw.frame


def _choose_id_column(labels: pd.DataFrame, raw: RawTable, options: TableOptions) -> str | None:
    """Return the column of the labels that holds the ids of the values; None for its row names."""
    if options.id_column is not None:
        if options.id_column in labels.columns:
            return options.id_column
        if options.id_column not in raw.frame.columns:
            raise UserError(
                f"{options.labels}: --id column {options.id_column!r} is not there "
                f"({describe_columns(options.id_column, labels.columns)})"
            )
    names = {str(name) for name in raw.frame.columns}.union(*map(set, _row_names(raw.frame)))
    for match in (options.match_ids, "trimmed", "tcga-patient"):
        normal = _normalise(match)
        known_ids = {normal(name) for name in names}
        fits: dict[str | None, int] = {}
        if not isinstance(labels.index, pd.RangeIndex):
            fits[None] = sum(normal(str(name)) in known_ids for name in labels.index)
        for column in labels.columns:
            fits[column] = sum(normal(str(value)) in known_ids for value in labels[column])
        best = max(fits, key=lambda name: fits[name])
        if not fits[best]:
            continue
        if match == options.match_ids:
            return best
        raise UserError(
            f"{options.labels}: no id is one of {options.path}; {fits[best]} would match with "
            f"--match-ids {match}"
        )
    raise UserError(
        f"{options.labels}: no column holds ids of {options.path} (there: "
        f"{list_some([str(name) for name in raw.frame.columns[:2]], 2)}, ...; here: "
        f"{list_some([str(value) for value in labels.iloc[:, 0][:2]], 2)}, ...); name it with --id"
    )


def _count_common(names: Iterable[object], ids: Iterable[str], match: str) -> int:
    """Count the names that are among the ids."""
    normal = _normalise(match)
    known = {normal(name) for name in ids}
    return sum(normal(str(name)) in known for name in names)


def _normalise(match: str) -> Callable[[str], str]:
    if match == "trimmed":
        return lambda name: name.strip().strip("\"'").casefold()
    if match == "tcga-patient":
        return lambda name: _TCGA.sub(r"\1", name.strip().upper().replace(".", "-"))
    return lambda name: name


#: A TCGA barcode: project, site and patient, then sample, portion, plate.
_TCGA = re.compile(r"(TCGA-\w{2}-\w{4}).*")


def _join(
    table: SampleTable, labels: pd.DataFrame, column: str | None, options: TableOptions
) -> SampleTable:
    normal = _normalise(options.match_ids)
    ids = pd.Index([normal(str(v)) for v in (labels.index if column is None else labels[column])])
    wanted = pd.Index([normal(str(name)) for name in table.frame.index])
    for what, where, names in (
        ("id", options.labels, ids[ids.isin(wanted)]),
        ("sample", options.path, wanted[wanted.isin(ids)]),
    ):
        repeated = names[names.duplicated()].unique()
        if len(repeated):
            raise UserError(
                f"{where}: {count_noun(len(repeated), f'repeated {what}')} "
                f"({list_some(repeated.tolist(), _NAMED)}), one row per sample is needed"
            )
    matched = wanted.isin(ids)
    without = table.frame.index[~matched].tolist()
    unused = ids[~ids.isin(wanted)].tolist()
    if (without or unused) and not options.drop_unmatched:
        raise UserError(_describe_unmatched(without, unused, options))
    facts = labels.set_axis(ids, axis=0).loc[wanted[matched]]
    values = table.frame[matched]
    facts = facts.set_axis(values.index, axis=0)
    own = table.facts[matched]
    facts = pd.concat([facts, own[[c for c in own.columns if c not in facts.columns]]], axis=1)
    details = {
        **table.details,
        "labels": f"{options.labels}, joined on {'its row names' if column is None else column}",
        "matched": count_noun(len(values), "sample"),
    }
    if without or unused:
        details["unmatched"] = (
            f"{count_noun(len(without), 'sample')} without labels and "
            f"{count_noun(len(unused), 'label')} without values left out"
        )
    return SampleTable(values, facts, table.target, details)


def _describe_unmatched(without: list[str], unused: list[str], options: TableOptions) -> str:
    parts = []
    if without:
        parts.append(
            f"{count_noun(len(without), 'sample')} of {options.path} not in {options.labels} "
            f"({list_some(without, _NAMED)})"
        )
    if unused:
        parts.append(
            f"{count_noun(len(unused), 'id')} of {options.labels} not in {options.path} "
            f"({list_some(unused, _NAMED)})"
        )
    return f"{' and '.join(parts)}: --drop-unmatched leaves them out"


def _check_ids(path: Path, ids: pd.Index) -> None:
    """Refuse duplicate sample ids: copies in training and test would leak."""
    duplicated = ids[ids.duplicated()].unique()
    if len(duplicated):
        raise UserError(
            f"{path}: {count_noun(len(duplicated), 'repeated sample id')} "
            f"({list_some(duplicated.tolist(), _NAMED)}); make ids unique, and keep repeated "
            "samples together with --groups COLUMN"
        )


def looks_transposed(table: SampleTable) -> bool:
    """Return whether a table read with samples in rows has genes there."""
    n_rows, n_columns = table.frame.shape
    return n_rows > _TALL * n_columns and n_rows > 500
