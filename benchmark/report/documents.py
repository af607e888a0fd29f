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
    rf"^<!-- (?P<command>{_PROGRAM} [^\n]*?) -->\n(?P<body>.*?)^<!-- end -->$",
    re.DOTALL | re.MULTILINE,
)
_OPENING = re.compile(rf"^<!-- {_PROGRAM} ", re.MULTILINE)


def fill_document(text: str, run: Callable[[list[str]], str]) -> str:
    """Return a document with every block filled anew.

    Parameters
    ----------
    text
        Markdown.
    run
        Takes a command's arguments, without the program's name, and returns what it prints.

    Raises
    ------
    UserError
        If there is no block, or one has no end.
    """
    opened, found = len(_OPENING.findall(text)), len(_BLOCK.findall(text))
    if not opened:
        raise UserError(f"there is no block to fill: begin one with <!-- {_PROGRAM} report ... -->")
    if opened != found:
        raise UserError(f"{opened} blocks begin but {found} end: close each with <!-- end -->")

    def fill(block: re.Match[str]) -> str:
        command = block["command"]
        printed = run(shlex.split(command)[1:]).strip("\n")
        return f"<!-- {command} -->\n```sh\n{command}\n```\n\n{printed}\n<!-- end -->"

    return _BLOCK.sub(fill, text)
