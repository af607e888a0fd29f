"""The options of a user's own table, shared by every command that takes one."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchmark.cli.data_options import DataDir, DataFile, Registry, Transform
from benchmark.cli.shared_options import Decorator, takes
from benchmark.errors import UserError

if TYPE_CHECKING:
    from benchmark.datasets.loading import DataSource
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
) -> Decorator:
    """Return a decorator that adds the options of a user's table to a command.

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
    stem = prefix.replace("-", "_")

    def keep_given(**values: Any) -> dict[str, Any]:
        return {k.removeprefix(stem): value for k, value in values.items() if _is_given(value)}

    options = {
        stem + name: (_OPTIONS[name].annotate(prefix, panel), _DEFAULTS.get(name)) for name in names
    }
    return takes(argument, options, keep_given)


@dataclass(frozen=True)
class DataChoice:
    """Which tables a command reads, by its options.

    Parameters
    ----------
    own
        How to read a table of the user's, None if there is none.
    shared
        Fields of ``DataSource`` that hold for every data set.
    """

    own: "TableOptions | None"
    shared: Mapping[str, Any]

    def choose_sources(self, patterns: Sequence[str], **changes: Any) -> "list[DataSource]":
        """Return where the data sets come from: those named, then the user's own table."""
        from benchmark.datasets.loading import DataSource
        from benchmark.plan.select import choose_datasets

        shared = {**self.shared, **changes}
        names = choose_datasets(patterns, shared["registries"]) if patterns else []
        own = [DataSource(own=self.own, **shared)] if self.own else []
        return [*(DataSource(name=name, **shared) for name in names), *own]

    def find_source(self, name: str) -> "DataSource":
        """Return where the table is that runs on a data set learnt from, its gaps let through."""
        from benchmark.datasets.loading import DataSource

        named = "" if self.own else name
        return DataSource(named, self.own, **{**self.shared, "impute": "median"})


def _choose_data(
    registry: list[Path] | None,
    data_dir: Path | None,
    transform: str | None,
    data: Path | None,
    own: Mapping[str, Any],
) -> DataChoice:
    shared = {
        "data_dir": data_dir,
        "registries": tuple(registry or ()),
        "transform": transform,
        "impute": own.get("impute"),
    }
    return DataChoice(make_table_options(data, own), shared)


def takes_data(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of data sets and of the user's table; ``tables`` is a ``DataChoice``."""
    options = {
        "registry": (Registry, None),
        "data_dir": (DataDir, None),
        "transform": (Transform, None),
        "data": (DataFile, None),
        "own": (None, None),  # what takes_table makes of the other flags
    }
    return takes_table()(takes("tables", options, _choose_data)(command))


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
    return TableOptions(path, **{**own, **lists})


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
