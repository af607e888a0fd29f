"""Options that several commands share, added to each by a decorator."""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

Decorator = Callable[[Callable[..., None]], Callable[..., None]]


def takes(
    argument: str, options: Mapping[str, tuple[Any, Any]], make: Callable[..., Any]
) -> Decorator:
    """Return a decorator that adds options to a command.

    Parameters
    ----------
    argument
        The command's argument that gets what ``make`` makes of their values.
    options
        Name -> annotation, as Typer takes it, and default. Those that the command has for itself
        (``--format``) are left out.
    make
        Takes the values by name.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command)
        added = {name: of for name, of in options.items() if name not in signature.parameters}

        @functools.wraps(command)
        def with_options(**values: Any) -> None:
            values[argument] = make(**{name: values.pop(name) for name in added})
            command(**values)

        kind = inspect.Parameter.KEYWORD_ONLY
        parameters = [
            *(p.replace(kind=kind) for p in signature.parameters.values() if p.name != argument),
            *(
                inspect.Parameter(name, kind, default=default, annotation=annotation)
                for name, (annotation, default) in added.items()
            ),
        ]
        with_options.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return with_options

    return decorate
