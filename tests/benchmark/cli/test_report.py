"""``wpfs-bench report`` as a user calls it."""

import functools
import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

from benchmark.plan.key import RunKey
from benchmark.results.record import COST_COLUMNS
from benchmark.results.store import Store, key_of
from benchmark.run.metrics import SCORE_COLUMNS

RANKS = ["2.66", "6.66", "7.88", "6.22", "11", "4.33", "4.33", "10", "4.44", "4.55", "3.44"]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A demo's store: one data set, one repeat, three methods, one of which failed once."""
    store = Store(tmp_path_factory.mktemp("results") / "runs")
    store.prepare()
    rng = np.random.default_rng(0)
    for model, mean in (("majority", 0.5), ("random-forest", 0.8), ("linear-svm", 0.9)):
        for fold in range(5):
            key = RunKey("synthetic", "c" * 64, model, 1, "{}", 0, fold)
            failed = (model, fold) == ("majority", 4)
            record = {
                "stand_in_for": "",
                "dataset_differences": [],
                "presets": ["paper", "default"],
                "status": "timeout" if failed else "ok",
                "error": "took longer than 5 s" if failed else "",
                "split_checksum": str(fold),
                "device": "cpu",
                "threads": 1,
                "versions": {"python": "3.11"},
                "git_commit": "abc",
                "started": "2026-11-16T00:00:00Z",
                **dict.fromkeys(COST_COLUMNS),
                "seconds": None if failed else 1.5,
                **dict.fromkeys(SCORE_COLUMNS, None if failed else mean + rng.normal(0, 0.02)),
            }
            proba = rng.dirichlet([1, 1], 8)
            arrays = {
                "test_index": np.arange(8),
                "y_true": np.arange(8) % 2,
                "y_pred": proba.argmax(axis=1),
                "proba": proba,
            }
            store.write(key, record, None if failed else arrays)
    return store.folder


@pytest.fixture
def report(cli):
    """Return a function that runs the command."""
    return functools.partial(cli, "report", columns=130)


def test_paper_source_prints_table_2_with_its_average_ranks(report):
    result = report("--source", "paper", "--table", "main")
    assert result.code == 0
    last = next(line for line in result.out.splitlines() if "average rank" in line)
    assert last.split()[2:] == RANKS
    assert "52.79 in Table 10" in result.out
    assert "48.81 in Table 10" in result.out


def test_transposing_gives_every_method_a_row(report):
    result = report("--source", "paper", "--table", "main", "--transpose", "--format", "markdown")
    assert "| WPFS | 79.14 | **94.83** | <u>59.05</u> |" in result.out


@pytest.mark.parametrize("format", ["csv", "json", "html"])
def test_data_formats_are_not_transposed(report, results, format):
    answer = report("--results", results, "--table", "main", "--transpose", "--format", format)
    assert answer.code == 2
    assert f"not for --format {format}" in answer.err


def test_tables_that_are_not_data_sets_by_methods_are_not_transposed(report, results):
    answer = report("--results", results, "--table", "comparison", "--transpose")
    assert answer.code == 2
    assert "such as main and runtime, not for comparison" in answer.err


def test_paper_stands_for_all_its_methods_and_data_sets(report):
    named = report("--source", "paper", "--models", "paper", "--datasets", "paper")
    assert named.out == report("--source", "paper").out


@pytest.mark.parametrize(
    "flags",
    [
        ("--models", "MLP,WPFS", "--datasets", "smk,cll"),
        ("-m", "MLP", "-m", "WPFS", "-d", "smk", "-d", "cll"),
        ("--model", "MLP, WPFS", "--dataset", "smk", "--datasets", "cll"),
    ],
)
def test_names_are_given_in_a_list_or_one_by_one(report, flags):
    lines = report("--source", "paper", "--table", "main", "-f", "markdown", *flags).out
    assert "| data set | MLP | WPFS |" in lines
    assert lines.index("| smk ") < lines.index("| cll ")


def test_paper_source_as_json_holds_every_number(report):
    document = json.loads(report("--source", "paper", "--table", "full", "-f", "json").out)
    rows = {row["label"]: row["cells"] for row in document[0]["rows"]}
    assert rows["cll"][0] == {"value": 79.14, "std": 4.45, "n": 25, "failed": 0, "state": "ok"}


def test_default_report_of_a_demo_is_a_ranked_list(report, results):
    lines = report("--results", results).out.splitlines()
    assert lines[0] == "Methods on synthetic, best first: test balanced accuracy (%)"
    ranked = [line.split() for line in lines if line.startswith((" linear", " random", " major"))]
    assert [line[:2] for line in ranked] == [
        ["linear-svm", "1"],
        ["random-forest", "2"],
        ["majority", "3"],
    ]
    assert ranked[2][-4:] == ["4", "1", "1.5", "s"]


@pytest.mark.parametrize("format", ["markdown", "latex", "csv", "json", "html"])
def test_every_format_writes_to_a_file(report, results, tmp_path, format):
    output = tmp_path / "deep" / "report"
    arguments = ("--table", "main", "--format", format, "--output", output)
    result = report("--results", results, *arguments)
    assert result.code == 0
    assert result.out == ""
    assert result.err == f"written to {output}\n"
    assert "synthetic" in output.read_text(encoding="utf-8")


def test_strict_lists_gaps_and_exits_with_1(report, results):
    result = report("--results", results, "--strict", "--expect", 5)
    assert result.code == 1
    expected = "failed: majority on synthetic, 4 of 5 runs, 1 failed: took longer than 5 s"
    assert expected in result.err
    assert "1 cell: 1 failed" in result.err


def test_strict_is_content_with_a_complete_table(report, results):
    arguments = ("--models", "random-forest,linear-svm", "--strict", "--expect", 5)
    assert report("--results", results, *arguments).code == 0


def test_strict_wants_the_protocols_25_runs(report, results):
    result = report("--results", results, "--models", "linear-svm", "--strict")
    assert result.code == 1
    assert "incomplete: linear-svm on synthetic, 5 of 25 runs" in result.err


def test_compare_adds_the_papers_numbers(report, results):
    result = report("--results", results, "--compare", "paper")
    assert "No cell of ours has a counterpart in the paper." in result.out
    assert "in std. errors" not in result.out, "no empty table"


def test_a_name_given_twice_is_shown_once(report, results):
    names = ("--models", "majority,linear-svm,majority", "--datasets", "synthetic,synthetic")
    document = json.loads(report("--results", results, "--table", "main", "-f", "json", *names).out)
    assert document[0]["columns"] == ["majority", "linear-svm"]
    assert [row["label"] for row in document[0]["rows"]] == ["synthetic", "average rank"]


def test_an_unreadable_record_is_counted_and_the_rest_shown(report, results, tmp_path):
    shutil.copytree(results, tmp_path / "runs")
    first = sorted((tmp_path / "runs").glob("*/linear-svm/*/*.json"))[:2]
    first[0].write_text("{half a rec")
    first[1].write_text('{"schema": 1}')
    result = report("--results", tmp_path / "runs", "--table", "main", "-f", "json")
    assert result.code == 0
    (table,) = json.loads(result.out)
    assert (
        dict(zip(table["columns"], table["rows"][0]["cells"], strict=True))["linear-svm"]["n"] == 3
    )
    (note,) = [note for note in table["notes"] if note.startswith("Records that cannot be read: 2")]
    assert str(first[0]) in note
    assert "Records that cannot be read: 2" in report("--results", tmp_path / "runs").out
    only = ("--models", "random-forest", "--expect", 5, "--strict")
    result = report("--results", tmp_path / "runs", *only)
    assert result.code == 1
    assert f"unreadable: {first[0]}" in result.err


@pytest.mark.slow
def test_unreadable_arrays_are_named_and_passed_over(report, results, tmp_path):
    shutil.copytree(results, tmp_path / "runs")
    broken = sorted((tmp_path / "runs").glob("*/linear-svm/*/*.npz"))[0]
    broken.write_bytes(b"PK no zip file")
    result = report("--results", tmp_path / "runs", "--archive", tmp_path / "archive")
    assert result.code == 0
    assert f"cannot read {broken}" in result.err


def test_standalone_latex_is_a_document(report, results):
    text = report("--results", results, "-f", "latex", "--standalone").out
    assert text.startswith(r"\documentclass")
    assert r"\usepackage{booktabs}" in text


def test_a_group_stands_for_its_data_sets(report, results):
    answer = report("--results", results, "--table", "ranks", "-d", "synthetic,stand-ins")
    assert "Not run here: tcga-2ysurvival-standin, tcga-tumor-grade-standin." in answer.out


def test_one_method_is_compared_with_the_others_over_data_sets(report, results):
    answer = report("--results", results, "--table", "against", "--against", "majority")
    assert answer.out.startswith("majority against each other method")
    assert "--table statistics compares on each" in answer.out


def test_archive_holds_the_methods_asked_for(report, results, tmp_path):
    report("--results", results, "--models", "linear-svm", "--archive", tmp_path / "archive")
    output = report("--results", tmp_path / "archive").out
    assert "linear-svm" in output
    assert "random-forest" not in output


def test_archive_can_be_reported_on(report, results, tmp_path):
    done = report("--results", results, "--archive", tmp_path / "archive")
    assert "15 runs written" in done.err
    texts = [report("--results", f).out for f in (results, tmp_path / "archive")]
    assert texts[0] == texts[1]


def test_results_folder_comes_from_the_environment(report, results, monkeypatch):
    monkeypatch.setenv("WPFS_BENCH_RESULTS", str(results))
    assert "linear-svm" in report().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--results", "nowhere"), "nowhere does not exist"),
        (("--table", "tabel"), "unknown table 'tabel'"),
        (("--metric", "acc"), "unknown metric 'acc'"),
        (("--models", "svm"), "--models: no runs of svm"),
        (("--datasets", "ccl"), "--datasets: no runs of ccl"),
        (("--datasets", "cll"), "no runs of any method on cll"),
        (("--table", "lambda"), "no runs of the study lambda"),
        (("--format", "pdf"), "unknown --format 'pdf': choose one of table, markdown"),
        (("--output", "/dev/null/x"), "--output /dev/null/x"),
        (("--figures", "/dev/null/x"), "--figures /dev/null/x"),
        (("--source", "paper", "--format", "html"), "--format html: only for our runs"),
        (("--source", "paper", "--metric", "auroc"), "--metric auroc: only for our runs"),
        (("--source", "paper", "--compare", "paper"), "--compare: only"),
        (("--source", "paper", "--strict"), "--strict: only"),
        (("--source", "paper", "--figures", "x"), "--figures: only"),
        (("--source", "paper", "--archive", "x"), "--archive: only"),
        (("--source", "paper", "--against", "wpfs"), "--against: only"),
        (("--source", "paper", "--hyperparameters", "tuned"), "--hyperparameters tuned: only"),
        (("--source", "paper", "--table", "datasets", "--datasets", "cll"), "always whole"),
        (("--source", "paper", "--table", "hyperparameters", "--models", "mlp"), "always whole"),
        (("--source", "paper", "--table", "lambda", "--models", "mlp"), "are not methods"),
        (("--standalone",), "--format latex"),
        (("--against", "majority"), "--table statistics"),
    ],
)
def test_mistakes_are_named_in_one_line(report, results, arguments, message):
    if "--results" not in arguments:
        arguments = ("--results", results, *arguments)
    answer = report(*arguments)
    assert answer.code == 2
    assert message in answer.err
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--format", "html", "--table", "nonsense"), "unknown table 'nonsense'"),
        (("--format", "html", "--against", "nobody"), "--against nobody: not among"),
        (("--table", "spn", "--metric", "auroc"), "--metric auroc: --table spn has a measure"),
        (("--table", "selected", "--hyperparameters", "tuned"), "--hyperparameters tuned: --table"),
        (("--expect", "30"), "--expect is for --strict"),
        (("--datasets", ","), "--datasets ,: names nothing"),
        (("--curves",), "--curves is for --archive"),
    ],
)
def test_options_without_effect_are_refused(report, results, flags, message):
    answer = report("--results", results, *flags)
    assert answer.code == 2
    assert message in answer.err


@pytest.mark.parametrize("option", ["--results", "--archive", "--figures"])
def test_a_file_in_place_of_a_folder_is_the_users_mistake(report, tmp_path, option):
    (tmp_path / "file").touch()
    assert report(option, tmp_path / "file").code == 2


def test_an_archive_is_not_replaced_by_a_part_of_it(report, results, tmp_path):
    folder = tmp_path / "archive"
    assert report("--results", results, "--archive", folder).code == 0
    before = (folder / "runs.csv").read_bytes()
    answer = report("--results", folder, "--archive", folder, "--models", "linear-svm")
    assert answer.code == 2
    assert "holds 10 runs that would be lost: merge them first" in answer.err
    assert (folder / "runs.csv").read_bytes() == before
    assert report("--results", results, "--archive", folder, "--curves").code == 0
    assert (folder / "curves.npz").is_file()


@pytest.mark.parametrize(
    "options", [("--strict", "--expect", "5"), ("--archive", "kept"), ("-f", "html")]
)
def test_two_cross_validations_ask_for_one(report, results, tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(results, "runs")
    store = Store(tmp_path / "runs")
    for file in sorted(store.folder.rglob("*.json")):
        record = json.loads(file.read_text(encoding="utf-8"))
        if record.get("model") == "linear-svm":
            store.write(replace(key_of(record), folds=7), {**record, "folds": 7}, {})
    answer = report("--results", "runs", *options)
    assert answer.code == 2
    assert "--folds 5 or --folds 7" in answer.err
    assert not (tmp_path / "kept").exists()
    chosen = report("--results", "runs", "--folds", "7", "--table", "main")
    assert chosen.code == 0
    assert "random-forest" not in chosen.out
