"""``wpfs-bench genes evaluate``."""

import json

import pytest

from benchmark.datasets.loading import DataSource
from benchmark.plan.jobs import RunRequest, make_jobs
from benchmark.results.store import Store
from benchmark.run.execute import execute_job

NAME = "synthetic:samples=60,features=30,informative=3"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Return the folder of one cross-validation, done in this process."""
    store = Store(tmp_path_factory.mktemp("evaluate") / "runs")
    store.prepare()
    for job in make_jobs(RunRequest(["ridge", "knn"], [DataSource(NAME)], repeats=1)):
        outcome = execute_job(job)
        store.write(job.key, outcome.record, outcome.arrays)
    return store.folder


def test_genes_of_the_runs_stand_beside_random_ones_and_all(cli, store):
    answer = cli("genes", "evaluate", "-d", NAME, "-k", 3, "--results", store)
    assert answer.code == 0, answer.err
    assert "Linear SVM on synthetic" in answer.out
    assert "best 3" in answer.out
    assert "all 30" in answer.out
    assert "(n=5)" in answer.out
    assert "knn" not in answer.out
    answer = cli("genes", "evaluate", "-d", NAME, "-k", 3, "--results", store, "-f", "json")
    (table,) = json.loads(answer.out)
    (row,) = table["rows"]
    genes, top, drawn, everything, *_ = [cell["value"] for cell in row["cells"]]
    assert genes == 3
    assert drawn < top <= 100
    assert 0 < everything <= 100


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-d", NAME, "-m", "knn"], "no run on synthetic"),
        (["-d", "prostate"], "prostate"),
        (["-d", NAME, "-f", "rnk"], "unknown --format 'rnk'"),
        (["-d", NAME, "--target", "x"], "--target: only with --data FILE"),
        (["-d", NAME, "--transform", "log2p1"], "the genes cannot be tried without the table"),
    ],
)
def test_mistakes_get_one_line(cli, store, arguments, message):
    answer = cli("genes", "evaluate", *arguments, "--results", store)
    assert answer.code == 2
    assert message in answer.err
    assert answer.err.count("\n") == 1
