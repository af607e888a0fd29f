"""Values in one file, labels in another: orientation, ids, what does not match."""

import numpy as np
import pandas as pd
import pytest

from benchmark.datasets import TableOptions, read_table
from benchmark.errors import UserError


@pytest.fixture
def genes():
    """8 genes in rows, 30 samples in columns."""
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        rng.normal(size=(8, 30)),
        index=[f"ENSG{i:011d}.{i + 1}" for i in range(8)],
        columns=[f"TCGA-AB-{i:04d}-01A" for i in range(30)],
    )


@pytest.fixture
def clinic(genes):
    ids = list(genes.columns)
    return pd.DataFrame({"sample": ids, "grade": ["G1", "G2"] * 15, "age": range(40, 70)})


@pytest.fixture
def read(tmp_path):
    def write_and_read(genes, clinic, **options):
        genes.to_csv(tmp_path / "genes.csv")
        clinic.to_csv(tmp_path / "clinic.csv", index=False)
        given = {"labels": tmp_path / "clinic.csv", "target": "grade", **options}
        return read_table(TableOptions(tmp_path / "genes.csv", **given))

    return write_and_read


def test_genes_in_rows_are_recognised_by_the_labels(genes, clinic, read):
    dataset = read(genes, clinic.sample(frac=1, random_state=0))
    assert dataset.X.shape == (30, 8)
    assert dataset.sample_ids.tolist() == list(genes.columns)
    assert dataset.y.tolist() == [0, 1] * 15
    np.testing.assert_allclose(dataset.X, genes.T, rtol=1e-6)


def test_samples_in_rows_are_joined_as_well(genes, clinic, read):
    assert read(genes.T, clinic).checksum == read(genes, clinic).checksum


def test_versions_of_ensembl_ids_are_cut(genes, clinic, read):
    assert read(genes, clinic).feature_names[3] == "ENSG00000000003"


def test_unmatched_samples_are_named_and_left_out_on_request(genes, clinic, read):
    clinic.loc[2, "sample"] = "TCGA-XX-9999-01A"
    with pytest.raises(
        UserError,
        match=r"1 sample of .*genes\.csv not in .*clinic\.csv \(TCGA-AB-0002-01A\) and 1 id of "
        r".*\(TCGA-XX-9999-01A\): --drop-unmatched",
    ):
        read(genes, clinic)
    dataset = read(genes, clinic, drop_unmatched=True)
    assert dataset.n_samples == 29
    assert "TCGA-AB-0002-01A" not in dataset.sample_ids


def test_ids_that_match_after_cutting_are_offered_not_taken(genes, clinic, read):
    clinic["sample"] = clinic["sample"].str[:12]
    with pytest.raises(UserError, match="30 would match with --match-ids tcga-patient"):
        read(genes, clinic)
    assert read(genes, clinic, match_ids="tcga-patient").sample_ids[0] == "TCGA-AB-0000-01A"


def test_ids_that_match_after_trimming_are_offered_not_taken(genes, clinic, read):
    clinic["sample"] = " " + clinic["sample"].str.lower()
    with pytest.raises(UserError, match="30 would match with --match-ids trimmed"):
        read(genes, clinic)
    assert read(genes, clinic, match_ids="trimmed").n_samples == 30


def test_a_sample_twice_among_the_labels_is_an_error(genes, clinic, read):
    with pytest.raises(UserError, match=r"clinic\.csv: 1 repeated id \(TCGA-AB-0000-01A\)"):
        read(genes, pd.concat([clinic, clinic[:1]]))


def test_labels_of_other_samples_say_what_was_compared(genes, clinic, read):
    clinic["sample"] = [f"P{i}" for i in range(30)]
    with pytest.raises(UserError, match=r"no column holds ids of .*\(there: .*; here: P0, P1"):
        read(genes, clinic)


def test_a_transposed_table_without_labels_gets_the_flag(genes, tmp_path):
    genes.to_csv(tmp_path / "genes.csv")
    with pytest.raises(UserError, match="looks transposed; use --genes-in-rows, and --labels"):
        read_table(TableOptions(tmp_path / "genes.csv", target="ENSG00000000002.3"))


@pytest.mark.parametrize(
    ("rule", "expected"), [("first", [1.0, 5.0]), ("mean", [2.0, 5.0]), ("max-variance", None)]
)
def test_features_of_one_name_become_one(genes, clinic, read, rule, expected):
    genes.index = ["A", "A", *genes.index[2:]]
    genes.iloc[0] = 1.0
    genes.iloc[1] = 3.0
    genes.iloc[1, 0] = 9.0
    with pytest.raises(UserError, match=r"1 feature name occurs more than once \(A\): .*first"):
        read(genes, clinic)
    dataset = read(genes, clinic, duplicates=rule)
    assert dataset.n_features == 7
    assert dataset.X[0, 0] == {"first": 1.0, "mean": 5.0, "max-variance": 9.0}[rule]
    assert dataset.X[1, 0] == {"first": 1.0, "mean": 2.0, "max-variance": 3.0}[rule]
