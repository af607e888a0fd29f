"""Finds methods: files in this folder, installed entry points, and ``path/to/file.py:Class``."""

import functools
import hashlib
import importlib
import importlib.metadata
import importlib.util
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import baselines
from baselines._shared.method import Method

#: Group in which an installed package announces methods: a ``Method``, several, or a classifier.
ENTRY_POINTS = "wpfs_bench.methods"


class MethodError(ValueError):
    """A method was asked for that cannot be had; the message is one line for the user."""


@dataclass(frozen=True)
class Catalogue:
    """All methods that were found.

    Parameters
    ----------
    methods
        Name -> method, also of those whose libraries are missing.
    unavailable
        Name -> reason, of methods (and of files or entry points that could not be imported).
    """

    methods: Mapping[str, Method] = field(default_factory=dict)
    unavailable: Mapping[str, str] = field(default_factory=dict)


@functools.cache
def find_catalogue() -> Catalogue:
    """Find every method; one that cannot be imported is listed and breaks nothing."""
    methods: dict[str, Method] = {}
    unavailable: dict[str, str] = {}
    for source, load in [*_own_files(), *_entry_points()]:
        try:
            found = load()
        except Exception as error:  # whatever a foreign file raises must not stop the others
            unavailable[source] = f"{type(error).__name__}: {error}".splitlines()[0]
            continue
        for method in found:
            if method.name in methods:
                unavailable[f"{source}:{method.name}"] = f"the name {method.name} is taken"
                continue
            methods[method.name] = method
            reason = missing_libraries(method)
            if reason:
                unavailable[method.name] = reason
    return Catalogue(dict(sorted(methods.items())), unavailable)


def discover() -> dict[str, Method]:
    """Return every method that could be imported, by name."""
    return dict(find_catalogue().methods)


#: Library -> our extra, which installs a version that is known to work.
_EXTRAS = {"xgboost": "xgboost", "tabpfn": "tabpfn", "tabicl": "tabicl", "pytabkit": "modern"}


def missing_libraries(method: Method) -> str | None:
    """Return why a method cannot run on this machine, or None if it can."""
    missing = [name for name in method.requires if importlib.util.find_spec(name) is None]
    if not missing:
        return None
    wanted = [f"'wpfs-bench[{_EXTRAS[name]}]'" if name in _EXTRAS else name for name in missing]
    return f"needs {', '.join(missing)}: pip install {' '.join(wanted)}"


def get_method(name: str) -> Method:
    """Return one method by its name or by ``path/to/file.py:Class``.

    Raises
    ------
    MethodError
        If there is no such method, a library it needs is missing, or a class of a file would
        go by the name of another method.
    """
    if is_path(name):
        method = load_file(name)
        taken = find_catalogue().methods.get(method.name)
        if taken is not None and taken.estimator is not method.estimator:
            raise MethodError(
                f"method {name} would be called {method.name!r}, a name that is taken: "
                "rename the class"
            )
        reason = missing_libraries(method)
    else:
        catalogue = find_catalogue()
        reason = catalogue.unavailable.get(name)
        if name not in catalogue.methods and reason is None:
            raise MethodError(f"no method {name!r}: `wpfs-bench models` lists them")
        method = catalogue.methods.get(name)  # type: ignore[assignment]
    if reason is not None:
        raise MethodError(f"method {name} is unavailable: {reason}")
    return method


def is_path(name: str) -> bool:
    """Return whether a name is of the form ``path/to/file.py:Class``."""
    return ".py:" in name


def load_file(reference: str) -> Method:
    """Load a classifier from ``path/to/file.py:Class``.

    A class for which the file's ``METHODS`` holds a record comes with it; any other is taken
    for a plain scikit-learn classifier and wrapped.
    """
    path_text, _, class_name = reference.rpartition(":")
    path = Path(path_text).expanduser().resolve()
    if not path.is_file():
        raise MethodError(f"method {reference}: there is no such file")
    try:
        module = _import_file(path)
    except (Exception, SystemExit) as error:  # the user's file may raise anything
        raise MethodError(
            f"method {reference}: importing it failed: {type(error).__name__}: {error}"
        ) from error
    estimator = getattr(module, class_name, None)
    if estimator is not None and not isinstance(estimator, type):
        raise MethodError(
            f"method {reference}: {class_name} is an object of {type(estimator).__name__}: "
            "write a class that makes it in fit"
        )
    if estimator is None:
        classes = sorted(
            name
            for name, value in vars(module).items()
            if isinstance(value, type)
            and (value.__module__ == module.__name__ or hasattr(value, "predict"))
        )
        raise MethodError(
            f"method {reference}: the file has no class {class_name!r}; "
            f"it has {', '.join(classes) or 'none'}"
        )
    for method in getattr(module, "METHODS", ()):
        if method.estimator is estimator:
            return method
    try:
        version = _version_of_bytes(path.read_bytes())
        return method_of(estimator, _choose_name(estimator.__name__), version)
    except (TypeError, ValueError) as error:  # ValueError: no signature, or a strange version
        raise MethodError(f"method {reference}: {error}") from error


def method_of(estimator: type, name: str | None = None, version: int = 1) -> Method:
    """Make a method of a plain scikit-learn classifier.

    Parameters
    ----------
    estimator
        The class. Its own attribute ``version``, if it has one, is the method's.
    name
        The class name in lower case, words joined by ``-``, unless given.
    version
        Used where the class states none.
    """
    from baselines._shared.third_party import scale_inside

    scaled = scale_inside(estimator)
    takes = {
        "gpu": "device" in inspect.signature(scaled).parameters,
        "early-stopping": "eval_set" in inspect.signature(getattr(estimator, "fit")).parameters,  # noqa: B009
    }
    return Method(
        name=name or _shorten(estimator.__name__),
        estimator=scaled,
        tags=frozenset(tag for tag, is_taken in takes.items() if is_taken),
        title=estimator.__name__,
        reference=f"{estimator.__module__}.{estimator.__qualname__}",
        version=int(getattr(estimator, "version", version)),
    )


def _own_files() -> Iterable[tuple[str, Any]]:
    for info in pkgutil.iter_modules(baselines.__path__):
        if not info.ispkg:
            module = f"{baselines.__name__}.{info.name}"
            yield info.name, functools.partial(_load_own_file, module)


def _load_own_file(module: str) -> tuple[Method, ...]:
    return tuple(getattr(importlib.import_module(module), "METHODS", ()))


def _entry_points() -> Iterable[tuple[str, Any]]:
    for point in importlib.metadata.entry_points(group=ENTRY_POINTS):
        yield point.name, functools.partial(_load_entry_point, point)


def _load_entry_point(point: importlib.metadata.EntryPoint) -> tuple[Method, ...]:
    found = point.load()
    if isinstance(found, Method):
        return (found,)
    if isinstance(found, type):
        return (method_of(found, name=point.name),)
    return tuple(found)


def _import_file(path: Path) -> ModuleType:
    """Import a file under a name of its own, so that it can be imported once and pickled from."""
    digest = hashlib.sha256(str(path).encode()).hexdigest()[:8]
    name = f"wpfs_bench_method_{path.stem}_{digest}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _version_of_bytes(content: bytes) -> int:
    """Return a number that changes with the file, so that results of an older text are stale."""
    return int(hashlib.sha256(content).hexdigest()[:7], 16)


def _choose_name(class_name: str) -> str:
    """Return a class's short name, or the long one where a method of ours has the short one."""
    short = _shorten(class_name)
    return _hyphenate(class_name) if short in find_catalogue().methods else short


def _shorten(class_name: str) -> str:
    return _hyphenate(class_name.removesuffix("Classifier") or class_name)


def _hyphenate(class_name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", class_name).lower()
