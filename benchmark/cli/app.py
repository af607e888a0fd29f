"""The Typer application and the one place where errors become exit codes."""

import importlib
import pkgutil
import sys
import traceback
from typing import Annotated

import typer

from benchmark.errors import UserError

app = typer.Typer(
    name="wpfs-bench",
    help="Benchmark WPFS and its rivals on tiny, very wide biomedical tables.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=True,
)


@app.callback()
def _root(
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show a traceback on errors (allowed after any command too)."),
    ] = False,
) -> None:
    """Benchmark WPFS and its rivals on tiny, very wide biomedical tables."""


def _attach_commands() -> None:
    """Import every sibling module; each attaches its commands to ``app``."""
    package = importlib.import_module("benchmark.cli")
    for module in sorted(info.name for info in pkgutil.iter_modules(package.__path__)):
        if module != "app":
            importlib.import_module(f"benchmark.cli.{module}")


def main() -> None:
    """Run the command line: exit 0 when all is well, 1 when runs failed, 2 for a user's mistake."""
    debug = "--debug" in sys.argv[1:]
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    _attach_commands()
    try:
        app(args=arguments, prog_name="wpfs-bench")
    except UserError as error:
        if debug:
            traceback.print_exc()
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        # The reader (head, less) has gone; Python would complain again when it flushes at exit.
        sys.stderr.close()
        sys.exit(0)
    except Exception as error:
        if debug:
            traceback.print_exc()
        print(
            f"error: {type(error).__name__}: {error} (unexpected; --debug shows where)",
            file=sys.stderr,
        )
        sys.exit(1)
