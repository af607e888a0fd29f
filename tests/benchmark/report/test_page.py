"""The page: self-contained, honest about gaps, and working in a real browser."""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

from benchmark.report.html.headline import write_headline
from benchmark.report.html.page import render_page
from benchmark.report.report import Report
from benchmark.report.request import ReportRequest
from benchmark.report.tables.registry import build_tables
from benchmark.results.reading import read_results

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((path for name in BROWSERS if (path := shutil.which(name))), None)

#: Runs in the page: presses headings, and writes what it sees into the title.
PROBE = """
<script>
window.addEventListener("load", () => {
  const table = document.getElementById("table-full");
  const column = (n) => Array.from(table.tBodies[0].rows, (row) => row.cells[n].textContent.trim());
  const heads = table.tHead.rows[0].cells;
  const seen = { before: column(0) };
  heads[1].querySelector("button").click();
  seen.ascending = column(1);
  seen.sort = heads[1].getAttribute("aria-sort");
  heads[1].querySelector("button").click();
  seen.descending = column(1);
  heads[2].querySelector("button").click();
  seen.withGaps = column(2);
  seen.status = document.getElementById("sorted").textContent;
  seen.last = heads[heads.length - 1].textContent.trim();
  seen.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  seen.requests = performance.getEntriesByType("resource").length;
  seen.errors = window.seenErrors;
  document.title = "PROBE" + JSON.stringify(seen);
});
</script>
"""
WATCH = (
    "<script>window.seenErrors = []; window.onerror = (m) => window.seenErrors.push(m);</script>"
)


@pytest.fixture(scope="module")
def page(store_folder):
    frame, arrays = read_results(store_folder)
    request = ReportRequest(titles=True, expected=10)
    return render_page(Report(frame, request, stored_arrays=arrays), "results/runs")


class Collector(HTMLParser):
    """Collects tags with their attributes and complains of unbalanced ones."""

    def __init__(self):
        super().__init__()
        self.tags, self.open = [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "br", "line", "rect", "circle", "path"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in self.open:
            assert self.open.pop() == tag


def collect(page):
    parser = Collector()
    parser.feed(page)
    return parser


def test_page_loads_nothing_from_elsewhere(page):
    for tag, attributes in collect(page).tags:
        assert tag not in ("link", "img", "iframe")
        assert "src" not in attributes, tag
        assert attributes.get("href", "#").startswith("#")
    assert "url(" not in page
    assert "default-src 'none'" in page


def test_page_has_every_part(page):
    sections = [a["id"] for tag, a in collect(page).tags if tag == "section"]
    assert sections == [
        "results",
        "statistics",
        "paper",
        "runs",
        "losses",
        "importances",
        "genes",
        "costs",
        "gaps",
        "environment",
    ]


def test_page_shows_failed_and_missing_cells(page):
    assert "ValueError: boom" in page
    gaps = page[page.index('id="gaps"') :]
    assert re.search(r"missing", gaps)
    assert re.search(r'class="[^"]*\bfailed\b[^"]*">failed', page)


def test_ids_are_unique_and_references_hold(page):
    tags = collect(page).tags
    ids = [a["id"] for _, a in tags if "id" in a]
    assert len(ids) == len(set(ids))
    for _, attributes in tags:
        for name in ("aria-labelledby",):
            assert set(attributes.get(name, "").split()) <= set(ids)


def test_tables_have_scoped_headings_and_buttons_to_sort(page):
    tags = collect(page).tags
    headings = [a for tag, a in tags if tag == "th"]
    assert headings
    assert all(a.get("scope") in ("col", "row") for a in headings)
    columns = sum(a["scope"] == "col" for a in headings)
    assert sum(tag == "button" for tag, _ in tags) == columns


def test_text_from_records_is_escaped(runs):
    evil = runs.assign(error=["<script>alert(1)</script>"] * len(runs))
    page = render_page(Report(evil, ReportRequest(titles=True)), "<b>")
    assert "<script>alert" not in page
    assert "<code>&lt;b&gt;</code>" in page


def test_page_of_a_single_run(make_row, make_frame):
    frame = make_frame([make_row(dataset="synthetic", model="majority")])
    page = render_page(Report(frame, ReportRequest(titles=True)), "results/demo")
    assert "Only result on synthetic: Majority class" in page


def write_scores(make_row, scores):
    """Rows of made-up runs; {(data set, method): score of each fold}."""
    return [
        make_row(dataset, model, fold=fold, score=score or 0.0, status="ok" if score else "failed")
        for (dataset, model), values in scores.items()
        for fold, score in enumerate(values)
    ]


GOOD, NOISY = [0.9, 0.91, 0.9, 0.92, 0.9], [0.4, 0.9, 0.5, 0.8, 0.65]
BAD = [0.5, 0.51, 0.5, 0.52, 0.49]


@pytest.mark.parametrize(
    ("scores", "headline"),
    [
        ({("a", "mlp"): GOOD, ("a", "wpfs"): BAD}, "Best on a: mlp with 90.60 ± 0.89."),
        (
            {("a", "mlp"): GOOD, ("a", "lasso"): GOOD, ("a", "wpfs"): BAD},
            "Best on a: mlp and lasso with 90.60.",
        ),
        (
            {("a", "mlp"): NOISY, ("a", "wpfs"): NOISY[::-1]},
            "On a no method differs significantly from the best (corrected resampled t-test, "
            "0.05). Best mean: wpfs and mlp with 65.00.",
        ),
        (
            {("a", "mlp"): [0.9], ("a", "wpfs"): [0.5]},
            "Too few common runs on a to tell the methods apart. Best mean: mlp with 90.00.",
        ),
        ({("a", "mlp"): [None], ("a", "wpfs"): [None]}, "No run on a has a result."),
        (
            {("a", "mlp"): GOOD, ("a", "wpfs"): BAD, ("b", "mlp"): BAD, ("b", "wpfs"): GOOD},
            "The methods cannot be told apart over 2 data sets (Friedman, p = 1.00). "
            "Best average rank: wpfs and mlp (1.50).",
        ),
        (
            {(f"d{i}", model): values for i in range(6)
             for model, values in (("mlp", GOOD), ("wpfs", BAD))},
            "Best average rank over 6 data sets: mlp (1).",
        ),
        (
            {("a", "mlp"): GOOD, ("b", "wpfs"): GOOD},
            "No data set has a result of every method, so the methods cannot be ranked.",
        ),
    ],
)  # fmt: skip
def test_headline_names_ties_and_what_cannot_be_told_apart(make_row, make_frame, scores, headline):
    assert write_headline(Report(make_frame(write_scores(make_row, scores)))) == headline


@pytest.mark.parametrize(
    "scores",
    [
        {("a", "mlp"): GOOD, ("b", "lasso"): GOOD},
        {("a", "mlp"): [None], ("b", "lasso"): [None]},
        {("a", "mlp"): GOOD, ("a", "lasso"): [None], ("b", "lasso"): [None], ("c", "mlp"): [0.5]},
    ],
)
def test_page_and_tables_of_methods_that_share_no_data_set(make_row, make_frame, scores):
    report = Report(make_frame(write_scores(make_row, scores)))
    assert "cannot be ranked" in render_page(report, "runs")
    for name in ("summary", "full", "ranks", "runtime", "comparison", "datasets"):
        assert build_tables(report, name)


def test_no_footnote_is_repeated_and_every_verdict_is_there(runs):
    page = render_page(Report(runs), "runs")
    notes = re.findall(r"<p>(.*?)</p>", " ".join(re.findall(r"<figcaption>.*?</figcaption>", page)))
    assert len(notes) == len(set(notes))
    assert sum(note.startswith("†") for note in notes) == 2, "in full, and a reference to it"
    for dataset in ("prostate", "toxicity", "tcga-2ysurvival-standin"):
        assert any(re.search(rf"methods on {dataset} at 0.05", note) for note in notes)


def read_facts(page):
    return dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page))


def test_counts_at_the_top_are_those_of_the_tables(runs, make_row, make_frame):
    other = {"hyperparameters": {"sparsity_weight": 9.0}, "presets": ()}
    studied = [make_row(fold=fold, **other) for fold in range(3)]
    report = Report(make_frame([*runs.to_dict("records"), *studied]))
    facts = read_facts(render_page(report, "runs"))
    rows = build_tables(report, "summary")[0].rows
    assert int(facts["runs in the tables of methods"]) == sum(row.cells[2].value for row in rows)
    assert int(facts["failed runs in the tables of methods"]) == sum(
        row.cells[3].value for row in rows
    )
    assert facts["runs of studies and other hyper-parameters"] == "3"
    assert (facts["failed cells"], facts["missing cells"]) == ("2", "1")
    assert "incomplete cells" not in facts


def test_tests_say_that_they_rank_ties_in_their_own_way(make_row, make_frame):
    pairs = {(data, model): GOOD for data in "ab" for model in ("mlp", "wpfs")}
    page = render_page(Report(make_frame(write_scores(make_row, pairs))), "runs")
    results, _, statistics = page.partition('<section id="statistics"')
    assert "competition ranks" in results
    diagram = statistics[: statistics.index("<svg")]
    assert "ties share the mean rank" in diagram


def browse(tmp_path, page, size):
    """Load the page in Chromium and return what its probe saw, and the browser's log."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    file = tmp_path / "page.html"
    probed = page.replace("<head>", f"<head>{WATCH}").replace("</body>", f"{PROBE}</body>")
    file.write_text(probed, encoding="utf-8")
    done = subprocess.run(
        [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
            "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--disable-sync", f"--user-data-dir={tmp_path / 'profile'}", f"--window-size={size}",
            "--enable-logging=stderr", "--virtual-time-budget=5000", "--dump-dom", file.as_uri(),
        ],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    found = re.search(r"<title>PROBE(.*?)</title>", done.stdout, re.DOTALL)
    assert found, done.stderr[-2000:]
    return json.loads(found[1].replace("&amp;", "&")), done.stderr


@pytest.mark.slow
def test_page_in_a_browser(tmp_path, page):
    seen, log = browse(tmp_path, page, "1280,900")
    assert seen["before"] == ["WPFS", "MLP", "Random Forest", "Linear SVM"]
    ascending = [float(text.split()[0]) for text in seen["ascending"]]
    assert ascending == sorted(ascending)
    assert seen["sort"] == "ascending"
    assert seen["descending"] == seen["ascending"][::-1]
    assert seen["withGaps"][-1] == "failed", "empty cells stay last"
    assert seen["last"] == "average rank"
    assert "sorted by tcga-2ysurvival-standin†, ascending" in seen["status"]
    assert seen["errors"] == []
    assert seen["requests"] == 0
    assert "CONSOLE" not in log


@pytest.mark.slow
def test_page_on_a_phone_does_not_scroll_sideways(tmp_path, page):
    seen, _ = browse(tmp_path, page, "500,900")
    assert seen["wide"] <= 0
