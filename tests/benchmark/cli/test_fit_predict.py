"""``wpfs-bench fit`` and ``predict``: from one table to classes of another."""

import json

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """Two cohorts: the first with classes, the second with genes in rows and another unit."""
    rng = np.random.default_rng(0)
    genes = [f"GENE{j}" for j in range(12)]
    y = np.array(["tumour", "normal"] * 20)
    for name in ("first", "second"):
        X = rng.normal(6, 1, (40, 12))
        X[y == "tumour", :4] += 4
        frame = pd.DataFrame(X.round(4), columns=genes, index=[f"{name}{i}x" for i in range(40)])
        if name == "first":
            frame.assign(kind=y, age=60).to_csv(tmp_path / "first.csv", index_label="id")
        else:
            frame.assign(EXTRA=1).T.to_csv(tmp_path / "second.tsv", sep="\t", index_label="gene")
    monkeypatch.chdir(tmp_path)
    return tmp_path


TRAIN = ["--data", "first.csv", "--id", "id", "--target", "kind", "--drop", "age"]
NEW = ["--data", "second.tsv", "--genes-in-rows"]


def test_from_a_cohort_to_predictions_on_another(cli, tables):
    answer = cli("fit", "-m", "shrunken-centroids", *TRAIN, "--output", "model")
    assert answer.code == 0, answer.err
    assert "learnt from 36 samples, 4 held out for validation" in answer.out
    assert "written to model" in answer.out
    answer = cli("predict", "model", *NEW)
    assert answer.code == 0, answer.err
    assert "12 of the model's 12 genes found; 1 other column not used" in answer.err
    assert "p(tumour)" in answer.out
    assert "40 samples: " in answer.out
    answer = cli("predict", "model", *NEW, "--output", "classes.csv")
    assert answer.code == 0
    found = pd.read_csv("classes.csv", index_col="sample")
    assert list(found.columns) == ["class", "p(normal)", "p(tumour)"]
    assert np.mean(found["class"] == ["tumour", "normal"] * 20) > 0.9
    np.testing.assert_allclose(found.iloc[:, 1:].sum(axis=1), 1)
    cli("predict", "model", *NEW, "--output", "classes.json")
    rows = json.loads((tables / "classes.json").read_text())
    assert rows[0] == {"sample": "second0x", **found.iloc[0].to_dict()}


def test_hyperparameters_seed_and_a_registry_s_table(cli, tables):
    source = "synthetic:samples=60,features=30,informative=3"
    answer = cli("fit", "-m", "ridge", "-d", source, "--set", "alpha=5", "--seed", 7, "-o", "m")
    assert answer.code == 0, answer.err
    card = json.loads((tables / "m" / "model.json").read_text())
    assert (card["hyperparameters"], card["seed"]) == ({"alpha": 5.0}, 7)
    answer = cli("predict", "m", "-d", source, "-o", "p.csv")
    assert answer.code == 0, answer.err
    assert len(pd.read_csv("p.csv")) == 60


def test_a_class_of_a_file_runs_only_when_named(cli, tables):
    (tables / "mine.py").write_text(
        "from sklearn.naive_bayes import GaussianNB\n"
        "print('executed')\n"
        "class Mine(GaussianNB):\n    pass\n"
    )
    assert cli("fit", "--method", "mine.py:Mine", *TRAIN, "-o", "model").code == 0
    answer = cli("predict", "model", *NEW)
    assert (answer.code, answer.out) == (2, "")
    assert "name the file with --method path/to/mine.py:Mine; its code will run" in answer.err
    assert cli("predict", "model", *NEW, "--method", "mine.py:Mine").code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "-m", "ridge", "-o", "model"], "one table with --dataset or --data, not none"),
        (["fit", *TRAIN, "-o", "new"], "name one method with --model or --method, not none"),
        (["fit", "-m", "ridge,lasso", *TRAIN, "-o", "new"], "name one method"),
        (["fit", "-m", "ridge", *TRAIN, "-o", "kept"], "holds a model already"),
        (["fit", "-m", "ridge", *TRAIN, "-o", "."], "exists and is no model"),
        (["fit", "-m", "ridge", *TRAIN, "-o", "first.csv/m"], "choose another folder"),
        (["fit", "-m", "ridge", *TRAIN, "--set", "alpa=1", "-o", "new"], "mean 'alpha'"),
        (["fit", "-m", "ridge", *TRAIN, "--hyperparameters", "tuned", "-o", "new"], "paper"),
        (["fit", "-m", "ridge", *TRAIN, "--gpu", "x", "-o", "new"], "--gpu x"),
        (["predict", "nothing", *NEW], "model nothing does not exist"),
        (["predict", "kept"], "name one table of new samples"),
        (["predict", "kept", *NEW, "-d", "prostate"], "name one table of new samples"),
        (["predict", "kept", "-d", "x", "--id", "y"], "--id: only with --data FILE"),
        (["predict", "kept", *NEW, "--missing", "mean"], "--missing mean: use error or median"),
        (["predict", "kept", *NEW, "--rescale", "all"], "--rescale all: use none or cohort"),
        (["predict", "kept", *NEW, "--method", "a.py:B"], "the model's method is"),
        (["predict", "kept", "--data", "few.csv"], "10 of the model's 12 genes are missing"),
        (["predict", "kept", "--data", "text.csv"], "1 feature column without numbers: GENE1"),
        (["predict", "kept", "--data", "other.csv"], "none of its columns (A, B) is a gene"),
        (["predict", "kept", *NEW, "-o", "first.csv/x.csv"], "choose another file"),
    ],
)  # fmt: skip
def test_mistakes_get_one_line(cli, tables, arguments, message):
    assert cli("fit", "-m", "majority", *TRAIN, "-o", "kept").code == 0
    for name, text in {
        "few.csv": "GENE0,GENE1\n1,2\n3,4\n",
        "text.csv": "GENE0,GENE1\n1,x\n3,y\n",
        "other.csv": "A,B\n1,2\n3,4\n",
    }.items():
        (tables / name).write_text(text)
    before = sorted(tables.rglob("*"))
    answer = cli(*arguments)
    assert answer.code == 2
    error = answer.err.splitlines()[-1]  # what was found is told before
    assert error.startswith("error: ")
    assert message in error
    assert sorted(tables.rglob("*")) == before


def test_a_method_that_fails_is_not_the_user_s_mistake(cli, tables):
    (tables / "bad.py").write_text(
        "class Bad:\n"
        "    def fit(self, X, y):\n        raise RuntimeError('no luck')\n"
        "    def predict(self, X):\n        return X\n"
    )
    answer = cli("fit", "--method", "bad.py:Bad", *TRAIN, "-o", "model")
    assert answer.code == 1
    assert answer.err == "error: fitting bad failed: RuntimeError: no luck\n"
    assert not (tables / "model").exists()


@pytest.mark.parametrize("orientation", ["columns", "rows", "text"])
def test_a_model_of_the_genes_that_another_table_has(cli, tables, orientation):
    other = pd.DataFrame(np.ones((5, 3)), columns=["gene3", "GENE1", "x"])
    if orientation == "columns":
        other.to_csv("other.csv", index=False)
    else:
        other.T.to_csv("other.csv", index_label="gene" if orientation == "text" else "")
    answer = cli("fit", "-m", "ridge", *TRAIN, "--shared-with", "other.csv", "-o", "model")
    assert answer.code == 0, answer.err
    card = json.loads((tables / "model" / "model.json").read_text())
    assert [gene["name"] for gene in card["genes"]] == ["GENE1", "GENE3"]
    answer = cli("fit", "-m", "ridge", *TRAIN, "--shared-with", "synthetic", "-o", "none")
    assert answer.code == 2
    assert "first and synthetic share 0 genes" in answer.err
