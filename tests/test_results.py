"""The published results: documents, figures and records agree with each other."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score

from benchmark.report.agreement import compare
from benchmark.report.figures.files import STAMP
from benchmark.report.labels import list_published_models
from benchmark.report.paper import read_paper
from benchmark.report.report import Report
from benchmark.report.request import ReportRequest
from benchmark.report.table import PROTOCOL_RUNS
from benchmark.results.reading import read_results

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "results" / "README.md"
INVESTIGATIONS = ROOT / "docs" / "investigations.md"


@pytest.fixture(scope="module")
def records():
    return read_results(ROOT / "results" / "reference")


@pytest.mark.parametrize("document", ["README.md", "results/README.md", "docs/investigations.md"])
def test_documents_hold_what_their_commands_print(cli, document, monkeypatch):
    monkeypatch.chdir(ROOT)
    answer = cli("fill", "--check", document)
    assert answer.code == 0, answer.out + answer.err


def test_figures_are_drawn_from_these_records(records):
    digest = Report(records[0]).runs.digest
    named = re.findall(r"\((figures/[^)]+\.png)\)", PAGE.read_text(encoding="utf-8"))
    assert len(named) >= 3
    for figure in named:
        content = (PAGE.parent / figure).read_bytes()
        assert f"{STAMP}{digest}".encode() in content, (
            f"{figure} is out of date: run `wpfs-bench report --results results/reference "
            "--figures results/figures`"
        )


#: Declared in results/README.md: without any gene left its score cannot vary.
FEWER = {"lassonet-paper": 5}


def test_cells_have_all_runs_or_none(records):
    counts = Report(records[0]).scores.n
    for method, n in FEWER.items():
        assert set(counts.pop(method)) <= {0, n}
    papers = [name for name in list_published_models() if name in counts]
    assert set(counts.loc[["prostate", "toxicity"], papers].to_numpy().ravel()) == {PROTOCOL_RUNS}
    assert set(counts.to_numpy().ravel()) == {0, PROTOCOL_RUNS}


def test_scores_can_be_recomputed_from_the_predictions(records):
    frame, arrays = records
    good = frame[frame["status"] == "ok"]
    assert len(good) > 0
    for run, expected in good["balanced_accuracy_test"].items():
        found = arrays.read_predictions(int(run))
        score = balanced_accuracy_score(found["y_true"], found["y_pred"])
        assert score == pytest.approx(expected, abs=1e-12)


def test_probabilities_are_kept_for_every_prediction(records):
    frame, arrays = records
    for run in frame.index[frame["status"] == "ok"]:
        found = arrays.read_predictions(int(run))
        assert len(found["proba"]) == len(found["y_true"])
        assert np.allclose(found["proba"].sum(axis=1), 1.0, atol=0.01)


def test_every_cell_far_from_the_paper_has_its_paragraph(records):
    made = Report(records[0], ReportRequest(datasets=("prostate", "toxicity"), titles=True))
    columns = {model: made.labels.column(model) for model in made.models}
    cells = compare(made.scores, read_paper().tables["full"], columns, made.labels)
    far = {
        f"{made.labels.title(cell.method)} on {cell.dataset}"
        for cell in cells
        if cell.agrees is False
    }
    section = (
        INVESTIGATIONS.read_text(encoding="utf-8").split("## Where we differ")[1].split("\n## ")[0]
    )
    paragraphs = dict(re.findall(r"^### (.+)\n\n(.*)$", section, re.MULTILINE))
    assert set(paragraphs) == far
    assert all("wpfs-bench run" in text for text in paragraphs.values()), "name the rerun"


def test_every_method_far_from_the_paper_on_a_stand_in_is_named(records):
    names = ("tcga-2ysurvival-standin", "tcga-tumor-grade-standin")
    made = Report(records[0], ReportRequest(datasets=names, titles=True))
    columns = {model: made.labels.column(model) for model in made.models}
    cells = compare(made.scores, read_paper().tables["full"], columns, made.labels)
    text = INVESTIGATIONS.read_text(encoding="utf-8").split("## The TCGA stand-ins")[1]
    prose = text.split("\n## ")[0].rpartition("<!-- end -->")[2]
    for cell in cells:
        if cell.agrees is False:
            assert f"{made.labels.title(cell.method)} on {cell.dataset}" in prose


def test_the_page_of_results_is_tables_and_little_prose():
    text = PAGE.read_text(encoding="utf-8")
    text = re.sub(r"```.*?```|<!--.*?-->", "", text, flags=re.DOTALL)
    prose = [line for line in text.splitlines() if not line.startswith(("|", "!", "#", "**"))]
    assert len(" ".join(prose).split()) <= 1200, "shorten it, or move it to the investigations"


def test_records_stay_small_enough_to_commit():
    folders = (ROOT / "results" / name for name in ("reference", "figures"))
    size = sum(file.stat().st_size for folder in folders for file in folder.iterdir())
    assert size < 8_000_000
