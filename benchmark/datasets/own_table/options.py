"""What a user can say about a table of their own; one field per flag of the command line."""

from dataclasses import dataclass
from pathlib import Path

from benchmark.errors import UserError

MATCHES = ("exact", "trimmed", "tcga-patient")

DUPLICATES = ("first", "mean", "max-variance")


@dataclass(frozen=True)
class TableOptions:
    """How to read a table.

    Parameters
    ----------
    path
        The file with the values.
    name
        What its results go by; by default made of the file's name.
    format, x, y, layer
        See ``benchmark.datasets.formats``.
    labels
        A second file with facts on the samples, the label among them.
    id_column
        Column with the sample ids, of the labels' file where there is one.
    match_ids
        How ids of the two files are compared, one of ``MATCHES``.
    genes_in_rows
        Whether samples are columns; otherwise it is found out.
    target, groups
        Columns with the class and with what keeps samples in one fold.
    drop, columns
        Columns to leave out, and a pattern of the feature names to keep.
    duplicates
        What becomes of features of one name, one of ``DUPLICATES``; None refuses them.
    classes
        Classes to keep, in this order; all, sorted, when empty.
    positive
        The class that is 1 in a task of two classes; of more, against all others.
    cut
        ``median`` or a number that cuts a continuous target into two classes.
    min_class
        Classes with fewer samples are dropped.
    drop_unlabelled, drop_unmatched
        Whether samples without a label, or in one file only, are left out.
    impute
        None or ``median``.
    accept
        Codes of findings that would stop a run, which the user has looked at.
    """

    path: Path
    name: str | None = None
    format: str | None = None
    x: str | None = None
    y: str | None = None
    layer: str | None = None
    labels: Path | None = None
    id_column: str | None = None
    match_ids: str = "exact"
    genes_in_rows: bool = False
    target: str | None = None
    groups: str | None = None
    drop: tuple[str, ...] = ()
    columns: str | None = None
    duplicates: str | None = None
    classes: tuple[str, ...] = ()
    positive: str | None = None
    cut: str | None = None
    min_class: int = 0
    drop_unlabelled: bool = False
    drop_unmatched: bool = False
    impute: str | None = None
    accept: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_choice("--match-ids", self.match_ids, MATCHES)
        if self.duplicates is not None:
            _check_choice("--duplicates", self.duplicates, DUPLICATES)
        seen: dict[str, str] = {}
        for option, column in (
            ("--target", self.target), ("--id", self.id_column), ("--groups", self.groups)
        ):  # fmt: skip
            if column is not None and column in seen:
                raise UserError(f"{option} and {seen[column]} name the same column {column!r}")
            if column is not None:
                seen[column] = option
        if self.labels is None:
            if self.drop_unmatched:
                raise UserError("--drop-unmatched: only with --labels FILE")
            if self.match_ids != "exact":
                raise UserError(f"--match-ids {self.match_ids}: only with --labels FILE")


def _check_choice(option: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise UserError(f"{option} {value}: use {', '.join(allowed[:-1])} or {allowed[-1]}")
