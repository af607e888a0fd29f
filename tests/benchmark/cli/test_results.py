import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from benchmark.exact_csv import read_csv
from benchmark.plan.key import RunKey
from benchmark.results.archive import write_archive
from benchmark.results.reading import read_results
from benchmark.results.store import Store

Cli = Callable[..., Any]

KEY = RunKey("prostate", "abc", "knn", 1, '{"n_neighbors":3}', repeat=0, fold=0)


def fill(folder: Path, score: float, folds: range) -> Path:
    store = Store(folder)
    store.prepare()
    record = {
        "status": "ok",
        "error": "",
        "presets": ["paper", "grid"],
        "dataset_differences": [],
        "versions": {},
        "balanced_accuracy_test": score,
    }
    for fold in folds:
        store.write(replace(KEY, fold=fold), record, {})
    return folder


def test_merging_reports_conflicts_with_exit_code_1(cli: Cli, tmp_path: Path) -> None:
    first, second = fill(tmp_path / "a", 0.5, range(3)), fill(tmp_path / "b", 0.6, range(2, 5))
    answer = cli("results", "merge", first, second, "--results", tmp_path / "all")
    assert answer.code == 1
    assert "5 records copied" in answer.out
    assert "1 conflict\n" in answer.out
    assert "r0-f2-s42.json has other scores" in answer.out


def test_merging_needs_folders(cli: Cli, tmp_path: Path) -> None:
    folder = fill(tmp_path / "a", 0.5, range(1))
    assert cli("results", "merge", tmp_path / "nowhere", "--results", folder).code == 2
    assert cli("results", "merge", folder, "--results", folder).code == 2


def test_merging_from_folders_without_runs_is_a_mistake(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    answer = cli("results", "merge", tmp_path / "empty", "--results", tmp_path / "all")
    assert answer.code == 2
    assert "nothing to merge" in answer.err


def test_nothing_is_merged_into_an_archive(cli: Cli, tmp_path: Path) -> None:
    folder = fill(tmp_path / "a", 0.5, range(1))
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "runs.csv").write_text("")
    answer = cli("results", "merge", folder, "--results", tmp_path / "archive")
    assert answer.code == 2
    assert "is an archive: merge into another folder" in answer.err


def test_export_to_the_terminal(cli: Cli, tmp_path: Path) -> None:
    answer = cli("results", "export", "--results", fill(tmp_path, 0.1 + 0.2, range(2)))
    frame = read_csv(io.StringIO(answer.out))
    assert frame["balanced_accuracy_test"].tolist() == [0.1 + 0.2] * 2
    assert frame["hyperparameters"].tolist() == ['{"n_neighbors": 3}'] * 2
    assert frame["presets"].tolist() == ["grid"] * 2, "those of today's methods"


@pytest.mark.parametrize("table_format", ["csv", "parquet"])
def test_export_to_a_file(cli: Cli, tmp_path: Path, table_format: str) -> None:
    results, output = fill(tmp_path / "r", 0.5, range(3)), tmp_path / "runs"
    flags = ["--results", results, "--format", table_format, "--output", output]
    answer = cli("results", "export", *flags)
    assert answer.code == 0
    assert answer.out.startswith("3 runs written to")
    read = read_csv if table_format == "csv" else pd.read_parquet
    assert read(output)["fold"].tolist() == [0, 1, 2]


@pytest.mark.parametrize("table_format", ["csv", "parquet"])
def test_a_file_that_cannot_be_written(cli: Cli, tmp_path: Path, table_format: str) -> None:
    results = fill(tmp_path / "r", 0.5, range(1))
    (tmp_path / "file").write_text("")
    output = tmp_path / "file" / "runs"
    flags = ["--results", results, "--format", table_format, "--output", output]
    answer = cli("results", "export", *flags)
    assert answer.code == 2
    assert answer.err.startswith(f"error: cannot write {output}: ")


def test_nothing_to_export(cli: Cli, tmp_path: Path) -> None:
    assert cli("results", "export", "--results", tmp_path).code == 2
    filled = fill(tmp_path / "r", 0.5, range(1))
    assert cli("results", "export", "--results", filled, "--format", "parquet").code == 2


def test_an_archive_can_be_exported(cli: Cli, tmp_path: Path) -> None:
    folder = fill(tmp_path / "a", 0.5, range(2))
    write_archive(read_results(folder)[0], tmp_path / "archive")
    answer = cli("results", "export", "--results", tmp_path / "archive")
    assert answer.code == 0, answer.err
    assert read_csv(io.StringIO(answer.out))["fold"].tolist() == [0, 1]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t"])
def test_texts_are_no_formulas_for_a_spreadsheet(cli: Cli, tmp_path: Path, start: str) -> None:
    name = f"{start}HYPERLINK(1)"
    key = replace(KEY, dataset=name)
    Store(tmp_path).write(key, {"status": "ok", "cross_entropy_test": 1e-5}, None)
    frame = read_csv(io.StringIO(cli("results", "export", "--results", tmp_path).out))
    assert frame["dataset"].tolist() == [f"'{name}"]
    assert frame["model"].tolist() == ["knn"]
    assert frame["cross_entropy_test"].tolist() == [1e-5]
    output = tmp_path / "runs.parquet"
    cli("results", "export", "--results", tmp_path, "--format", "parquet", "-o", output)
    assert pd.read_parquet(output)["dataset"].tolist() == [name]
