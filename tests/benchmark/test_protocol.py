import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.errors import UserError
from benchmark.protocol import RunKey, check_class_sizes, make_split


@pytest.fixture
def key() -> RunKey:
    return RunKey("prostate", "abc", "lightgbm", 1, '{"max_depth":1}', repeat=2, fold=3)


@given(
    counts=st.lists(st.integers(6, 40), min_size=2, max_size=4),
    repeat=st.integers(0, 9),
    fold=st.integers(0, 4),
)
@settings(max_examples=40, deadline=None)
def test_a_split_partitions_the_rows_and_holds_every_class(
    counts: list[int], repeat: int, fold: int
) -> None:
    y = np.repeat(np.arange(len(counts)), counts)
    split = make_split(y, repeat, fold)
    rows = np.concatenate([split.train, split.valid, split.test])
    np.testing.assert_array_equal(np.sort(rows), np.arange(len(y)))
    assert len(split.valid)
    for part in (split.train, split.test):
        assert set(y[part]) == set(range(len(counts)))


def test_splits_are_those_of_the_paper() -> None:
    """Made with StratifiedKFold(5, shuffle, repeat) and a tenth drawn with the fold's number."""
    from sklearn.model_selection import StratifiedKFold, train_test_split

    y = np.tile([0, 1, 1], 34)
    for repeat in (0, 4):
        folds = StratifiedKFold(5, shuffle=True, random_state=repeat).split(y, y)
        for fold, (rest, test) in enumerate(folds):
            train, valid = train_test_split(
                rest, test_size=0.1, random_state=fold, stratify=y[rest]
            )
            split = make_split(y, repeat, fold)
            np.testing.assert_array_equal(split.train, train)
            np.testing.assert_array_equal(split.valid, valid)
            np.testing.assert_array_equal(split.test, test)


def test_golden_checksums() -> None:
    y = np.tile([0, 1, 1], 34)
    found = [make_split(y, repeat, fold).checksum for repeat, fold in [(0, 0), (0, 1), (1, 0)]]
    assert found == ["3dd44c62410aca7e", "da83c3e498cb9c82", "11fc973e3bb06423"]


def test_test_folds_of_a_repeat_cover_all_rows_once() -> None:
    y = np.tile([0, 1, 2], 20)
    tests = np.concatenate([make_split(y, 3, fold).test for fold in range(5)])
    np.testing.assert_array_equal(np.sort(tests), np.arange(60))


@pytest.mark.parametrize("fold", range(4))
def test_groups_stay_together(fold: int) -> None:
    y = np.tile([0, 1], 60)
    groups = np.repeat(np.arange(30), 4).astype(str)
    split = make_split(y, 0, fold, folds=4, groups=groups)
    parts = [set(groups[part]) for part in (split.train, split.valid, split.test)]
    assert all(parts)
    assert not parts[0] & parts[1]
    assert not parts[0] & parts[2]
    assert not parts[1] & parts[2]


def test_a_class_too_small_to_split_is_named() -> None:
    y = np.array([0] * 20 + [1] * 4)
    with pytest.raises(UserError, match="class 1 has 4 samples, too few for 5 folds"):
        check_class_sizes(y, folds=5)
    check_class_sizes(y, folds=4)


def test_a_key_is_a_readable_path_and_log_prefix(key: RunKey) -> None:
    assert key.path.startswith("prostate/lightgbm/max_depth=1-")
    assert key.path.endswith("/r2-f3-s42")
    assert str(key) == "prostate lightgbm[max_depth=1] r2-f3-s42"


@pytest.mark.parametrize(
    "change",
    [
        {"dataset_checksum": "other"},
        {"method_version": 2},
        {"protocol_version": 2},
        {"settings": "{}"},
        {"folds": 4},
        {"seed": 43},
        {"repeat": 0},
        {"fold": 0},
    ],
)
def test_whatever_differs_gives_another_path(key: RunKey, change: dict[str, object]) -> None:
    from dataclasses import replace

    assert replace(key, **change).path != key.path  # type: ignore[arg-type]


def test_names_cannot_leave_the_results_folder() -> None:
    key = RunKey("../../etc/passwd", "abc", "a/b", 1, "{}", repeat=0, fold=0)
    assert ".." not in key.path.split("/")
    assert key.path.count("/") == 3


@pytest.mark.parametrize("fold", range(5))
def test_few_groups_still_give_a_validation_group(fold: int) -> None:
    y = np.tile([0, 1], 60)
    groups = np.repeat(np.arange(12), 10).astype(str)
    split = make_split(y, 0, fold, groups=groups)
    parts = [set(groups[part]) for part in (split.train, split.valid, split.test)]
    assert all(parts)
    assert not parts[0] & parts[1]
    assert not parts[0] & parts[2]
    assert not parts[1] & parts[2]


def test_fewer_groups_than_folds_is_an_error_that_says_what_to_do() -> None:
    y = np.tile([0, 1], 20)
    with pytest.raises(UserError, match="4 groups, too few for 5 folds: use fewer --folds"):
        make_split(y, 0, 0, groups=np.repeat(np.arange(4), 10).astype(str))
