import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.datasets.splits import check_folds, make_split
from benchmark.errors import UserError


@given(
    counts=st.lists(st.integers(6, 40), min_size=2, max_size=4),
    repeat=st.integers(0, 9),
    fold=st.integers(0, 4),
)
@settings(max_examples=40)
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
    with pytest.raises(UserError, match="class 1 has 4 samples, 5 folds need at least 5: merge"):
        check_folds(y, folds=5)
    check_folds(y, folds=4)


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


@given(seed=st.integers(0, 10_000), n_groups=st.integers(8, 29))
def test_classes_are_in_training_and_validation_even_with_few_groups(
    seed: int, n_groups: int
) -> None:
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), rng.integers(1, 5, n_groups))
    y = rng.permutation(n_groups)[groups] % 2  # one class per group
    try:
        split = make_split(y, 0, seed % 4, 4, groups.astype(str))
    except UserError:
        # Too few groups of a class are left outside the test fold, or altogether.
        assert n_groups < 16
        return
    assert set(y[split.train]) == set(y[split.valid]) == {0, 1}


def test_one_sample_per_group_on_a_small_table() -> None:
    y = np.tile([0, 1], 11)
    for fold in range(5):
        split = make_split(y, 0, fold, groups=np.arange(22).astype(str))
        assert set(y[split.valid]) == {0, 1}


def test_groups_are_shuffled_as_by_scikit_learn_1_8_whatever_its_version() -> None:
    y, groups = np.tile([0, 1], 24), np.repeat(list("abcdefghijklmnop"), 3)
    tests = [make_split(y, 7, fold, folds=4, groups=groups).test for fold in range(4)]
    # What its StratifiedGroupKFold(4, shuffle=True, random_state=7) gives.
    assert ["".join(sorted(set(groups[rows]))) for rows in tests] == [
        "fglm",
        "ajkn",
        "bcde",
        "hiop",
    ]


def test_groups_that_cannot_hold_every_class_twice_are_refused() -> None:
    y = np.array([0] * 40 + [1] * 8)
    groups = np.array([*(str(i) for i in range(40)), *["a"] * 7, "b"])
    with pytest.raises(UserError, match="class 1 has 2 groups, 5 folds need at least 5"):
        make_split(y, 0, 0, groups=groups)


def test_fewer_groups_than_folds_is_an_error_that_says_what_to_do() -> None:
    y = np.tile([0, 1], 20)
    with pytest.raises(UserError, match="class 0 has 4 groups, 5 folds need at least 5"):
        make_split(y, 0, 0, groups=np.repeat(np.arange(4), 10).astype(str))
