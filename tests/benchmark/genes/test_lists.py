"""Consensus lists, directions, and their exports."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from benchmark.datasets.dataset import Dataset
from benchmark.genes.direction import find_directions, list_outside_rows, measure_separation
from benchmark.genes.export import write_list, write_ranking, write_sets
from benchmark.genes.findings import describe_alike, describe_gates, list_warnings


@pytest.fixture
def table():
    """Four genes of 40 samples: high in b, high in a, constant, noise with gaps."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = np.stack([y * 2.0, -y * 2.0, np.zeros(40), np.zeros(40)], axis=1)
    X[:, [0, 1, 3]] += rng.normal(size=(40, 3))
    X[:3, 3] = np.nan
    names = np.array(["ESR1", "GATA3", "FLAT", "NOISE"])
    ids = np.array([f"s{i}" for i in range(40)])
    return Dataset(
        "made", X.astype(np.float32), y, names, ids, np.array(["a", "b"]), impute="median"
    )


FOLDS = [np.arange(start, 40, 5) for start in range(5)]


def test_the_list_says_what_the_runs_say(make_lists):
    lists = make_lists({"trees": [[3, 2, 1, 0], [2, 3, 0, 0], [4, 1, 2, 0]]}, top=1)
    best = lists.take_best("trees")
    assert best.index.tolist() == [0]
    everything = lists.by_method["trees"]
    assert everything.index.tolist() == [0, 1, 2, 3]
    first = everything.iloc[0]
    assert (first["place"], first["share"]) == (1, pytest.approx(2 / 3))
    assert (first["rank"], first["score"]) == (pytest.approx(4 / 3), 3)
    assert best[["rank_sd", "score_sd"]].iloc[0].tolist() == [pytest.approx(3**-0.5), 1]
    assert everything["used"].tolist() == [True, True, True, False]


def test_methods_are_pooled_by_rank_and_named(make_lists):
    lists = make_lists({"one": [[9, 8, 0, 0]], "two": [[0.1, 0.3, 0.2, 0.0]]}, top=2)
    pooled = lists.pooled
    # Ranks 1, 2, 3.5, 3.5 and 3, 1, 2, 4.
    assert pooled.index.tolist() == [1, 0, 2, 3]
    assert pooled["rank"].tolist() == [1.5, 2, 2.75, 3.75]
    assert pooled["methods"].tolist() == [("one", "two"), ("one",), ("two",), ()]
    assert lists.take_best().index.tolist() == [1, 0]


def test_what_no_run_used_is_on_no_list(make_lists):
    lists = make_lists({"lasso": [[0, 0, 5, 0]]}, {"lasso": [[2]]})
    assert lists.list_top("lasso") == [2]
    assert lists.list_top() == [2]


def test_directions_and_separation_are_of_the_rows_outside_the_test_rows(table):
    splits = list_outside_rows(table, FOLDS)
    directions = find_directions(table, splits)
    assert directions[:3].tolist() == [1, 0, -1]
    found = measure_separation(table, splits, np.array([1, 0, 2]), directions)
    for column, (gene, code) in enumerate([(1, 0), (0, 1)]):
        expected = [roc_auc_score(table.y[rows] == code, table.X[rows, gene]) for rows in splits]
        assert found[column] == pytest.approx(np.mean(expected))
    assert np.isnan(found[2])


def test_test_rows_are_never_looked_at(table):
    """Other values in rows that are test rows of every split change nothing."""
    poisoned = table.X.copy()
    poisoned[::5] = 1e6
    other = Dataset(
        "made", poisoned, table.y, table.feature_names, table.sample_ids, table.class_names,
        impute="median",
    )  # fmt: skip
    splits = list_outside_rows(table, [np.arange(0, 40, 5)] * 2)
    features = np.arange(4)
    for one, two in (
        (find_directions(table, splits), find_directions(other, splits)),
        (
            measure_separation(table, splits, features, np.array([1, 0, 0, 1])),
            measure_separation(other, splits, features, np.array([1, 0, 0, 1])),
        ),
    ):
        np.testing.assert_array_equal(one, two)


def test_a_list_has_names_and_directions_where_the_table_is_at_hand(make_lists, table):
    scores = {"trees": [[0.2, 0.7, 0.1, 0.0]] * 5}
    best = make_lists(scores, table=table, test_rows=FOLDS).take_best()
    assert best["name"].tolist() == ["GATA3", "ESR1", "FLAT"]
    assert best["high_in"].tolist() == ["a", "b", ""]
    assert best["auroc"].iloc[0] > 0.8
    bare = make_lists(scores).take_best()
    assert bare["name"].tolist() == ["feature 2", "feature 1", "feature 3"]
    assert bare["high_in"].tolist() == [""] * 3
    assert bare["auroc"].isna().all()


def test_exports(make_lists, table):
    one = {"trees": [[0.2, 0.7, 0.1, 0.0]] * 5}
    lists = make_lists(one, table=table, test_rows=FOLDS, top=2)
    assert write_ranking(lists).splitlines() == [
        "# made: mean importance of trees, positive where higher in b",
        "ESR1\t0.2",
        "FLAT\t0.1",
        "NOISE\t0",
        "GATA3\t-0.7",
    ]
    assert write_list(lists) == "GATA3\nESR1\n"
    both = make_lists(one | {"lasso": [[0, 0, 3, 0]]}, table=table, test_rows=FOLDS, top=2)
    assert write_sets(both).splitlines() == [
        "made-trees\t2 best genes of 5 runs\tGATA3\tESR1",
        "made-lasso\t1 best gene of 1 run\tFLAT",
        "made-over-methods\t2 best genes of 6 runs\tGATA3\tFLAT",
    ]
    # Ranks over methods: 2.5, 2, 2, 3.5 of 4.
    assert write_ranking(both).splitlines()[1:] == [
        "FLAT\t0.666667", "ESR1\t0.5", "NOISE\t0.166667", "GATA3\t-0.666667",
    ]  # fmt: skip


def test_a_list_no_more_stable_than_chance_is_warned_of(make_lists):
    rng = np.random.default_rng(0)
    lists = make_lists(
        {"dice": rng.random((20, 200)), "sure": [np.arange(200)] * 20, "once": [np.arange(200)]},
        top=10,
    )
    (warning,) = list_warnings(lists)
    assert warning.startswith("dice: ")


def test_selecting_everything_is_no_selection(make_lists):
    everything = {"dnp": [[0, 1, 2]] * 2}
    (warning,) = list_warnings(make_lists({"dnp": [[3, 2, 1]] * 2}, everything))
    assert warning == "dnp: its runs select every gene, so it has a ranking and no selection."
    (warning,) = list_warnings(make_lists({"dnp": [[3, 2, 1]] * 2}, {"dnp": [[], []]}))
    assert "select no gene" in warning


def test_genes_that_share_the_best_score_are_warned_of(make_lists):
    scores = {"wpfs": [[1, 1, 1, 0.5]] * 3, "lasso": [[3, 3, 1, 0]] * 3}
    (warning,) = list_warnings(make_lists(scores, top=2))
    assert warning.startswith("wpfs: about 3 genes")


def test_methods_with_nearly_the_same_list_are_one_opinion(make_lists):
    rng = np.random.default_rng(0)
    scores = {model: [rng.random(200)] * 2 for model in ("dice", "trees", "more-dice")}
    scores["anova"] = scores["centroids"] = [np.arange(200)] * 2
    (line,) = describe_alike(make_lists(scores))
    assert line.startswith("anova, centroids rank nearly alike")
    assert line.endswith("one opinion, counted 2 times.")


def test_undecided_gates_are_counted(make_lists):
    lists = make_lists({"wpfs": [[0.0, 1.0, 0.5, 0.99]] * 2, "lasso": [[0.5] * 4]})
    (line,) = describe_gates(lists)
    assert line.startswith(
        "wpfs: 25.0% of its scores are undecided (0.05 to 0.95), 50.0% lie above"
    )
    assert "80.5" in line
