import pytest

from baselines.registry import get_method
from benchmark.errors import UserError
from benchmark.hyperparameters import (
    find_presets,
    hash_values,
    label,
    normalise,
    parse_assignments,
    settable,
)


def test_values_equal_to_the_defaults_are_left_out() -> None:
    forest = get_method("random-forest")
    assert normalise(forest, {"max_depth": 5, "min_samples_leaf": 3}) == {"min_samples_leaf": 3}


def test_whole_numbers_for_fractions_are_fractions() -> None:
    boosting = get_method("lightgbm")
    assert hash_values(normalise(boosting, {"learning_rate": 1})) == hash_values(
        normalise(boosting, {"learning_rate": 1.0})
    )


def test_unknown_names_are_answered_with_the_allowed_ones() -> None:
    with pytest.raises(UserError, match=r"'max_deph'.*did you mean 'max_depth'.*n_estimators"):
        normalise(get_method("random-forest"), {"max_deph": 3})


def test_what_the_suite_sets_cannot_be_set() -> None:
    forest = get_method("random-forest")
    assert "random_state" not in settable(forest)
    with pytest.raises(UserError, match="random_state"):
        normalise(forest, {"random_state": 1})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("3e-4", 3e-4),
        ("0.5", 0.5),
        ("true", True),
        ("null", None),
        ("sqrt", "sqrt"),
        ("[100, 10]", [100, 10]),
    ],
)
def test_assignments(text: str, value: object) -> None:
    parsed = parse_assignments([f"name={text}"])["name"]
    assert parsed == value
    assert type(parsed) is type(value)


def test_an_assignment_needs_an_equals_sign() -> None:
    with pytest.raises(UserError, match="name=value"):
        parse_assignments(["max_depth"])


def test_labels_are_short_and_safe_in_paths() -> None:
    assert label({}) == "default"
    assert label({"b": 0.1, "a": [1, 2]}) == "a=1+2,b=0.1"
    assert "/" not in label({"a": "../x"})
    assert len(label({"a": "x" * 500})) < 60


def test_presets_are_found_by_comparison() -> None:
    forest = get_method("random-forest")
    assert find_presets(forest, "prostate", {}) == ("paper", "default", "grid")
    assert find_presets(forest, "toxicity", {}) == ("default", "grid")
    assert find_presets(forest, "toxicity", {"min_samples_leaf": 3}) == ("paper", "grid")
    assert find_presets(forest, "toxicity", {"n_estimators": 7}) == ()
