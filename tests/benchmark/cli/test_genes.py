"""``wpfs-bench genes`` as a user calls it."""

import csv
import functools
import io
import json
import re

import numpy as np
import pytest

from benchmark.datasets.loading import load
from benchmark.datasets.splits import make_split
from benchmark.plan.key import RunKey
from benchmark.results.archive import write_archive
from benchmark.results.arrays import pack_arrays
from benchmark.results.reading import read_results
from benchmark.results.store import Store

NAME = "synthetic:samples=60,features=30,informative=3"


def write_runs(folder, name=NAME, models=("random-forest", "lasso", "knn"), checksum=""):
    """Write five runs of each method: one ranks the true features first, one selects them."""
    dataset, rng = load(name), np.random.default_rng(0)
    store = Store(folder)
    store.prepare()
    for model in models:
        for fold in range(5):
            split = make_split(dataset.y, 0, fold)
            key = RunKey(
                dataset.name, checksum or dataset.checksum, model, 1, "{}", repeat=0, fold=fold
            )
            record = {
                "stand_in_for": "",
                "dataset_differences": [],
                "presets": ["paper", "default"],
                "status": "ok",
                "error": "",
                "split_checksum": split.checksum,
                "started": "2026-11-16T00:00:00Z",
                "versions": {},
                "balanced_accuracy_test": 0.8 + fold / 100,
            }
            scores = rng.random(dataset.n_features).astype(np.float32)
            scores[dataset.informative] += 1
            arrays = {
                "test_index": split.test,
                "y_true": dataset.y[split.test],
                "y_pred": dataset.y[split.test],
                "proba": np.eye(3)[dataset.y[split.test]],
            }
            if model == "random-forest":
                arrays["importances"] = scores
            elif model == "lasso":
                arrays["importances"] = np.where(scores > 1, scores, 0)
                arrays["selected"] = dataset.informative.astype(np.int32)
                record["n_selected"] = 3
            store.write(key, record, arrays)
    return folder


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_runs(tmp_path_factory.mktemp("genes") / "runs")


@pytest.fixture
def genes(cli):
    """Return a function that runs the command."""
    return functools.partial(cli, "genes", columns=130)


@pytest.fixture
def truth():
    dataset = load(NAME)
    return dataset.feature_names[dataset.informative].tolist()


def test_it_shows_a_list_its_stability_and_the_truth_where_it_is_known(genes, results, truth):
    answer = genes("--results", results)
    assert answer.code == 0
    assert "over 2 methods" in answer.out
    assert "No list of knn" in answer.out
    assert all(name in answer.out for name in truth)
    assert "True features found" in answer.out


def test_the_consensus_in_full(genes, results, truth):
    answer = genes("--results", results, "-f", "json", "--top", 3, "--table", "consensus")
    (table,) = json.loads(answer.out)
    assert {row["label"] for row in table["rows"]} == set(truth)
    for place, row in enumerate(table["rows"], start=1):
        cells = dict(zip(table["columns"], row["cells"], strict=True))
        assert cells["place"]["value"] == place
        assert cells["methods"]["value"] == 2
        assert cells["share"]["value"] == 100
        assert cells["high in"]["value"] in ("class-0", "class-1", "class-2")
        assert 0.4 < cells["AUROC alone"]["value"] <= 1


def test_lists_per_method_stability_and_agreement(genes, results):
    answer = genes(
        *("--results", results, "-f", "json", "--top", 3),
        *("--table", "methods", "--table", "stability", "--table", "agreement"),
    )
    tables = json.loads(answer.out)
    assert [table["table"].split("-synthetic")[0] for table in tables] == [
        "genes-lasso", "genes-random-forest", "genes-stability", "genes-jaccard",
        "genes-rank-overlap",
    ]  # fmt: skip
    lasso = tables[2]["rows"][0]["cells"]
    assert [cell["value"] for cell in lasso[:5]] == ["by itself", 3.0, 1.0, 1.0, 1.0]
    assert lasso[5]["n"] == 5
    assert tables[3]["rows"][0]["cells"][1]["value"] == 1


def test_the_methods_of_the_paper_can_be_chosen_as_a_group(genes, results):
    answer = genes("--results", results, "-m", "paper", "--table", "stability")
    assert answer.code == 0
    assert "random-forest" in answer.out
    assert "lasso " not in answer.out


def test_one_method_shows_its_own_list(genes, results):
    answer = genes("--results", results, "-m", "lasso")
    assert "Genes of synthetic:samples=60,features=30,informative=3 by lasso" in answer.out
    assert "selected by the method itself" in answer.out


@pytest.mark.parametrize("format", ["csv", "markdown", "latex"])
def test_other_formats(genes, results, format, truth):
    answer = genes("--results", results, "--format", format)
    assert answer.code == 0
    assert truth[0] in answer.out


def test_lists_for_other_programs(genes, results, truth, tmp_path):
    answer = genes("--results", results, "-f", "list", "--top", 3)
    assert set(answer.out.split()) == set(truth)
    genes("--results", results, "-f", "gmt", "-o", tmp_path / "x.gmt")
    lines = (tmp_path / "x.gmt").read_text().splitlines()
    assert [line.split("\t")[0].removeprefix(f"{NAME}-") for line in lines] == [
        "lasso", "random-forest", "over-methods",
    ]  # fmt: skip
    answer = genes("--results", results, "-f", "rnk")
    assert len(answer.out.splitlines()) == 31
    answer = genes("--results", results, "-f", "tsv")
    lines = [dict(row) for row in csv.DictReader(io.StringIO(answer.out), delimiter="\t")]
    assert len(lines) == 30
    assert {line["gene"] for line in lines[:3]} == set(truth)
    assert [line["place"] for line in lines[:3]] == ["1", "2", "3"]
    assert all(line["lasso_share"] == "1" for line in lines[:3])
    assert {line["high_in"] for line in lines} <= {"class-0", "class-1", "class-2"}
    assert float(lines[0]["random-forest_score"]) > 1


def test_gene_sets(genes, results, truth, tmp_path):
    file = tmp_path / "sets.gmt"
    file.write_text("TRUE\tx\t" + "\t".join(truth) + "\nOTHER\tx\tgene-02\tESR1\nNONE\tx\tESR1\n")
    answer = genes("--results", results, "--gene-sets", file, "--top", 3, "-f", "json")
    table = next(t for t in json.loads(answer.out) if t["table"].startswith("genes-enrichment"))
    (row,) = table["rows"]
    assert row["label"] == "TRUE"
    # All three of 30: 1 / C(30, 3), and the second set has a gene in the table.
    assert row["cells"][3]["value"] == pytest.approx(2 / 4060, rel=1e-5)
    assert row["cells"][4]["value"] == pytest.approx(1 / 4060, rel=1e-5)
    assert "1 set without a gene in the table left out." in table["notes"]


def test_recovery_over_several_sizes(cli, genes, tmp_path):
    larger = NAME.replace("60", "120")
    for name in (NAME, larger):
        write_runs(tmp_path, name, ("lasso",))
    answer = genes(
        "--results", tmp_path, "-d", NAME, "-d", larger, "--table", "recovery", "-f", "json"
    )
    (table,) = json.loads(answer.out)
    assert [row["cells"][1]["value"] for row in table["rows"]] == [60, 120]
    assert all(row["cells"][2]["value"] == 1 for row in table["rows"])
    # Synthetic tables of several sizes are not samples of a table: the page has them unasked.
    cli("report", "--results", tmp_path, "-f", "html", "-o", tmp_path / "report.html")
    assert 'id="recovery-' in (tmp_path / "report.html").read_text()


def test_an_archive_gives_the_same_list(genes, results, tmp_path):
    frame, arrays = read_results(results)
    write_archive(frame, tmp_path / "archive", arrays)
    ours, theirs = (
        genes("--results", folder, "-f", "csv") for folder in (results, tmp_path / "archive")
    )
    assert ours.out == theirs.out


def test_an_archive_says_what_it_cannot_give(genes, tmp_path):
    wide = "synthetic:samples=60,features=150,informative=3"
    write_runs(tmp_path / "runs", wide, ("random-forest",))
    frame, arrays = read_results(tmp_path / "runs")
    write_archive(frame, tmp_path / "archive", arrays)
    for folder, told in (("runs", False), ("archive", True)):
        answer = genes("--results", tmp_path / folder, "--top", 100)
        assert ("keeps the 100 best scores of each" in answer.out) == told
    answer = genes("--results", tmp_path / "archive", "--top", 120, "--table", "stability")
    assert answer.code == 2
    assert "only the 100 best scores are kept: ask for 100 genes" in answer.err


def test_methods_that_rank_nothing_are_told_from_runs_without_scores(genes, tmp_path):
    write_runs(tmp_path, models=("lasso", "knn", "ridge"))
    printed = " ".join(genes("--results", tmp_path).out.split())
    assert "No list of knn: no scores of genes." in printed
    assert "No list of ridge yet" in printed
    assert "wpfs-bench run --force" in printed


def test_a_damaged_run_is_left_out_and_named(genes, tmp_path):
    write_runs(tmp_path, models=("lasso",))
    damaged = sorted(tmp_path.rglob("*.npz"))[2]
    damaged.write_bytes(damaged.read_bytes()[:-40])
    answer = genes("--results", tmp_path, "--table", "methods")
    assert answer.code == 0
    assert "From 4 runs" in answer.out
    assert f"cannot read {damaged}: what it holds is left out" in answer.err


def test_without_the_table_names_come_from_the_archive_or_are_numbers(genes, tmp_path):
    write_runs(tmp_path / "runs", checksum="d" * 64)
    answer = genes("--results", tmp_path / "runs", "--table", "consensus")
    assert "is not the one that the runs learnt from" in " ".join(answer.out.split())
    assert "feature 1" in answer.out
    frame, arrays = read_results(tmp_path / "runs")
    names = {"d" * 64: np.array([f"GENE{j}" for j in range(30)])}
    write_archive(frame, tmp_path / "archive", arrays, names=names)
    answer = genes("--results", tmp_path / "archive", "--table", "consensus")
    assert "GENE" in answer.out
    assert "—" in answer.out


def test_a_cohort_of_the_users_own_gives_names_and_directions(cli, genes, tmp_path):
    rng = np.random.default_rng(0)
    lines = ["status,ESR1,GATA3,AR"]
    for sample in range(40):
        values = rng.normal(5, 1, 3) + np.array([2 * (sample % 2), 0, 0])
        lines.append(",".join(["ab"[sample % 2], *(f"{value:.3f}" for value in values)]))
    (tmp_path / "mine.csv").write_text("\n".join(lines))
    own = ["--data", tmp_path / "mine.csv", "--target", "status"]
    results = ["--results", tmp_path / "runs"]
    answer = cli("run", "-m", "filter-svm", *own, *results, "--repeats", 1, "--jobs", 1, "-q")
    assert answer.code == 0, answer.err
    answer = genes(*results, *own, "-f", "json", "--table", "methods")
    first = json.loads(answer.out)[0]["rows"][0]
    assert first["label"] == "ESR1"
    assert first["cells"][4]["value"] == "b"
    for shown in (genes(*results), genes(*results, "-f", "tsv"), genes(*results, "-f", "rnk")):
        assert "ESR1" in shown.out
        assert "Directions, AUROC and any missing names" in shown.out + shown.err
    answer = genes(*results, "--data", tmp_path / "mine.csv", "--target", "ESR1")
    assert answer.code == 2
    answer = genes(*results, *own, "--drop", "AR")
    assert (answer.code, "is not the one that the runs learnt from" in answer.err) == (2, True)


def test_names_of_a_users_table_outlive_it(cli, genes, tmp_path):
    table = tmp_path / "mine.csv"
    rows = [f"{'ab'[row % 2]},{row % 2 + row / 50},{row % 7}" for row in range(40)]
    table.write_text("\n".join(["status,ESR1,GATA3", *rows]))
    results = ["--results", tmp_path / "runs"]
    run = ["run", "-m", "filter-svm", "--data", table, "--target", "status", *results, "-q"]
    assert cli(*run, "--repeats", 1, "--folds", 2, "--jobs", 1).code == 0
    (file,) = (tmp_path / "runs" / ".names").iterdir()
    whole, written = file.read_bytes(), file.stat().st_mtime_ns
    assert cli(*run, "--repeats", 1, "--folds", 2, "--jobs", 1).code == 0
    assert file.stat().st_mtime_ns == written

    content = table.read_bytes()
    table.unlink()
    report = ["report", *results, "--folds", 2]
    assert cli(*report, "-f", "html", "-o", tmp_path / "page.html").code == 0
    assert "ESR1" in (tmp_path / "page.html").read_text()
    assert "need the table, which was not read" in (tmp_path / "page.html").read_text()
    assert cli(*report, "--archive", tmp_path / "archive").code == 0
    for folder in (tmp_path / "runs", tmp_path / "archive"):
        assert genes("--results", folder, "--folds", 2, "-f", "list").out == "ESR1\nGATA3\n"

    for harm in (whole[:-30], pack_arrays({"names": np.array(["ESR1"])}), pack_arrays({})):
        file.write_bytes(harm)
        answer = genes(*results, "--folds", 2, "-f", "list")
        assert (answer.code, answer.out) == (0, "feature 1\nfeature 2\n")
        assert answer.err == f"cannot read {file}: what it holds is left out\n"
    table.write_bytes(content)
    assert cli(*run, "--repeats", 1, "--folds", 2, "--jobs", 1).code == 0
    assert genes(*results, "--folds", 2, "-f", "list").out == "ESR1\nGATA3\n"


def test_report_writes_names_into_the_archive(cli, results, tmp_path):
    answer = cli("report", "--results", results, "--archive", tmp_path / "archive")
    assert answer.code == 0, answer.err
    dataset = load(NAME)
    names = read_results(tmp_path / "archive")[1].read_names(dataset.checksum)
    assert names.tolist() == dataset.feature_names.tolist()


def test_the_page_has_the_genes(cli, results, tmp_path):
    cli("report", "--results", results, "-f", "html", "-o", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    for part in ('<section id="genes"', 'id="stability-', 'id="gene-values-', 'id="gene-agreement-',
                 'id="table-genes-stability', "True features found"):  # fmt: skip
        assert part in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-d", "nowhere"], "no runs of nowhere"),
        (["-m", "nothing"], "no runs of nothing"),
        (["--table", "lists"], "unknown table 'lists'"),
        (["--table", "enrichment"], "give the sets with --gene-sets"),
        (["--table", "stability", "-f", "rnk"], "not with --format rnk"),
        (["-f", "html"], "unknown --format 'html'"),
        (["--gene-sets", "nowhere.gmt"], "--gene-sets nowhere.gmt: No such file"),
        (["--target", "x"], "--target: only with --data FILE"),
        (["-m", "knn"], "no run on .* has scores of genes"),
        (["--hyperparameters", "tuned", "--set", "a=1"], "contradict each other"),
    ],
)
def test_mistakes_get_one_line(genes, results, arguments, message):
    answer = genes("--results", results, *arguments)
    assert answer.code == 2
    assert re.search(message, answer.err)
    assert answer.err.count("\n") == 1


def test_several_data_sets_have_to_be_chosen_from(genes, tmp_path):
    for name in (NAME, "synthetic:samples=61,features=30,informative=3"):
        write_runs(tmp_path, name, ("lasso",))
    answer = genes("--results", tmp_path)
    assert (answer.code, "choose a data set with -d" in answer.err) == (2, True)


def test_recovery_needs_the_truth(genes, tmp_path):
    write_runs(tmp_path, checksum="d" * 64)
    answer = genes("--results", tmp_path, "--table", "recovery")
    assert (answer.code, "only where the truth is known" in answer.err) == (2, True)


def test_an_early_archive_says_what_to_do(genes, results, tmp_path):
    frame, arrays = read_results(results)
    archive = tmp_path / "archive"
    write_archive(frame, archive, arrays)
    (archive / "genes.npz").unlink()
    (archive / "manifest.json").unlink()
    answer = genes("--results", archive)
    assert (answer.code, "write it again from its store" in answer.err) == (2, True)
