"""Names, globs and groups on the command line, resolved to methods and data sets."""

import fnmatch
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmark.errors import UserError
from benchmark.text import suggest_name

ALL = "all"
PAPER = "paper"


def choose_methods(patterns: Sequence[str]) -> list[str]:
    """Resolve names, globs, ``all`` and ``paper`` (the paper's eleven) to methods.

    Methods that cannot run here are left out of globs and groups, and are an error by name.
    """
    from baselines._shared.registry import find_catalogue, is_path

    catalogue = find_catalogue()
    names = [name for name in catalogue.methods if name not in catalogue.unavailable]
    published = [name for name in names if catalogue.methods[name].paper_column is not None]
    known = [*names, *(name for name in catalogue.unavailable if name in catalogue.methods)]
    groups = {ALL: names, PAPER: published}
    chosen = _choose(patterns, names, groups, known, "method", "models", keep=is_path)
    return [_make_absolute(name) if is_path(name) else name for name in chosen]


def choose_datasets(patterns: Sequence[str], registries: Sequence[Any] = ()) -> list[str]:
    """Resolve names, globs, ``all`` and collections (``paper``, ``more``) to data sets."""
    from benchmark.datasets.registry import known_names, list_collections

    names = list(known_names(registries))
    groups = {ALL: names, **list_collections(registries)}
    return _choose(patterns, names, groups, names, "data set", "datasets", keep=_has_parameters)


def _choose(
    patterns: Sequence[str],
    names: Sequence[str],
    groups: Mapping[str, Sequence[str]],
    known: Sequence[str],
    what: str,
    command: str,
    keep: Callable[[str], bool],
) -> list[str]:
    chosen: dict[str, None] = {}
    for pattern in split_list(patterns):
        if pattern in groups:
            found = list(groups[pattern])
        elif keep(pattern) or pattern in known:
            found = [pattern]
        elif any(character in pattern for character in "*?["):
            found = fnmatch.filter(names, pattern)
        else:
            found = []
        if not found and what == "method":
            check_written_as_class(pattern)
        if not found:
            hint = suggest_name(pattern, [*known, *groups])
            raise UserError(
                f"no {what} {pattern!r}{hint and f' ({hint})'}: `wpfs-bench {command}` lists them"
            )
        chosen |= dict.fromkeys(found)
    return list(chosen)


def check_written_as_class(name: str) -> None:
    """Raise a ``UserError`` for what means a class and is no ``path/to/file.py:ClassName``."""
    if name.endswith(".py"):
        raise UserError(f"no method {name!r}: write {name}:ClassName for a class of it")
    if ".py:" not in name and (":" in name or "." in name):
        raise UserError(
            f"no method {name!r}: import the class in a file of yours and write "
            "path/to/file.py:ClassName"
        )


def split_list(texts: Iterable[str]) -> list[str]:
    """Split comma lists; a name with parameters of its own (``synthetic:a=1,b=2``) stays whole."""
    parts: list[str] = []
    for text in texts:
        for part in text.split(","):
            if parts and "=" in part and ":" in parts[-1] and ":" not in part:
                parts[-1] += f",{part.strip()}"
            elif part.strip():
                parts.append(part.strip())
    return parts


def _make_absolute(reference: str) -> str:
    """Make ``path/to/file.py:Class`` hold wherever a worker runs."""
    path, _, class_name = reference.rpartition(":")
    return f"{Path(path).expanduser().absolute()}:{class_name}"


def _has_parameters(name: str) -> bool:
    return ":" in name or "+" in name
