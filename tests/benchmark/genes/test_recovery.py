"""Recovery of true features."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from benchmark.datasets.synthetic import load_synthetic
from benchmark.genes.recovery import measure_average_precision, measure_recovery
from benchmark.genes.selections import rank_scores


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=40))
def test_average_precision_is_scikit_learns(pairs):
    scores, truth = (np.array(column) for column in zip(*pairs, strict=True))
    truth[0] = True
    found = measure_average_precision(rank_scores(scores.astype(np.float32)), truth.astype(bool))
    assert found == pytest.approx(average_precision_score(truth, scores))


def test_precision_and_recall_of_each_run(make_lists):
    table = load_synthetic(samples=60, features=20, informative=4, seed=1)
    truth = table.informative
    others = np.setdiff1d(np.arange(20), truth)
    scores = np.zeros((2, 20))
    scores[0, truth] = [4, 3, 2, 1]
    scores[1, others[:2]], scores[1, truth[:2]] = 2, 1
    lists = make_lists({"lasso": scores}, {"lasso": [truth, []]}, table=table)
    found = measure_recovery(lists)["lasso"]
    assert found.precision[0] == 1
    assert np.isnan(found.precision[1])
    assert found.recall.tolist() == [1, 0]
    assert found.average_precision[0] == 1
    assert found.average_precision[1] == pytest.approx(0.5 * 0.5 + 0.5 * 0.2)


def test_nothing_is_known_of_real_tables(make_lists):
    assert measure_recovery(make_lists({"lasso": [[1, 0]]})) == {}
