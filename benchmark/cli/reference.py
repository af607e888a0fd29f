"""The page of all commands, written from the commands: ``python -m benchmark.cli.reference``."""

import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import typer

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"

_HEAD = """# Commands

`wpfs-bench COMMAND --help` prints the same. `--debug` after any command shows the traceback of \
an error; `wpfs-bench --install-completion` lets the shell complete commands, options and the \
names of data sets, methods, studies and tables.

Exit codes: 0 all is well, 1 runs failed (or what was checked does not hold), 2 a mistake in the \
command, 70 an unexpected error, 130 stopped by Ctrl-C.
"""


def write_reference() -> str:
    """Return the page in Markdown."""
    from benchmark.cli.app import app, attach_commands

    attach_commands()
    root = typer.main.get_command(app)
    return "\n".join([_HEAD, *_describe_group(root, "wpfs-bench")])


def _describe_group(group: Any, called: str) -> Iterator[str]:
    for name, command in sorted(group.commands.items()):
        full = f"{called} {name}"
        yield from _describe(command, full)
        if hasattr(command, "commands"):
            yield from _describe_group(command, full)


def _describe(command: Any, full: str) -> Iterator[str]:
    shown = [each for each in command.params if not each.hidden and each.name != "help"]
    arguments = [each for each in shown if each.param_type_name == "argument"]
    options = [each for each in shown if each.param_type_name == "option"]
    words = [full, *(_spell_argument(each) for each in arguments)]
    if options:
        words.append("[OPTIONS]")
    if hasattr(command, "commands"):
        words.append("[COMMAND]")
    yield f"{'#' * full.count(' ')}# {full}\n\n```sh\n{' '.join(words)}\n```\n"
    # A single line end is the source's, not the writer's.
    yield re.sub(r"(?<!\n)\n(?!\n)", " ", command.help.strip()) + "\n"
    rows = [(f"`{_spell_argument(each)}`", each.help) for each in arguments]
    yield from _tabulate("Arguments", rows)
    panels: dict[str, list[tuple[str, str]]] = {}
    for option in options:
        panel = getattr(option, "rich_help_panel", None) or "Options"
        panels.setdefault(panel, []).append((_spell_option(option), _explain(option)))
    for panel, rows in panels.items():
        yield from _tabulate(panel, rows)


def _tabulate(head: str, rows: list[tuple[str, str]]) -> Iterator[str]:
    if rows:
        cells = [f"| {name} | {text.replace('|', chr(92) + '|')} |" for name, text in rows]
        yield "\n".join([f"| {head} | Meaning |", "|---|---|", *cells]) + "\n"


def _spell_argument(argument: Any) -> str:
    word = f"{argument.name.upper()}{'...' if argument.nargs == -1 else ''}"
    return word if argument.required else f"[{word}]"


def _spell_option(option: Any) -> str:
    names = sorted(option.opts, key=lambda name: (name.startswith("--"), name))
    return ", ".join(f"`{name}`" for name in names)


def _explain(option: Any) -> str:
    facts = []
    kind = option.type_descriptor.annotation
    if isinstance(kind, type) and issubclass(kind, Enum):
        facts.append("one of " + ", ".join(f"`{each.value}`" for each in kind))
    if option.envvar:
        facts.append(f"environment: `{option.envvar}`")
    if option.default not in (None, False, "") and not callable(option.default):
        facts.append(f"default: `{getattr(option.default, 'value', option.default)}`")
    text = re.sub(r"\s+", " ", option.help or "").strip()
    return " ".join([text, f"({'; '.join(facts)})"] if facts else [text])


if __name__ == "__main__":
    PAGE.write_text(write_reference(), encoding="utf-8")
