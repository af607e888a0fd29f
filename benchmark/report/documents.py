"""Markdown documents that hold what commands print, and the commands.

A block begins with a comment that is a command and ends with ``<!-- end -->``:

    <!-- wpfs-bench report --results results/reference --table main --format markdown -->
    ...
    <!-- end -->

Filling it puts the command, for readers to see, and what it prints between the two comments. So
a number in a document cannot part from the command that makes it.
"""

import re
import shlex
from collections.abc import Callable

from benchmark.errors import UserError

_PROGRAM = "wpfs-bench"
_BLOCK = re.compile(
    rf"^<!-- (?P<command>{_PROGRAM} [^\n]*?) -->[ ]*\n"
    rf"(?:(?!<!-- {_PROGRAM} ).)*?^<!-- end -->[ ]*$",
    re.DOTALL | re.MULTILINE,
)
_OPENING = re.compile(rf"^<!-- {_PROGRAM} ", re.MULTILINE)


def fill_document(text: str, run: Callable[[list[str]], str]) -> str:
    """Return a document with every block filled.

    Parameters
    ----------
    text
        Markdown.
    run
        Takes a command's arguments, without the program's name, and returns what it prints.

    Raises
    ------
    UserError
        If there is no block, one has no end, or a command fails.
    """
    opened = {match.start() for match in _OPENING.finditer(text)}
    closed = {match.start() for match in _BLOCK.finditer(text)}
    if not opened:
        raise UserError(f"there is no block to fill: begin one with <!-- {_PROGRAM} report ... -->")
    if opened != closed:
        line = text.count("\n", 0, min(opened - closed)) + 1
        raise UserError(
            f"the block that begins in line {line} does not end: close it with a line <!-- end -->"
        )

    def fill(block: re.Match[str]) -> str:
        command = block["command"]
        try:
            printed = run(shlex.split(command)[1:]).strip("\n")
        except (UserError, ValueError) as error:
            raise UserError(f"`{command}`: {error}") from error
        return f"<!-- {command} -->\n```sh\n{command}\n```\n\n{printed}\n<!-- end -->"

    return _BLOCK.sub(fill, text)
