"""The Typer application and the one place where errors become exit codes."""

import atexit
import gc
import importlib
import os
import pkgutil
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from typing import Annotated, Any, TextIO, cast

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


def attach_commands(arguments: Sequence[str] = ()) -> None:
    """Import the sibling modules of the command that is given, or all of them.

    Each attaches its commands to ``app``. ``--help`` and mistaken names need all.
    """
    package = importlib.import_module("benchmark.cli")
    names = sorted(info.name for info in pkgutil.iter_modules(package.__path__))
    command = next(iter(arguments), "")
    wanted = [name for name in names if name == command or name.startswith(f"{command}_")]
    for module in wanted if command in names else names:
        if module != "app":
            importlib.import_module(f"benchmark.cli.{module}")


#: Of ``sysexits.h``: an error inside the software. 1 means that runs failed.
_UNEXPECTED = 70

#: Messages of libraries may quote a whole table.
_MESSAGE_LENGTH = 300


def main() -> None:
    """Run the command line.

    Exit code 0 when all is well, 1 when runs failed, 2 for a user's mistake, 70 for an unexpected
    error.
    """
    debug = "--debug" in sys.argv[1:]
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    try:
        if sys.stdout is None:
            raise UserError("standard output is closed: give it a file, for example /dev/null")
        attach_commands(arguments)
        output = cast(TextIO, _Output(sys.stdout))
        with redirect_stdout(output):
            try:
                app(args=arguments, prog_name="wpfs-bench")
            finally:
                output.flush()
    except UserError as error:
        if debug:
            traceback.print_exc()
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        _discard_output()  # the reader (head, less) has gone
        sys.exit(0)
    except Exception as error:
        if debug:
            traceback.print_exc()
        print(
            f"error: {_describe(error)} (unexpected; --debug shows where)",
            file=sys.stderr,
        )
        sys.exit(_UNEXPECTED)


def run_process() -> None:
    """Run the command line and end the process with its exit code, at once.

    To take down one by one what the libraries and a large frame hold is a fifth of a report's
    time, and of no use to anybody.
    """
    gc.set_threshold(50_000)  # libraries and frames stay: looking for garbage at 700 finds none
    code: int | str | None = 0
    try:
        main()
    except SystemExit as stop:
        code = stop.code
    if isinstance(code, str):
        print(code, file=sys.stderr)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, AttributeError):  # closed, or not there at all
            stream.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


def _describe(error: Exception) -> str:
    text = " ".join(f"{type(error).__name__}: {error}".split())
    if len(text) > _MESSAGE_LENGTH:
        text = text[:_MESSAGE_LENGTH] + "..."
    file = _find_file(error)
    return text if file is None or file in text else f"{text}, in {file}"


def _find_file(error: BaseException | None) -> str | None:
    """Return the file that an error or one of its causes carries."""
    while error is not None:
        if name := getattr(error, "filename", None):
            return str(name)
        error = error.__cause__ or error.__context__
    return None


class _Output:
    """The standard output; that it cannot be written to is a user's mistake.

    Parameters
    ----------
    stream
        Gets what is written.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write text."""
        return self._try(lambda: self._stream.write(text))

    def flush(self) -> None:
        """Write what is held back."""
        self._try(self._stream.flush)

    def _try(self, action: Callable[[], Any]) -> Any:
        try:
            return action()
        except BrokenPipeError:
            raise
        except OSError as error:
            _discard_output()
            raise UserError(
                f"cannot write to the standard output: {error.strerror or error}"
            ) from error


def _discard_output() -> None:
    """Keep Python from complaining again when it flushes the standard output at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
