"""Ranks and selections of runs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata

from benchmark.errors import UserError
from benchmark.genes.selections import rank_scores, read_selections
from benchmark.results.arrays import FeatureScores, rank_first

from .conftest import MadeArrays, build_runs

#: Few values, so that there are equals.
SCORES = arrays(np.float32, st.integers(1, 30), elements=st.integers(-2, 6).map(float))


@given(SCORES)
def test_ranks_are_scipys(scores):
    np.testing.assert_array_equal(rank_scores(scores), rankdata(-scores))


def test_unknown_scores_share_the_last_ranks():
    ranks = rank_scores(np.array([np.nan, 3.0, np.nan, 5.0, np.nan, np.nan], dtype=np.float32))
    assert ranks.tolist() == [4.5, 2, 4.5, 1, 4.5, 4.5]


@given(SCORES, st.integers(0, 40))
def test_the_first_are_the_largest_with_a_positive_score(scores, count):
    first = rank_first(scores, count)
    assert len(first) == min(count, (scores > 0).sum())
    assert (np.diff(scores[first]) <= 0).all()
    rest = np.setdiff1d(np.arange(len(scores)), first)
    assert not len(first) or not len(rest) or scores[rest].max() <= scores[first].min()


def test_a_method_that_selects_none_selects_its_best(make_lists):
    lists = make_lists({"trees": [[0.5, 0.2, 0.3, 0.0]] * 2}, top=2)
    (found,) = lists.selections.values()
    assert found.own is None
    assert found.mark_selected(2).tolist() == [[True, False, True, False]] * 2
    assert found.mark_selected(50).sum() == 6  # no score, no use


def test_a_method_that_selects_is_taken_at_its_word(make_lists):
    lists = make_lists({"wpfs": [[0.5, 0.2, 0.3], [0.1, 0.2, 0.3]]}, {"wpfs": [[0], []]})
    assert lists.selections["wpfs"].mark_selected(2).tolist() == [[True, False, False], [False] * 3]


def test_failed_runs_and_methods_without_scores_are_left_out():
    runs = build_runs({"knn": 2, "flat": 2, "wpfs": 2})
    runs.loc[5, "status"] = "failed"
    one = FeatureScores(np.ones(3, dtype=np.float32), None)
    flat = FeatureScores(np.zeros(3, dtype=np.float32), None)
    selections = read_selections(runs, MadeArrays([None, None, flat, flat, one, one]))
    assert list(selections) == ["wpfs"]
    assert len(selections["wpfs"].runs) == 1


def test_scores_of_tables_of_different_widths_are_refused():
    found = [FeatureScores(np.ones(width, dtype=np.float32), None) for width in (3, 4)]
    with pytest.raises(UserError, match="of 3 and 4 features"):
        read_selections(build_runs({"wpfs": 2}), MadeArrays(found))
    with pytest.raises(UserError, match="of 3 and 4 features"):
        read_selections(build_runs({"wpfs": 1, "stg": 1}), MadeArrays(found))


@pytest.mark.parametrize("least", [0, -2])
def test_all_runs_are_ranked_as_each_alone(make_lists, least):
    rng = np.random.default_rng(0)
    scores = rng.integers(least, 4, (6, 50)).astype(np.float32)
    scores[rng.random(scores.shape) < 0.3] = np.nan
    scores[3] = np.nan
    scores[4] = 0
    found = make_lists({"trees": scores.tolist()}).selections["trees"]
    np.testing.assert_array_equal(found.ranks, [rank_scores(run) for run in scores])
