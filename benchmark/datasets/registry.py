"""The registry: ``datasets.yaml`` and files of the same form."""

import functools
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yaml.nodes import Node

from benchmark.datasets.derive.loaders import LOADERS
from benchmark.datasets.names import SYNTHETIC
from benchmark.errors import UserError
from benchmark.files import find_resource
from benchmark.strict_yaml import StrictReader
from benchmark.text import suggest_name

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")


@dataclass(frozen=True)
class SourceFile:
    """A file to fetch; ``sha256`` or ``git_blob``, if known, verifies it."""

    name: str
    role: str
    urls: tuple[str, ...]
    sha256: str | None = None
    git_blob: str | None = None

    @property
    def verifiable(self) -> bool:
        """Whether a digest is known."""
        return bool(self.sha256 or self.git_blob)

    @property
    def stamp(self) -> str | None:
        """Size and time of a file on this machine without a digest: a change to it is noticed."""
        path = Path(self.urls[0])
        if self.verifiable or "://" in self.urls[0] or not path.is_file():
            return None
        return f"{path.stat().st_size}-{path.stat().st_mtime_ns}"


@dataclass(frozen=True)
class Source:
    """One way to a table: files and how to read them.

    ``labels`` maps what stands in the target column to class names; without it labels are class
    names. Rows with other labels are an error, or left out when ``drop_unlisted`` is set.
    """

    note: str
    loader: str
    files: tuple[SourceFile, ...]
    target: str | None = None
    id_column: str | None = None
    groups: str | None = None
    labels: tuple[tuple[str, str], ...] = ()
    drop_unlisted: bool = False
    differences: tuple[str, ...] = ()

    def files_of(self, role: str) -> tuple[SourceFile, ...]:
        """Return the files with a role, in the order of the registry."""
        return tuple(file for file in self.files if file.role == role)


@dataclass(frozen=True)
class Expected:
    """What the paper says of the table; class counts in the order of the classes."""

    samples: int
    features: int
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Entry:
    """A data set as the registry describes it.

    ``collection`` is a name for several data sets together. ``replaced_samples`` are the row
    numbers, from 0, of a stand-in's samples that are not in the table that it stands in for.
    """

    name: str
    title: str
    citation: str
    licence: str
    sources: tuple[Source, ...]
    registry: Path
    classes: tuple[str, ...] = ()
    expected: Expected | None = None
    collection: str | None = None
    hyperparameters_of: str | None = None
    stand_in_for: str | None = None
    replaced_samples: tuple[int, ...] = ()
    differences: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """The files of all sources."""
        return tuple(file for source in self.sources for file in source.files)

    @property
    def fingerprint(self) -> str:
        """Changes when the table that ought to come out changes; mirrors do not count."""
        sources = [
            (
                source.loader,
                [(f.name, f.role, f.sha256, f.git_blob, f.stamp) for f in source.files],
                (source.target, source.id_column, source.groups),
                (source.labels, source.drop_unlisted, source.differences),
            )
            for source in self.sources
        ]
        content = (sources, self.classes, self.expected, self.differences)
        return hashlib.sha256(repr(content).encode()).hexdigest()[:16]


def read_registry(path: Path) -> dict[str, Entry]:
    """Read one registry file; the first thing that is wrong in it is the error."""
    return dict(_parse(path, path.read_bytes() if path.is_file() else b""))


@functools.cache
def _parse(path: Path, content: bytes) -> dict[str, Entry]:
    """Parse a registry, once per ``content``."""
    reader = StrictReader(path)
    top = reader.mapping(reader.root(), "the file", ["datasets"])
    entries = {}
    for name, (key, node) in reader.items(top["datasets"], "datasets").items():
        if not _NAME.fullmatch(name) or name == SYNTHETIC:
            reader.fail(key, f"{name!r} cannot be a data set's name (lower case, digits, . _ -)")
        entries[name] = _read_entry(reader, name, node)
    return entries


def read_registries(registries: Sequence[Path] = ()) -> dict[str, Entry]:
    """Read the shipped registry and the user's; a name may occur only once."""
    entries = read_registry(find_resource("datasets.yaml"))
    for path in registries:
        for name, entry in read_registry(Path(path)).items():
            if name in entries:
                raise UserError(f"{path}: data set {name!r} is already in {entries[name].registry}")
            entries[name] = entry
    _check_collections(entries)
    _check_shared_files(entries)
    return entries


def find_entry(name: str, registries: Sequence[Path] = ()) -> Entry:
    """Return one entry."""
    entries = read_registries(registries)
    if name not in entries:
        names = [*entries, SYNTHETIC]
        hint = suggest_name(name, names)
        raise UserError(
            f"unknown data set {name!r}{hint and f', {hint}'} "
            "(`wpfs-bench datasets` lists all; --registry FILE adds yours)"
        )
    return entries[name]


def known_names(registries: Sequence[Path] = ()) -> tuple[str, ...]:
    """Return every name ``load`` takes, the built-in synthetic set last."""
    return (*read_registries(registries), SYNTHETIC)


def list_collections(registries: Sequence[Path] = ()) -> dict[str, list[str]]:
    """Return the names of the data sets in each collection."""
    names: dict[str, list[str]] = {}
    for name, entry in read_registries(registries).items():
        if entry.collection is not None:
            names.setdefault(entry.collection, []).append(name)
    return names


def list_expected() -> dict[str, Expected]:
    """Return what is stated of the shipped data sets' sizes, where it is."""
    entries = read_registry(find_resource("datasets.yaml"))
    return {name: entry.expected for name, entry in entries.items() if entry.expected is not None}


def list_stand_ins() -> dict[str, Entry]:
    """Return the shipped stand-ins."""
    entries = read_registry(find_resource("datasets.yaml"))
    return {name: entry for name, entry in entries.items() if entry.stand_in_for}


def _read_entry(reader: StrictReader, name: str, node: Node) -> Entry:
    where = f"data set {name!r}"
    keys = reader.mapping(
        node,
        where,
        ["title", "citation", "licence", "sources"],
        [
            *("classes", "expected", "collection", "hyperparameters_of"),
            *("stand_in_for", "replaced_samples", "differences"),
        ],
    )
    classes = _optional(keys, "classes", reader.texts, ())
    sources = tuple(
        _read_source(reader, where, item, classes)
        for item in reader.sequence(keys["sources"], f"sources of {where}")
    )
    return Entry(
        name=name,
        title=reader.text(keys["title"], "title"),
        citation=reader.text(keys["citation"], "citation"),
        licence=reader.text(keys["licence"], "licence"),
        sources=sources,
        registry=reader.path,
        classes=classes,
        expected=_optional(
            keys, "expected", lambda node, key: _read_expected(reader, where, node, classes)
        ),
        collection=_optional(keys, "collection", reader.text),
        hyperparameters_of=_optional(keys, "hyperparameters_of", reader.text),
        stand_in_for=_optional(keys, "stand_in_for", reader.text),
        replaced_samples=_optional(keys, "replaced_samples", reader.integers, ()),
        differences=_optional(keys, "differences", reader.texts, ()),
    )


def _read_source(
    reader: StrictReader, dataset: str, node: Node, classes: tuple[str, ...]
) -> Source:
    where = f"a source of {dataset}"
    keys = reader.mapping(
        node,
        where,
        ["note", "loader", "files"],
        ["target", "id", "groups", "labels", "drop_unlisted", "differences"],
    )
    loader = reader.text(keys["loader"], "loader")
    if loader not in LOADERS:
        reader.fail_unknown(keys["loader"], "loader", loader, where, LOADERS)
    files = tuple(
        _read_file(reader, item, loader) for item in reader.sequence(keys["files"], "files")
    )
    for role in LOADERS[loader].roles:
        count = sum(file.role == role for file in files)
        if count == 0 or (count > 1 and role != "table"):
            number = "one or more files" if role == "table" else "one file"
            reader.fail(keys["files"], f"loader {loader!r} needs {number} with role {role!r}")
    labels = []
    if "labels" in keys:
        for label, (_, value) in reader.items(keys["labels"], "labels").items():
            class_name = reader.text(value, f"label {label!r}")
            if class_name not in classes:
                reader.fail(value, f"class {class_name!r} of {dataset} is not listed in classes")
            labels.append((label, class_name))
    return Source(
        note=reader.text(keys["note"], "note"),
        loader=loader,
        files=files,
        target=_optional(keys, "target", reader.text),
        id_column=_optional(keys, "id", reader.text),
        groups=_optional(keys, "groups", reader.text),
        labels=tuple(labels),
        drop_unlisted=_optional(keys, "drop_unlisted", reader.flag, False),
        differences=_optional(keys, "differences", reader.texts, ()),
    )


def _read_file(reader: StrictReader, node: Node, loader: str) -> SourceFile:
    keys = reader.mapping(node, "a file", ["name", "urls"], ["role", "sha256", "git_blob"])
    name = reader.text(keys["name"], "name")
    if Path(name).name != name or name.startswith("."):
        reader.fail(keys["name"], f"{name!r} must be a plain file name")
    role = _optional(keys, "role", reader.text, "table")
    roles = LOADERS[loader].roles
    if role not in roles:
        reader.fail_unknown(
            keys.get("role", node), "role", role, f"a file of loader {loader!r}", roles
        )
    return SourceFile(
        name=name,
        role=role,
        urls=tuple(_resolve(url, reader.path) for url in reader.texts(keys["urls"], "urls")),
        sha256=_read_digest(reader, keys, "sha256", 64),
        git_blob=_read_digest(reader, keys, "git_blob", 40),
    )


def _resolve(url: str, registry: Path) -> str:
    """Take a path as seen from the registry's folder; leave addresses alone."""
    return url if "://" in url else str((registry.parent / Path(url).expanduser()).resolve())


def _read_digest(
    reader: StrictReader, keys: Mapping[str, Node], key: str, length: int
) -> str | None:
    if key not in keys:
        return None
    text = reader.text(keys[key], key)
    if not re.fullmatch(rf"[0-9a-f]{{{length}}}", text):
        reader.fail(keys[key], f"{key} must be {length} hexadecimal digits, not {text!r}")
    return text


def _read_expected(
    reader: StrictReader, dataset: str, node: Node, classes: tuple[str, ...]
) -> Expected:
    keys = reader.mapping(node, f"expected of {dataset}", ["samples", "features", "counts"])
    expected = Expected(
        samples=reader.integer(keys["samples"], "samples"),
        features=reader.integer(keys["features"], "features"),
        counts=reader.integers(keys["counts"], "counts", least=1),
    )
    if len(expected.counts) != len(classes):
        reader.fail(keys["counts"], f"{len(expected.counts)} counts for {len(classes)} classes")
    if sum(expected.counts) != expected.samples:
        reader.fail(keys["counts"], f"counts do not add up to {expected.samples} samples")
    return expected


def _optional(
    keys: Mapping[str, Node], key: str, read: Callable[[Node, str], Any], default: Any = None
) -> Any:
    return read(keys[key], key) if key in keys else default


def _check_collections(entries: Mapping[str, Entry]) -> None:
    """Raise a ``UserError`` if a collection is called as a data set is."""
    for entry in entries.values():
        if entry.collection in entries or entry.collection in (SYNTHETIC, "all"):
            raise UserError(
                f"{entry.registry}: collection {entry.collection!r} of data set {entry.name!r} is "
                "also a name of its own, choose another"
            )


def _check_shared_files(entries: Mapping[str, Entry]) -> None:
    """Raise a ``UserError`` if a file name stands for two contents: there is one raw folder."""
    seen: dict[str, SourceFile] = {}
    for entry in entries.values():
        for file in entry.files:
            other = seen.setdefault(file.name, file)
            if (other.sha256, other.git_blob) != (file.sha256, file.git_blob):
                raise UserError(
                    f"{entry.registry}: file {file.name!r} of data set {entry.name!r} has another "
                    "digest elsewhere, give it a name of its own"
                )
