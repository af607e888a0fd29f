"""What stands beside a classifier so that the suite can run, cite and tune it."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

#: Tags a method may carry. ``baselines._shared.conformance`` reads those that excuse a check.
TAGS: Mapping[str, str] = MappingProxyType(
    {
        "deterministic": "the seed changes nothing",
        "weighs-classes": "uses balanced class weights",
        "ranks-features": "has feature_importances_ after fit",
        "selects-features": "has selected_features_ after fit",
        "gates-features": "its importances are gates from 0 (closed) to 1 (open)",
        "early-stopping": "uses eval_set to stop or to choose",
        "embeds-features": "uses feature embeddings, which the suite caches on disk",
        "gpu": "takes device=",
        "no-learning": "does not learn from X (a floor to compare with)",
    }
)

#: What a method is made of, for a reader's first look at a list of them.
KINDS = ("linear", "kernel", "neighbours", "trees", "network", "floor", "other")

#: Key of ``Method.paper_values`` for values the paper used on every data set, or on most of them.
EVERY_DATASET = "*"


@dataclass(frozen=True)
class Method:
    """A scikit-learn classifier and what the suite has to know of it.

    A file in ``baselines/`` defines one such record (or a few variants of one method) in a
    module-level tuple ``METHODS``. Importing the file must not import torch, lightgbm or
    anything as slow: classifiers import those inside ``fit``, and ``requires`` names them, so
    that the suite can list a method whose library is missing.

    Parameters
    ----------
    name
        As on the command line: lower case, words joined by ``-``.
    estimator
        The class. Its constructor arguments are plain hyper-parameters with defaults;
        ``random_state``, ``n_threads`` and ``device`` are set by the suite where they exist.
    title
        As in a table's head.
    reference
        Citation: authors, title, venue, year.
    kind
        One of ``KINDS``.
    year
        Of the reference.
    version
        Raised by one whenever results would change, so that older records count as stale.
    tags
        Keys of ``TAGS``.
    grid
        Hyper-parameter -> values to try when tuning; the paper's grid where it has one.
    paper_values
        Data set -> the values the paper chose where they differ from the constructor's
        defaults; ``"*"`` holds those for any data set not named and is overridden by the others.
    paper_column
        The method's name in the paper's tables (``results/paper.yaml``), None if not there.
    requires
        Import names of libraries that must be installed.
    """

    name: str
    estimator: type
    title: str
    reference: str
    kind: str = "other"
    year: int | None = None
    version: int = 1
    tags: frozenset[str] = frozenset()
    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    paper_values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    paper_column: str | None = None
    requires: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        unknown = self.tags - TAGS.keys()
        if unknown:
            raise ValueError(f"method {self.name}: unknown tags {sorted(unknown)}")
        if self.kind not in KINDS:
            raise ValueError(f"method {self.name}: unknown kind {self.kind!r}, use one of {KINDS}")
        allowed = self.defaults()
        for where, names in [("grid", self.grid), *self.paper_values.items()]:
            strange = names.keys() - allowed.keys()
            if strange:
                raise ValueError(
                    f"method {self.name}: {where} names {sorted(strange)}, "
                    f"which {self.estimator.__name__} does not take"
                )

    def defaults(self) -> dict[str, Any]:
        """Return the constructor's arguments and their default values."""
        parameters = inspect.signature(self.estimator).parameters.values()
        return {
            p.name: p.default
            for p in parameters
            if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
        }

    def paper_hyperparameters(self, dataset: str) -> dict[str, Any]:
        """Return the paper's values for a data set, defaults left out."""
        return {**self.paper_values.get(EVERY_DATASET, {}), **self.paper_values.get(dataset, {})}
