"""Hyper-parameters as plain values: which differ from the defaults, their text, hash and label."""

import hashlib
import itertools
import json
import math
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from benchmark.errors import UserError
from benchmark.text import suggest_name

if TYPE_CHECKING:
    from baselines._shared.method import Method
    from benchmark.plan.methods import MethodCard

#: Arguments the suite sets itself where a classifier has them.
SET_BY_SUITE = ("random_state", "n_threads", "n_jobs", "device")

#: What ``--hyperparameters`` takes, and the name in a record of runs that belong to it.
PRESETS: Mapping[str, str] = MappingProxyType(
    {"paper": "paper", "default": "default", "tuned": "grid"}
)

_LABEL_LENGTH = 48


def normalise(method: "Method | MethodCard", values: Mapping[str, Any]) -> dict[str, Any]:
    """Return plain JSON values, sorted by name, those equal to the defaults left out.

    Raises
    ------
    UserError
        If the method takes no hyper-parameter of a name, or a value cannot be one of it: where
        the default is a number or true / false the value must be one too.
    """
    defaults = settable(method)
    unknown = sorted(values.keys() - defaults.keys())
    if unknown:
        hint = suggest_name(unknown[0], defaults)
        raise UserError(
            f"{method.name} has no hyper-parameter {unknown[0]!r}: {hint and f'{hint} '}"
            f"allowed are {', '.join(sorted(defaults)) or 'none'}"
        )
    plain = {name: _to_plain(values[name], defaults[name]) for name in sorted(values)}
    for name, value in plain.items():
        _check_kind(method.name, name, value, defaults[name])
    return {
        name: value
        for name, value in plain.items()
        if not _same(value, _to_plain(defaults[name], defaults[name]))
    }


def settable(method: "Method | MethodCard") -> dict[str, Any]:
    """Return the hyper-parameters a user may set and their defaults."""
    return {k: v for k, v in method.defaults().items() if k not in SET_BY_SUITE}


def to_arguments(method: "Method", values: Mapping[str, Any]) -> dict[str, Any]:
    """Turn normalised values into constructor arguments (tuples come back from JSON as lists)."""
    defaults = method.defaults()
    return {
        name: tuple(value)
        if isinstance(value, list) and isinstance(defaults[name], tuple)
        else value
        for name, value in values.items()
    }


def to_text(values: Mapping[str, Any]) -> str:
    """Return the canonical JSON text of normalised values."""
    return json.dumps(dict(values), sort_keys=True, separators=(",", ":"), allow_nan=False)


def hash_values(values: Mapping[str, Any]) -> str:
    """Return eight hexadecimal digits that name the values."""
    return hashlib.sha256(to_text(values).encode()).hexdigest()[:8]


def label(values: Mapping[str, Any]) -> str:
    """Return a short readable name, safe in a path: ``max_depth=3,min_samples_leaf=2``."""
    text = ",".join(_show_all(values)) or "default"
    return re.sub(r"[^A-Za-z0-9=.,_+-]", "_", text)[:_LABEL_LENGTH].rstrip(".,")


def spell(values: Mapping[str, Any]) -> str:
    """Return all values for people: ``max_depth=3, min_samples_leaf=2``, or ``default``."""
    return ", ".join(_show_all(values)) or "default"


def _show_all(values: Mapping[str, Any]) -> list[str]:
    return [f"{name}={_show(value)}" for name, value in sorted(values.items())]


def list_hyperparameters(
    method: "Method | MethodCard", dataset: str, preset: str
) -> list[dict[str, Any]]:
    """Return what a preset stands for: one set of hyper-parameters, or all points of the grid.

    Parameters
    ----------
    method
        The method.
    dataset
        The data set whose published values apply.
    preset
        One of ``PRESETS``.
    """
    if preset == "default":
        return [{}]
    if preset == "tuned":
        return list_candidates(method, dataset)
    return [normalise(method, method.paper_hyperparameters(dataset))]


def find_presets(
    method: "Method | MethodCard", dataset: str, values: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return the presets that normalised values belong to, as records name them."""
    return tuple(
        recorded
        for preset, recorded in PRESETS.items()
        if values in list_hyperparameters(method, dataset, preset)
    )


def list_candidates(method: "Method | MethodCard", dataset: str) -> list[dict[str, Any]]:
    """Return the grid's points as normalised hyper-parameters, in the grid's order.

    Parameters
    ----------
    method
        The method; one without a grid has a single candidate.
    dataset
        The data set whose published values hold for what the grid does not vary.
    """
    base = method.paper_hyperparameters(dataset)
    candidates: list[dict[str, Any]] = []
    for values in itertools.product(*method.grid.values()):
        point = normalise(method, {**base, **dict(zip(method.grid, values, strict=True))})
        if point not in candidates:
            candidates.append(point)
    return candidates


def parse_assignments(assignments: Iterable[str]) -> dict[str, Any]:
    """Read ``name=value`` texts; values are numbers, true / false / null, lists or words."""
    values = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals or not name.strip():
            raise UserError(f"--set {assignment}: write it as name=value")
        values[name.strip()] = _parse_value(text.strip())
    return values


def _parse_value(text: str) -> Any:
    import yaml

    for read in (int, float):  # YAML takes 3e-4, which has no point, for a word
        try:
            return read(text)
        except ValueError:
            continue
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UserError(f"--set: cannot read the value {text!r}") from error


def _to_plain(value: Any, default: Any) -> Any:
    if hasattr(value, "item"):  # a numpy scalar
        value = value.item()
    if isinstance(value, tuple | list):
        return [_to_plain(element, None) for element in value]
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value


def _check_kind(method: str, name: str, value: Any, default: Any) -> None:
    elements = value if isinstance(value, list) else [value]
    if strange := [e for e in elements if not isinstance(e, bool | int | float | str | None)]:
        raise UserError(
            f"{method}: {name} must be a number, a word, true, false or null, or a list of such, "
            f"not {strange[0]!r}"
        )
    if any(isinstance(element, float) and not math.isfinite(element) for element in elements):
        raise UserError(f"{method}: {name} must be finite, not {value}")
    if isinstance(default, bool):
        expected, fits = "true or false", isinstance(value, bool)
    elif isinstance(default, int | float):
        # Libraries take null for "no limit", and fractions where the default is a count.
        expected = "a number"
        fits = value is None or (isinstance(value, int | float) and not isinstance(value, bool))
    else:
        return
    if not fits:
        raise UserError(f"{method}: {name} must be {expected} (default {default}), not {value!r}")


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and value == default


def _show(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list):
        return "+".join(_show(element) for element in value)
    return str(value)
