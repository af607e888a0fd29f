"""A model as a folder: a readable ``model.json``, and weights in files that execute nothing."""

import hashlib
import json
import math
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmark.datasets.names import TRANSFORMS
from benchmark.errors import UserError

_FORMAT = "wpfs-bench model"

#: Raised when the meaning of a field of ``model.json`` changes.
SCHEMA = 1

_CARD = "model.json"

#: Field of ``model.json`` -> its JSON type.
_KINDS: Mapping[str, type] = {
    "method": str,
    "method_version": int,
    "own_class": str,
    "hyperparameters": dict,
    "seed": int,
    "classes": list,
    "scaling": dict,
    "training": dict,
    "versions": dict,
    "files": dict,
    "genes": list,
}


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted method and all that is needed to use it.

    Parameters
    ----------
    method, method_version
        Its name, and what tells its mathematics from that of other versions.
    own_class
        ``file.py:Class`` of a method of the user's, "" for one of the suite.
    hyperparameters
        All of them, those that have their default value, too.
    seed
        Of the training.
    classes
        Names, (C,), in the order of the class codes.
    genes
        Names, (D,), in the order of the columns.
    means, deviations, medians
        (D,) of the rows that were learnt from, on the scale the method was given.
    transform
        What values went through before: None or ``log2p1``.
    fills_gaps
        Whether missing values were filled with medians while training.
    training
        Facts on the training table: name, checksum, samples, classes, rows held out.
    versions
        Of Python and libraries.
    files
        What ``baselines._shared.portable.pack`` made of the classifier.
    """

    method: str
    method_version: int
    hyperparameters: Mapping[str, Any]
    seed: int
    classes: tuple[str, ...]
    genes: tuple[str, ...]
    means: NDArray[np.float64]
    deviations: NDArray[np.float64]
    medians: NDArray[np.float64]
    own_class: str = ""
    transform: str | None = None
    fills_gaps: bool = False
    training: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)


def write_model(folder: Path, model: Model, replace: bool = False) -> int:
    """Write a model into a folder of its own, whole or not at all.

    Parameters
    ----------
    folder
        Must not exist, unless ``replace`` and it holds a model.
    model
        To be written.
    replace
        Whether a model that is there already goes.

    Returns
    -------
    int
        Bytes written.
    """
    check_target(folder, replace)
    contents = {_CARD: _write_card(model), **model.files}
    beside = folder.resolve().parent
    temporary = beside / f".{folder.name}.{os.getpid()}.tmp"
    old = beside / f".{folder.name}.{os.getpid()}.old"
    try:
        beside.mkdir(parents=True, exist_ok=True)
        temporary.mkdir()
        for name, content in contents.items():
            with (temporary / name).open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        if folder.exists():
            folder.resolve().rename(old)
        temporary.rename(folder.resolve())
    except BaseException as error:  # Ctrl-C, too, between the two renamings
        if old.exists() and not folder.exists():
            old.rename(folder.resolve())
        if not isinstance(error, OSError):
            raise
        raise UserError(
            f"--output {folder}: {error.strerror or error}; choose another folder"
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        if folder.exists():
            shutil.rmtree(old, ignore_errors=True)
    return sum(len(content) for content in contents.values())


def check_target(folder: Path, replace: bool) -> None:
    """Refuse a folder that a model must not be written to, before anything is computed."""
    if not folder.exists():
        return
    if not (folder / _CARD).is_file():
        raise UserError(f"--output {folder} exists and is no model: choose another folder")
    if not replace:
        raise UserError(
            f"--output {folder} holds a model already: choose another folder, or --force to "
            "replace it"
        )


def read_model(folder: Path) -> Model:
    """Read a model; nothing in the folder is executed.

    Raises
    ------
    UserError
        If the folder holds no model, one of a newer suite, or a damaged one.
    """
    card = folder / _CARD
    try:
        text = card.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        what = "does not exist" if not folder.exists() else f"has no readable {_CARD}"
        raise UserError(
            f"model {folder} {what}: `wpfs-bench fit --output FOLDER` makes a model"
        ) from None
    try:
        facts = json.loads(text)
    except (ValueError, RecursionError):
        raise UserError(f"model {folder}: {_CARD} is not whole JSON; fit it again") from None
    if type(facts) is not dict or facts.get("format") != _FORMAT:
        raise UserError(f"model {folder}: {_CARD} is of another program")
    if facts.get("schema") != SCHEMA:
        raise UserError(
            f"model {folder}: of another version of wpfs-bench (schema {facts.get('schema')}, not "
            f"{SCHEMA}); fit it again, or use that version"
        )
    if facts.pop("sha256", None) != _digest_facts(facts):
        raise UserError(f"model {folder}: {_CARD} is damaged or was changed; fit it again")
    try:
        return _build_model(folder, facts)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise UserError(
            f"model {folder}: {_CARD} lacks a field or has a wrong one ({error})"
        ) from None


def _build_model(folder: Path, facts: dict[str, Any]) -> Model:
    for name, kind in _KINDS.items():
        if type(facts[name]) is not kind:
            raise ValueError(name)
    genes, transform = facts["genes"], facts["scaling"]["transform"]
    if not genes or len({gene["name"] for gene in genes}) < len(genes):
        raise ValueError("genes")
    if transform not in (None, *TRANSFORMS):
        raise ValueError("scaling")
    if "dataset" not in facts["training"]:
        raise ValueError("training")
    columns = {
        name: np.array([gene[key] for gene in genes], dtype=np.float64)
        for name, key in (("means", "mean"), ("deviations", "sd"), ("medians", "median"))
    }
    if not all(np.isfinite(values).all() for values in columns.values()):
        raise ValueError("genes")
    return Model(
        method=facts["method"],
        method_version=facts["method_version"],
        own_class=facts["own_class"],
        hyperparameters=facts["hyperparameters"],
        seed=facts["seed"],
        classes=tuple(map(str, facts["classes"])),
        genes=tuple(str(gene["name"]) for gene in genes),
        **columns,
        transform=transform,
        fills_gaps=bool(facts["scaling"]["fills_gaps"]),
        training=facts["training"],
        versions=facts["versions"],
        files={name: _read_part(folder, name, digest) for name, digest in facts["files"].items()},
    )


def _read_part(folder: Path, name: str, digest: str) -> bytes:
    path = folder / name
    if Path(name).name != name:
        raise UserError(f"model {folder}: {name!r} is not the name of a file in it")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"model {folder}: {name} is missing ({error.strerror})") from None
    if hashlib.sha256(content).hexdigest() != digest:
        raise UserError(f"model {folder}: {name} is damaged or was changed; fit it again")
    return content


def _write_card(model: Model) -> bytes:
    """Return ``model.json``: one field, and one gene, to a line."""
    genes = [
        {"name": name, "mean": mean, "sd": deviation, "median": median}
        for name, mean, deviation, median in zip(
            model.genes,
            model.means.tolist(),
            model.deviations.tolist(),
            model.medians.tolist(),
            strict=True,
        )
    ]
    if not all(math.isfinite(gene["mean"] + gene["sd"] + gene["median"]) for gene in genes):
        raise ValueError("a gene's mean, deviation or median is not finite")
    facts: dict[str, Any] = {
        "format": _FORMAT,
        "schema": SCHEMA,
        "method": model.method,
        "method_version": model.method_version,
        "own_class": model.own_class,
        "hyperparameters": dict(model.hyperparameters),
        "seed": model.seed,
        "classes": list(model.classes),
        "scaling": {
            "transform": model.transform,
            "fills_gaps": model.fills_gaps,
            "note": "The method scales inside. Means and deviations of the genes are those of the "
            "rows it learnt from.",
        },
        "training": dict(model.training),
        "versions": dict(model.versions),
        "files": {
            name: hashlib.sha256(content).hexdigest() for name, content in model.files.items()
        },
        "genes": genes,
    }
    facts["sha256"] = _digest_facts(facts)
    lines = []
    for name, value in facts.items():
        if name == "genes":
            rows = ",\n  ".join(json.dumps(gene, ensure_ascii=False) for gene in value)
            text = f"[\n  {rows}\n ]"
        else:
            text = json.dumps(value, ensure_ascii=False, indent=1).replace("\n", "\n ")
        lines.append(f' "{name}": {text}')
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _digest_facts(facts: Mapping[str, Any]) -> str:
    plain = json.dumps(dict(facts), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()
