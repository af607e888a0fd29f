"""A result record: its fields, what may stand in them, and its text with a checksum."""

import json
import zlib
from collections.abc import Mapping
from typing import Any

import orjson

from benchmark.plan.hyperparameters import hash_values
from benchmark.run.metrics import SCORE_COLUMNS, find_metric_of_column

#: Raised when the fields of a record change their meaning.
SCHEMA = 1

#: Columns that name a run, whatever the version of its method.
RUN_COLUMNS = (
    "dataset",
    "model",
    "hyperparameters_hash",
    "seed",
    "repeat",
    "fold",
    "protocol_version",
    "folds",
)

#: Sizes and costs of a run; empty where unknown.
COST_COLUMNS = ("n_parameters", "best_step", "steps", "seconds", "peak_memory_mb", "n_selected")

#: How many runs of a grid were compared on a split, in the run that was chosen from them when
#: the others were left out of an archive; empty in all others.
CANDIDATES = "candidates"

#: Fields of a record, and those added when it is read: ``stale`` and ``path``.
COLUMNS = (
    "dataset",
    "dataset_checksum",
    "stand_in_for",
    "hyperparameters_of",
    "dataset_differences",
    "model",
    "method_version",
    "hyperparameters",
    "hyperparameters_hash",
    "presets",
    "protocol_version",
    "repeat",
    "fold",
    "folds",
    "seed",
    "split_checksum",
    "status",
    "error",
    *SCORE_COLUMNS,
    *COST_COLUMNS,
    CANDIDATES,
    "device",
    "threads",
    "processor",
    "versions",
    "git_commit",
    "started",
    "stale",
    "path",
)

#: Texts that early records do not have; empty there.
LATER_COLUMNS = ("hyperparameters_of", "processor")

#: Fields of a record that are those of its ``RunKey``.
KEY_COLUMNS = ("dataset", "dataset_checksum", "model", "method_version", "repeat", "fold",
               "folds", "seed", "protocol_version")  # fmt: skip

#: Fields that hold text.
TEXT_COLUMNS = (
    "dataset",
    "dataset_checksum",
    "stand_in_for",
    "hyperparameters_of",
    "model",
    "hyperparameters_hash",
    "split_checksum",
    "status",
    "error",
    "device",
    "processor",
    "git_commit",
    "started",
)

_REQUIRED = (*KEY_COLUMNS, "hyperparameters", "hyperparameters_hash", "status")

_COUNTS = ("method_version", "repeat", "fold", "folds", "seed", "protocol_version")

_LISTS = ("dataset_differences", "presets")

#: Far above every loss, size and cost, and low enough for sums of squares.
_LARGEST = 1e15

#: Field -> the numbers that may stand in it. Costs are what a classifier says of itself.
_RANGES = {
    **dict.fromkeys((*COST_COLUMNS, CANDIDATES, "threads"), (-_LARGEST, _LARGEST)),
    **{
        # A mean of recalls may exceed 1 by rounding.
        column: (0, 1 + 1e-9 if find_metric_of_column(column).percent else _LARGEST)
        for column in SCORE_COLUMNS
    },
}

_STATES = ("ok", "failed", "timeout")


def find_fault(record: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the fields of a record, or None."""
    for name in _REQUIRED:
        if name not in record:
            return f"{name} is missing"
    get = record.get
    for name in TEXT_COLUMNS:
        if type(get(name, "")) is not str:
            return _describe(name, record[name], "a text")
    for name in _COUNTS:
        value = record[name]
        if type(value) is not int or not 0 <= value < 2**63:
            return _describe(name, value, "a whole number")
    for name, (least, largest) in _RANGES.items():
        value = get(name)
        kind = type(value)
        if value is not None and not ((kind is float or kind is int) and least <= value <= largest):
            return _describe(name, value, f"a number from {least:g} to {largest:g}")
    for name in _LISTS:
        value = get(name, ())
        if type(value) not in (list, tuple) or not all(type(part) is str for part in value):
            return _describe(name, value, "a list of texts")
    for name in ("hyperparameters", "versions"):
        if type(get(name, {})) is not dict:
            return _describe(name, record[name], "a mapping")
    if record["status"] not in _STATES:
        return _describe("status", record["status"], f"one of {', '.join(_STATES)}")
    if record["fold"] >= record["folds"]:
        return f"fold is {record['fold']} of {record['folds']}"
    return None


def find_other_hash(record: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the hyper-parameters of a record, or None.

    Records with a checksum need not be asked.
    """
    try:
        hashed = hash_values(record["hyperparameters"])
    except ValueError:  # NaN and infinity
        return "hyperparameters are not finite"
    if hashed != record["hyperparameters_hash"]:
        return "hyperparameters are not those of hyperparameters_hash"
    return None


def _describe(name: str, value: Any, wanted: str) -> str:
    shown = json.dumps(value, default=str)
    return f"{name} is {shown if len(shown) <= 40 else shown[:40] + '...'}, not {wanted}"


def pack_record(record: Mapping[str, Any]) -> bytes:
    """Return the text of a record, its last field the checksum of all before."""
    fields = {"schema": SCHEMA, **record}
    fields.pop("crc32", None)
    body = json.dumps(fields, allow_nan=False)[:-1].encode()
    return body + _make_tail(body)


def unpack_record(content: bytes) -> dict[str, Any]:
    """Read the text of a record, also of an early one without a checksum.

    One of a newer schema comes back as it is.

    Raises
    ------
    ValueError
        If it is damaged or of another kind; the message is the reason.
    """
    try:
        record = orjson.loads(content)  # a third of the time of json's: stores hold thousands
    except ValueError as error:
        raise ValueError("it is not whole JSON") from error
    if type(record) is not dict or type(record.get("schema")) is not int:
        raise ValueError("it has no schema number")
    has_checksum = record.pop("crc32", None) is not None
    if has_checksum and content[-_TAIL_LENGTH:] != _make_tail(content[:-_TAIL_LENGTH]):
        raise ValueError("its checksum does not fit")
    if record["schema"] > SCHEMA:
        return record
    if fault := find_fault(record) or (None if has_checksum else find_other_hash(record)):
        raise ValueError(fault)
    return record


def _make_tail(body: bytes) -> bytes:
    return b', "crc32": "%08x"}' % zlib.crc32(body)


_TAIL_LENGTH = len(_make_tail(b""))
