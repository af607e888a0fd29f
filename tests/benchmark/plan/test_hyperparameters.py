import pytest

from baselines._shared.method import Method
from baselines._shared.registry import discover, get_method
from benchmark.errors import UserError
from benchmark.plan.hyperparameters import (
    find_presets,
    hash_values,
    label,
    normalise,
    parse_assignments,
    settable,
)


class Switched:
    """Takes a switch."""

    def __init__(self, centre: bool = True) -> None:
        self.centre = centre


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


@pytest.mark.parametrize(
    ("method", "values", "message"),
    [
        ("linear-svm", {"C": "abc"}, r"linear-svm: C must be a number \(default 0.01\), not 'abc'"),
        ("linear-svm", {"C": True}, "must be a number"),
        ("linear-svm", {"C": [1]}, "must be a number"),
        ("linear-svm", {"C": float("inf")}, "must be finite"),
        ("switched", {"centre": 1}, "switched: centre must be true or false"),
    ],
)
def test_values_of_another_kind_are_refused(
    method: str, values: dict[str, object], message: str
) -> None:
    switched = Method("switched", Switched, "Switched", "nobody")
    with pytest.raises(UserError, match=message):
        normalise(switched if method == "switched" else get_method(method), values)


def test_no_limit_and_fractions_stand_for_numbers() -> None:
    forest = get_method("random-forest")
    values = {"max_depth": None, "min_samples_leaf": 0.1}
    assert normalise(forest, values) == values


def test_published_values_and_grids_are_of_the_right_kind() -> None:
    for method in discover().values():
        for values in method.paper_values.values():
            normalise(method, values)
        for name, choices in method.grid.items():
            for value in choices:
                normalise(method, {name: value})


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
