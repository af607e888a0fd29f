"""The options of a user's own table, shared by every command that takes one."""

import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchmark.errors import UserError

if TYPE_CHECKING:
    from benchmark.datasets.own_table.options import TableOptions

_PANEL = "Own data"


@dataclass(frozen=True)
class _Option:
    """An option behind a field of ``TableOptions``: its type, flag and help."""

    kind: Any
    flag: str
    text: str

    def annotate(self, prefix: str, panel: str) -> Any:
        """Return it as Typer takes it, for one of several tables where there is a prefix."""
        flag = f"--{prefix}{self.flag.removeprefix('--')}"
        return Annotated[self.kind, typer.Option(flag, help=self.text, rich_help_panel=panel)]


_TEXT = str | None

#: Field of ``TableOptions`` -> the option behind it.
_OPTIONS: Mapping[str, _Option] = {
    "labels": _Option(Path | None, "--labels", "Second file with facts on the samples (or .cls)."),
    "target": _Option(_TEXT, "--target", "Column with the classes."),
    "id_column": _Option(
        _TEXT, "--id", "Column with the sample ids; of the second file, if there is one."
    ),
    "groups": _Option(
        _TEXT, "--groups", "Column whose equal values keep samples in one fold (patient, site)."
    ),
    "name": _Option(_TEXT, "--name", "What to call your data set."),
    "impute": _Option(
        _TEXT, "--impute", "median: fill missing values of any data set, fitted on each split."
    ),
    "genes_in_rows": _Option(bool, "--genes-in-rows", "Samples are columns, not rows."),
    "format": _Option(_TEXT, "--format", "Format of the file, where content and name mislead."),
    "x": _Option(_TEXT, "--x", "Variable with the values (.mat, .npz, R)."),
    "y": _Option(_TEXT, "--y", "Variable with the labels (.mat, .npz, R)."),
    "layer": _Option(_TEXT, "--layer", "Layer of an h5ad file, instead of X."),
    "match_ids": _Option(_TEXT, "--match-ids", "Compare ids: exact, trimmed or tcga-patient."),
    "drop_unmatched": _Option(bool, "--drop-unmatched", "Leave out samples of one file only."),
    "drop": _Option(list[str] | None, "--drop", "Columns to leave out. Repeatable, comma lists."),
    "columns": _Option(_TEXT, "--columns", "Keep features whose name matches this pattern."),
    "duplicates": _Option(
        _TEXT, "--duplicates", "Features of one name: first, mean or max-variance."
    ),
    "classes": _Option(_TEXT, "--classes", "Classes to keep, in this order: a,b."),
    "positive": _Option(_TEXT, "--positive", "Class that is 1; of several, against all others."),
    "cut": _Option(_TEXT, "--cut", "Cut a number into two classes: median or a value."),
    "min_class": _Option(int, "--min-class", "Drop classes with fewer samples."),
    "drop_unlabelled": _Option(bool, "--drop-unlabelled", "Leave out samples without a label."),
    "accept": _Option(
        list[str] | None, "--accept", "Code of a finding that would stop the run. Repeatable."
    ),
}

_DEFAULTS: Mapping[str, Any] = {
    "genes_in_rows": False,
    "drop_unmatched": False,
    "drop_unlabelled": False,
    "min_class": 0,
}


#: Options that say how values are read; the others are about labels.
VALUE_OPTIONS = (
    *("id_column", "genes_in_rows", "format", "x", "layer", "drop", "columns", "duplicates"),
)


def takes_table(
    argument: str = "own",
    prefix: str = "",
    panel: str = _PANEL,
    names: Collection[str] = tuple(_OPTIONS),
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that adds the options of a user's table to a command.

    Options whose names the command has for itself (``--format``) are left out.

    Parameters
    ----------
    argument
        The command's argument that gets those given, field of ``TableOptions`` -> value.
    prefix
        In front of every flag, for commands that take two tables: ``train-``.
    panel
        Of the help.
    names
        Which fields.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command)
        stem = prefix.replace("-", "_")
        fields = [name for name in names if stem + name not in signature.parameters]
        added = [
            inspect.Parameter(
                stem + name,
                inspect.Parameter.KEYWORD_ONLY,
                default=_DEFAULTS.get(name),
                annotation=_OPTIONS[name].annotate(prefix, panel),
            )
            for name in fields
        ]

        @functools.wraps(command)
        def with_options(**values: Any) -> None:
            given = {name: values.pop(stem + name) for name in fields}
            values[argument] = {name: value for name, value in given.items() if _is_given(value)}
            command(**values)

        parameters = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for name, parameter in signature.parameters.items()
            if name != argument
        ]
        with_options.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[*parameters, *added]
        )
        return with_options

    return decorate


takes_own_table = takes_table()


def make_table_options(
    path: Path | None, own: Mapping[str, Any], prefix: str = "", file: str = "--data FILE"
) -> "TableOptions | None":
    """Return the options of a table from the values that were given; None without a file.

    ``prefix`` is that of ``takes_table``, ``file`` the option that names the file.
    """
    from benchmark.datasets.own_table.options import TableOptions

    if path is None:
        needless = [_flag(name, prefix) for name in own if name != "impute"]
        if needless:
            raise UserError(f"{', '.join(needless)}: only with {file}")
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


def _flag(name: str, prefix: str = "") -> str:
    return f"--{prefix}{_OPTIONS[name].flag.removeprefix('--')}"


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
