"""The index of methods."""

import pytest

from baselines._shared.registry import discover
from benchmark.plan.hyperparameters import PRESETS, list_hyperparameters
from benchmark.plan.methods import INDEX, format_index, make_card, read_method_cards


def test_the_index_is_in_step_with_the_methods() -> None:
    assert INDEX.read_text() == format_index(), "run `python -m benchmark.plan.methods`"


@pytest.mark.parametrize("preset", PRESETS)
def test_a_card_gives_the_hyperparameters_of_its_method(preset: str) -> None:
    cards, methods = read_method_cards(), discover()
    for name in ("wpfs", "random-forest", "lightgbm", "majority"):
        for dataset in ("prostate", "a-users-own"):
            found = list_hyperparameters(cards[name], dataset, preset)
            assert found == list_hyperparameters(methods[name], dataset, preset)


def test_a_card_says_what_a_report_needs() -> None:
    card, method = read_method_cards()["lightgbm"], discover()["lightgbm"]
    assert (card.title, card.paper_column) == (method.title, method.paper_column)
    assert make_card(method).version == card.version == method.version
