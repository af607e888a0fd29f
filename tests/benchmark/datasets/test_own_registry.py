"""Data sets of the user's own registry, whose files lie on this machine."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from benchmark.datasets.cache import find_state
from benchmark.datasets.download import Fetcher, FetchError
from benchmark.datasets.loading import DataSource, load, load_dataset
from benchmark.datasets.prepare import prepare
from benchmark.datasets.registry import read_registry
from benchmark.errors import UserError
from benchmark.plan.jobs import RunRequest, make_jobs

YAML = """
datasets:
  mine:
    title: Mine
    citation: me
    licence: free
    sources:
      - note: my disk
        loader: table
        files: [{name: mine.csv, urls: [sub/mine.csv]}]
        id: id
        target: outcome
        groups: site
"""


@pytest.fixture
def table():
    return pd.DataFrame(
        {
            "id": [f"s{i}" for i in range(20)],
            "a": np.arange(20.0),
            "b": np.arange(20.0) ** 2,
            "site": [f"h{i % 6}" for i in range(20)],
            "outcome": ["yes", "no"] * 10,
        }
    )


@pytest.fixture
def write(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "mine.yaml").write_text(YAML)

    def write_table(table):
        table.to_csv(tmp_path / "sub" / "mine.csv", index=False)
        return tmp_path / "mine.yaml"

    return write_table


def test_paths_are_seen_from_the_registry(table, write, folder):
    registry = write(table)
    prepare(read_registry(registry)["mine"], Fetcher(folder))
    dataset = load("mine", data_dir=folder.root, registries=[registry])
    assert dataset.X.shape == (20, 2)
    assert dataset.groups[:7].tolist() == ["h0", "h1", "h2", "h3", "h4", "h5", "h0"]
    assert dataset.class_names.tolist() == ["no", "yes"]


def test_whose_hyper_parameters_apply_can_be_said_after_the_download(table, write, folder):
    registry = write(table)
    prepare(read_registry(registry)["mine"], Fetcher(folder))
    source = DataSource("mine", data_dir=folder.root, registries=(registry,))
    assert source.load().hyperparameters_of == "mine"
    said = YAML.replace("title: Mine", "title: Mine\n    hyperparameters_of: prostate")
    registry.write_text(said)
    for name in ("mine", "mine+log2p1"):
        dataset = load(name, data_dir=folder.root, registries=[registry])
        assert dataset.hyperparameters_of == "prostate"
    for preset in (RunRequest(["wpfs"], [source]), RunRequest([], [source], study="spn")):
        load_dataset.cache_clear()
        keys = [job.key for job in make_jobs(replace(preset, folds=3))]
        assert {key.hyperparameters["validation_interval"] for key in keys} == {4}


def test_a_changed_file_is_noticed(table, write, folder):
    prepare(read_registry(write(table))["mine"], Fetcher(folder))
    table["a"] = 7.0
    table.loc[0, "a"] = 12345.0
    entry = read_registry(write(table))["mine"]
    assert not find_state(entry, folder).ready
    prepare(entry, Fetcher(folder))
    dataset = load("mine", data_dir=folder.root, registries=[entry.registry])
    assert dataset.X[0, 0] == 12345.0


def test_missing_values_wait_for_the_runner(table, write, folder):
    table.loc[3, "b"] = np.nan
    registry = write(table)
    prepare(read_registry(registry)["mine"], Fetcher(folder))
    with pytest.raises(UserError, match=": 1 missing value, use --impute median"):
        load("mine", data_dir=folder.root, registries=[registry])
    dataset = load("mine", data_dir=folder.root, registries=[registry], impute="median")
    assert dataset.impute == "median"
    assert np.isnan(dataset.X[3, 1])


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda t: t.assign(outcome="yes"), "1 class, at least 2"),
        (
            lambda t: t.assign(outcome=[None, None, *t["outcome"][2:]]),
            "2 samples without a label .the first is s0.",
        ),
        (lambda t: t.assign(site=[1, None] * 10), "10 samples without a group"),
        (lambda t: t.assign(outcome=["rare"] * 2 + ["yes"] * 18), "class rare has 2 samples"),
        (lambda t: t.assign(b="text"), "column 'b' is not numeric"),
        (lambda t: t.assign(a=np.inf), "infinite"),
        (lambda t: t.drop(columns="b"), "^1 feature, at least 2"),
        (lambda t: t.assign(id="same"), "sample same occurs twice"),
        (lambda t: t.drop(columns="outcome"), "no column 'outcome'"),
        (lambda t: t.drop(columns="site"), "no column 'site'"),
        (lambda t: t.drop(columns="id"), "no column 'id'"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused(table, write, folder, spoil, reason):
    entry = read_registry(write(spoil(table)))["mine"]
    with pytest.raises(FetchError, match=reason):
        prepare(entry, Fetcher(folder))
    assert not find_state(entry, folder).ready


def test_a_file_that_is_not_there_is_named(write, tmp_path, folder, table):
    registry = write(table)
    (tmp_path / "sub" / "mine.csv").unlink()
    with pytest.raises(FetchError, match=r"sub/mine\.csv: no such file"):
        prepare(read_registry(registry)["mine"], Fetcher(folder))
