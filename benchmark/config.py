"""A YAML file whose keys are the flags of ``wpfs-bench run``."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.errors import UserError


@dataclass(frozen=True)
class Flag:
    """A flag of the command line.

    Parameters
    ----------
    parameter
        Name of the function's argument behind it.
    repeatable
        Whether it may be given several times.
    switch
        Whether it takes no value.
    """

    parameter: str
    repeatable: bool = False
    switch: bool = False


def read_config(path: Path, flags: Mapping[str, Flag]) -> dict[str, Any]:
    """Read a configuration file.

    Parameters
    ----------
    path
        A YAML mapping: flag without the dashes -> value. A repeatable flag takes a list or one
        value, any other a value (a list of numbers or words is joined by commas), a switch true
        or false.
    flags
        The flags that are allowed, without dashes.

    Returns
    -------
    dict
        Argument -> default value.
    """
    import yaml

    try:
        content = yaml.safe_load(path.read_text())
    except OSError as error:
        raise UserError(f"--config {path}: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise UserError(f"--config {path} is no YAML: {' '.join(str(error).split())}") from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise UserError(f"--config {path}: write flags and values as 'flag: value'")
    return {
        flags[name].parameter: _convert(path, name, flags[name], value)
        for name, value in content.items()
        if _check_name(path, name, flags)
    }


def _check_name(path: Path, name: Any, flags: Mapping[str, Flag]) -> bool:
    if name in flags:
        return True
    near = difflib.get_close_matches(str(name), flags, n=1, cutoff=0.0)[0]
    raise UserError(f"--config {path}: there is no flag --{name}; did you mean {near!r}?")


def _convert(path: Path, name: str, flag: Flag, value: Any) -> Any:
    if flag.switch:
        if not isinstance(value, bool):
            raise UserError(f"--config {path}: {name} must be true or false, not {value!r}")
        return value
    values = value if isinstance(value, list) else [value]
    if any(isinstance(element, dict | list) or element is None for element in values):
        raise UserError(f"--config {path}: {name} must be a value or a list of values")
    texts = [str(element) for element in values]
    return texts if flag.repeatable else ",".join(texts)
