"""Strict reading of YAML: every complaint names file, line and key."""

import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from benchmark.errors import UserError
from benchmark.text import suggest_name

_Loader: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class StrictReader:
    """Checks nodes of one YAML file and turns them into plain values."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def root(self) -> Node:
        """Parse the file and return its top node."""
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise UserError(f"{self.path}: no such file") from None
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"{self.path}: cannot be read ({error})") from None
        try:
            node = yaml.compose(text, Loader=_Loader)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            raise UserError(f"{self.path}, line {line}: not YAML, {error.problem}") from None
        except yaml.YAMLError as error:
            reason = " ".join(str(error).split())
            raise UserError(f"{self.path}: not YAML, {reason}") from None
        if node is None:
            raise UserError(f"{self.path}: is empty")
        return node

    def fail(self, node: Node, message: str) -> NoReturn:
        """Raise an error that points at a node."""
        raise UserError(f"{self.path}, line {node.start_mark.line + 1}: {message}")

    def fail_unknown(
        self, node: Node, kind: str, name: str, where: str, known: Iterable[str]
    ) -> NoReturn:
        """Raise an error that names the nearest known name, or all of them when none is near."""
        hint = suggest_name(name, known) or f"use one of {', '.join(known)}"
        self.fail(node, f"unknown {kind} {name!r} in {where}, {hint}")

    def mapping(
        self, node: Node, where: str, required: Sequence[str], optional: Sequence[str] = ()
    ) -> dict[str, Node]:
        """Read a mapping whose keys are known."""
        items = self.items(node, where)
        allowed = [*required, *optional]
        for key, (key_node, _) in items.items():
            if key not in allowed:
                self.fail_unknown(key_node, "key", key, where, allowed)
        for key in required:
            if key not in items:
                self.fail(node, f"key {key!r} is missing in {where}")
        return {key: value for key, (_, value) in items.items()}

    def items(self, node: Node, where: str) -> dict[str, tuple[Node, Node]]:
        """Read a mapping with free keys: key -> (node of the key, node of the value)."""
        if not isinstance(node, MappingNode):
            self.fail(node, f"{where} must be a mapping, not {_kind(node)}")
        items: dict[str, tuple[Node, Node]] = {}
        for key_node, value in node.value:
            key = self.text(key_node, f"a key of {where}")
            if key in items:
                self.fail(key_node, f"key {key!r} is given twice in {where}")
            items[key] = (key_node, value)
        return items

    def sequence(self, node: Node, where: str) -> list[Node]:
        """Read a list."""
        if not isinstance(node, SequenceNode):
            self.fail(node, f"{where} must be a list, not {_kind(node)}")
        if not node.value:
            self.fail(node, f"{where} must not be empty")
        return list(node.value)

    def text(self, node: Node, where: str) -> str:
        """Read a scalar as text; numbers keep their spelling."""
        if not isinstance(node, ScalarNode) or node.tag.endswith(":null"):
            self.fail(node, f"{where} must be text, not {_kind(node)}")
        return " ".join(node.value.split())

    def texts(self, node: Node, where: str) -> tuple[str, ...]:
        """Read a list of texts."""
        return tuple(self.text(item, f"an item of {where}") for item in self.sequence(node, where))

    def integer(self, node: Node, where: str, least: int = 1) -> int:
        """Read a whole number of at least ``least``."""
        is_number = isinstance(node, ScalarNode) and node.tag.endswith(":int")
        if not is_number or int(node.value) < least:
            kind = "a positive whole number" if least == 1 else f"a whole number from {least}"
            self.fail(node, f"{where} must be {kind}, not {_kind(node)}")
        return int(node.value)

    def integers(self, node: Node, where: str, least: int = 0) -> tuple[int, ...]:
        """Read a list of whole numbers of at least ``least``."""
        items = self.sequence(node, where)
        return tuple(self.integer(item, f"an item of {where}", least) for item in items)

    def flag(self, node: Node, where: str) -> bool:
        """Read true or false."""
        if not isinstance(node, ScalarNode) or not node.tag.endswith(":bool"):
            self.fail(node, f"{where} must be true or false, not {_kind(node)}")
        return node.value.lower() in ("true", "yes", "on")


def _kind(node: Node) -> str:
    if isinstance(node, MappingNode):
        return "a mapping"
    if isinstance(node, SequenceNode):
        return "a list"
    return "nothing" if node.tag.endswith(":null") else repr(textwrap.shorten(node.value, 60))
