"""What may spoil a benchmark is found, and nothing is found in an ordinary table."""

import numpy as np
import pandas as pd
import pytest

from benchmark.datasets import TableOptions, read_table
from benchmark.datasets.own_table.read import read_own_table
from benchmark.errors import UserError


@pytest.fixture
def table():
    """40 samples x 6 genes of noise, classes a and b."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        rng.normal(size=(40, 6)),
        columns=[f"g{j}" for j in range(6)],
        index=[f"S{i}Q" for i in range(40)],
    )
    frame["y"] = ["a"] * 20 + ["b"] * 20
    return frame


@pytest.fixture
def find(tmp_path):
    def read(frame, labels=None, **options):
        path = tmp_path / "t.csv"
        frame.to_csv(path)
        if labels is not None:
            labels.to_csv(tmp_path / "labels.csv")
            options["labels"] = tmp_path / "labels.csv"
        reading = read_own_table(TableOptions(path, target="y", **options))
        return {finding.code: finding for finding in reading.findings}

    return read


def test_noise_has_no_findings(table, find):
    assert find(table) == {}


@pytest.mark.parametrize(
    ("values", "name"),
    [(np.arange(40) * 3 + 7, "batchless"), (np.random.default_rng(0).random(40), "Sample ID")],
    ids=["rising", "named"],
)
def test_an_id_among_the_features_stops_the_run(table, find, tmp_path, values, name):
    table.insert(0, name, values)
    finding = find(table)["id-column"]
    assert finding.level == "stop"
    assert name in finding.text
    options = TableOptions(tmp_path / "t.csv", target="y")
    with pytest.raises(UserError, match=f"{name}.*--accept id-column"):
        read_table(options)
    accepted = TableOptions(tmp_path / "t.csv", target="y", accept=("id-column",))
    assert read_table(accepted).n_features == 7


def test_a_copy_of_the_label_stops_the_run_and_a_telling_gene_does_not(table, find, tmp_path):
    table["g1"] = np.where(table["y"] == "a", 3.0, 7.0)
    table["g2"] = np.where(table["y"] == "a", -5, 5) + table["g2"]
    found = find(table)
    assert found["label-copy"].level == "stop"
    assert "g1" in found["label-copy"].text
    assert found["separating-feature"].level == "note"
    assert "g2" in found["separating-feature"].text
    with pytest.raises(UserError, match="--accept label-copy"):
        read_table(TableOptions(tmp_path / "t.csv", target="y"))


def test_copies_of_a_sample_are_named(table, find):
    table.iloc[5, :6] = table.iloc[3, :6]
    assert "S3Q = S5Q" in find(table)["duplicate-samples"].text


@pytest.mark.parametrize("pattern", ["P{:02d}_{}", "TCGA-AA-{:04d}-0{}A"])
def test_samples_of_one_patient_want_groups(table, find, pattern):
    table.index = [pattern.format(i // 2, i % 2 + 1) for i in range(40)]
    assert "20 patients" in find(table)["repeated-patients"].text
    table["patient"] = [f"p{i // 2}" for i in range(40)]
    assert "repeated-patients" not in find(table, groups="patient")


def test_a_site_that_tells_the_class_is_named(table, find):
    labels = table[["y"]].assign(site=["north"] * 19 + ["south"] * 21)
    found = find(table.drop(columns="y"), labels)["telling-batch"]
    assert "'site'" in found.text
    assert "98%" in found.text


@pytest.mark.parametrize(("labels", "shown"), [(("a", "A"), "A / a"), (("01", "1"), "01 / 1")])
def test_labels_spelt_in_two_ways_are_shown(table, find, labels, shown):
    table["y"] = [labels[0]] * 10 + [labels[1]] * 10 + ["b"] * 20
    assert shown in find(table)["label-spelling"].text


def test_blanks_around_a_label_never_count(table, find):
    table["y"] = ["a"] * 10 + ["a "] * 10 + ["b"] * 20
    assert find(table) == {}


def test_whole_numbers_beyond_float32_are_named(table, find):
    table["g3"] = 2**25 + np.random.default_rng(0).permutation(40)
    assert "g3" in find(table)["float32-integers"].text
