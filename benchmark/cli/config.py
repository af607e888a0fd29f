"""A YAML file whose keys are the flags of ``wpfs-bench run``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import typer
from yaml.nodes import Node, ScalarNode, SequenceNode

from benchmark.strict_yaml import StrictReader


@dataclass(frozen=True)
class Flag:
    """A flag of the command line.

    Parameters
    ----------
    parameter
        Name of the function's argument behind it.
    find_mistake
        Returns what is wrong with a value, None if nothing is.
    repeatable
        Whether it may be given several times.
    switch
        Whether it takes no value.
    """

    parameter: str
    find_mistake: Callable[[Any], str | None]
    repeatable: bool = False
    switch: bool = False


def use_config(context: typer.Context, path: Path | None) -> Path | None:
    """Take a YAML file's values as a command's defaults, so that flags win over the file."""
    if path is None:
        return None
    flags = {
        option.removeprefix("--"): Flag(
            parameter=str(parameter.name),
            find_mistake=partial(_find_mistake, context, parameter),
            repeatable=bool(getattr(parameter, "multiple", False)),
            switch=bool(getattr(parameter, "is_flag", False)),
        )
        for parameter in context.command.params
        for option in parameter.opts
        if option.startswith("--") and parameter.name not in ("config", "help")
    }
    context.default_map = read_config(path, flags)
    return path


def _find_mistake(context: typer.Context, parameter: Any, value: Any) -> str | None:
    try:
        parameter.process_value(context, value)
    except typer.BadParameter as error:
        return error.message
    return None


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

    Raises
    ------
    UserError
        Naming file and line.
    """
    reader = StrictReader(path)
    values = {}
    for name, (key, node) in reader.items(reader.root(), "the configuration").items():
        if name not in flags:
            reader.fail_unknown(key, "flag", name, "the configuration", flags)
        flag = flags[name]
        value = _read_value(reader, name, flag, node)
        mistake = flag.find_mistake(value)
        if mistake is not None:
            reader.fail(node, f"{name} {value!r}: {mistake}")
        values[flag.parameter] = value
    return values


def _read_value(reader: StrictReader, name: str, flag: Flag, node: Node) -> Any:
    if flag.switch:
        return reader.flag(node, name)
    nodes = node.value if isinstance(node, SequenceNode) else [node]
    if not all(isinstance(each, ScalarNode) and not each.tag.endswith(":null") for each in nodes):
        reader.fail(node, f"{name} must be a value or a list of values")
    texts = [reader.text(each, name) for each in nodes]
    return texts if flag.repeatable else ",".join(texts)
