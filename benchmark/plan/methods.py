"""What is known of the methods without importing one.

A report needs titles, versions, grids and published values of some thirty methods, but none of
their classes. Those facts lie in ``methods.json`` beside this file, so that reporting starts
without scikit-learn. ``python -m benchmark.plan.methods`` writes the file from the methods; a
test fails when it is out of date.
"""

import functools
import importlib.metadata
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from baselines._shared.method import Method

INDEX = Path(__file__).with_name("methods.json")


@dataclass(frozen=True)
class MethodCard:
    """The plain facts of a ``baselines`` method.

    Parameters
    ----------
    name, title, reference, kind, year, version, tags, grid
        As in ``Method``.
    arguments
        The constructor's arguments and their default values.
    paper_values
        Data set -> hyper-parameters the paper chose, ``"*"`` for those not named.
    paper_column
        The method's name in the paper's tables, None if not there.
    """

    name: str
    title: str
    reference: str
    kind: str
    year: int | None
    version: int
    tags: tuple[str, ...]
    grid: Mapping[str, Sequence[Any]]
    arguments: Mapping[str, Any]
    paper_values: Mapping[str, Mapping[str, Any]]
    paper_column: str | None

    def defaults(self) -> dict[str, Any]:
        """Return the constructor's arguments and their default values."""
        return dict(self.arguments)

    def paper_hyperparameters(self, dataset: str) -> dict[str, Any]:
        """Return the paper's values for a data set, defaults left out."""
        return {**self.paper_values.get("*", {}), **self.paper_values.get(dataset, {})}


@functools.cache
def read_method_cards() -> dict[str, MethodCard]:
    """Return the cards of all methods by name, those of installed plug-ins included."""
    cards = {
        name: MethodCard(name=name, **facts)
        for name, facts in json.loads(INDEX.read_text()).items()
    }
    if importlib.metadata.entry_points(group="wpfs_bench.methods"):
        from baselines._shared.registry import discover

        cards |= {
            name: make_card(method) for name, method in discover().items() if name not in cards
        }
    return cards


def make_card(method: "Method") -> MethodCard:
    """Return the plain facts of a method."""
    facts: dict[str, Any] = {
        field.name: getattr(method, field.name)
        for field in fields(MethodCard)
        if field.name != "arguments"
    }
    facts |= {"tags": tuple(sorted(method.tags)), "arguments": method.defaults()}
    return MethodCard(**facts)


def format_index() -> str:
    """Return the text of ``methods.json`` as the methods of this checkout have it."""
    from baselines._shared.registry import discover

    cards = {}
    for name, method in discover().items():
        if method.estimator.__module__.partition(".")[0] in ("baselines", "wpfs"):
            facts = asdict(make_card(method))
            del facts["name"]
            cards[name] = facts
    return json.dumps(cards, indent=1, ensure_ascii=False, default=dict) + "\n"


if __name__ == "__main__":
    INDEX.write_text(format_index())
