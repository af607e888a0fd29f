"""Markdown documents that hold what commands print, and the commands.

A block begins with a comment that is a command and ends with ``<!-- end -->``:

    <!-- wpfs-bench report --results results/reference --table main --format markdown -->
    ...
    <!-- end -->

Filling it puts the command, for readers to see, and what it prints between the two comments. So
a number in a document cannot part from the command that makes it. A note that is longer than a
line stands below the first table that has it, and is left out below the others.
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
#: Longer paragraphs between tables are notes that need not be read twice.
_LINE = 80

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

    said: set[str] = set()

    def fill(block: re.Match[str]) -> str:
        command = block["command"]
        try:
            printed = _drop_said(run(shlex.split(command)[1:]).strip("\n"), said)
        except (UserError, ValueError) as error:
            raise UserError(f"`{command}`: {error}") from error
        return f"<!-- {command} -->\n```sh\n{command}\n```\n\n{printed}\n<!-- end -->"

    return _BLOCK.sub(fill, text)


def _drop_said(printed: str, said: set[str]) -> str:
    """Leave out the notes that stand in ``said``, and add the others to it."""
    paragraphs = []
    for paragraph in printed.split("\n\n"):
        is_note = len(paragraph) > _LINE and not paragraph.startswith(("|", "**"))
        if is_note and paragraph in said:
            continue
        said |= {paragraph} if is_note else set()
        paragraphs.append(paragraph)
    return "\n\n".join(paragraphs).strip("\n")
