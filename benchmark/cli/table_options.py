"""The options of a user's own table, shared by every command that takes one."""

import functools
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchmark.errors import UserError

if TYPE_CHECKING:
    from benchmark.datasets.own_table.options import TableOptions

_PANEL = "Own data"


def _option(kind: Any, flag: str, text: str) -> Any:
    return Annotated[kind, typer.Option(flag, help=text, rich_help_panel=_PANEL)]


_TEXT = str | None

#: Field of ``TableOptions`` -> the option behind it.
_OPTIONS: Mapping[str, Any] = {
    "labels": _option(Path | None, "--labels", "Second file with facts on the samples (or .cls)."),
    "target": _option(_TEXT, "--target", "Column with the classes."),
    "id_column": _option(_TEXT, "--id", "Column with the sample ids; with --labels, its column."),
    "groups": _option(
        _TEXT, "--groups", "Column whose equal values keep samples in one fold (patient, site)."
    ),
    "name": _option(_TEXT, "--name", "What to call your data set."),
    "impute": _option(
        _TEXT, "--impute", "median: fill missing values of any data set, fitted on each split."
    ),
    "genes_in_rows": _option(bool, "--genes-in-rows", "Samples are columns, not rows."),
    "format": _option(_TEXT, "--format", "Format of the file, where content and name mislead."),
    "x": _option(_TEXT, "--x", "Variable with the values (.mat, .npz, R)."),
    "y": _option(_TEXT, "--y", "Variable with the labels (.mat, .npz, R)."),
    "layer": _option(_TEXT, "--layer", "Layer of an h5ad file, instead of X."),
    "match_ids": _option(_TEXT, "--match-ids", "Compare ids: exact, trimmed or tcga-patient."),
    "drop_unmatched": _option(bool, "--drop-unmatched", "Leave out samples of one file only."),
    "drop": _option(list[str] | None, "--drop", "Columns to leave out. Repeatable, comma lists."),
    "columns": _option(_TEXT, "--columns", "Keep features whose name matches this pattern."),
    "duplicates": _option(
        _TEXT, "--duplicates", "Features of one name: first, mean or max-variance."
    ),
    "classes": _option(_TEXT, "--classes", "Classes to keep, in this order: a,b."),
    "positive": _option(_TEXT, "--positive", "Class that is 1; of several, against all others."),
    "cut": _option(_TEXT, "--cut", "Cut a number into two classes: median or a value."),
    "min_class": _option(int, "--min-class", "Drop classes with fewer samples."),
    "drop_unlabelled": _option(bool, "--drop-unlabelled", "Leave out samples without a label."),
    "accept": _option(
        list[str] | None, "--accept", "Code of a finding that would stop the run. Repeatable."
    ),
}

_DEFAULTS: Mapping[str, Any] = {
    "genes_in_rows": False,
    "drop_unmatched": False,
    "drop_unlabelled": False,
    "min_class": 0,
}


def takes_own_table(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a user's table to a command, which gets those given as ``own``.

    Options whose names the command has for itself (``--format``) are left out.
    """
    signature = inspect.signature(command)
    names = [name for name in _OPTIONS if name not in signature.parameters]
    added = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_DEFAULTS.get(name),
            annotation=_OPTIONS[name],
        )
        for name in names
    ]

    @functools.wraps(command)
    def with_options(**values: Any) -> None:
        own = {name: values.pop(name) for name in names}
        command(**values, own={name: value for name, value in own.items() if _is_given(value)})

    parameters = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in signature.parameters.items()
        if name != "own"
    ]
    with_options.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*parameters, *added]
    )
    return with_options


def make_table_options(path: Path | None, own: Mapping[str, Any]) -> "TableOptions | None":
    """Return the options of a table from the values that were given; None without a file."""
    from benchmark.datasets.own_table.options import TableOptions

    if path is None:
        if needless := [_flag(name) for name in own if name != "impute"]:
            raise UserError(f"{', '.join(needless)}: only with --data FILE")
        return None
    lists = {
        name: tuple(part.strip() for text in own[name] for part in text.split(",") if part.strip())
        for name in ("drop", "accept")
        if name in own
    }
    if "classes" in own:
        lists["classes"] = tuple(part.strip() for part in own["classes"].split(","))
    given = {**own, **lists}
    if path.is_absolute() and "labels" in given:
        given["labels"] = given["labels"].absolute()
    return TableOptions(path, **given)


def _flag(name: str) -> str:
    return {"id_column": "--id"}.get(name, f"--{name.replace('_', '-')}")


def list_words(options: "TableOptions") -> list[str]:
    """Return the words of the command line that stand for these options, the file aside."""
    words: list[str] = []
    for name in _OPTIONS:
        value = getattr(options, name)
        if name == "match_ids" and value == "exact":
            continue
        if value is True:
            words.append(_flag(name))
        elif _is_given(value):
            words += [_flag(name), ",".join(value) if isinstance(value, tuple) else str(value)]
    return words


def _is_given(value: Any) -> bool:
    return value is not None and (value is not False) and value not in ((), [], 0)
