"""From all patients of a study to a cohort: labels, genes, and who is drawn."""

import numpy as np
import pandas as pd
import pytest

from benchmark.datasets.derive.cohort import (
    encode_classes,
    keep_genes,
    map_labels,
    read_gene_list,
    replace_missing,
    sample_cohort,
)
from benchmark.datasets.derive.loaders import SourceError
from benchmark.datasets.labels import spell_labels


def test_the_list_is_a_set_and_reads_both_formats(tmp_path):
    table = tmp_path / "genes.csv"
    table.write_text("gene\nGENE1\nGENE2\nGENE1\n")
    assert read_gene_list(table) == {"GENE1", "GENE2"}
    gmt = tmp_path / "h.gmt"
    gmt.write_text("SET_A\thttp://a\tGENE1\tGENE2\nSET_B\thttp://b\tGENE2\tGENE3\n")
    assert read_gene_list(gmt) == {"GENE1", "GENE2", "GENE3"}


def test_an_empty_gene_list_is_an_error(tmp_path):
    (tmp_path / "genes.csv").write_text("gene\n")
    with pytest.raises(SourceError, match="lists no genes"):
        read_gene_list(tmp_path / "genes.csv")


def test_genes_are_matched_before_the_bar_and_the_first_duplicate_is_kept():
    frame = pd.DataFrame([[1, 2, 3, 4, 5]], columns=["?|1", "B|2", "A|3", "B|4", "C|5"])
    kept = keep_genes(frame, frozenset("AB"))
    assert kept.columns.tolist() == ["B", "A"]
    assert kept.to_numpy().tolist() == [[2, 3]]


def test_no_common_gene_is_an_error():
    with pytest.raises(SourceError, match="no gene"):
        keep_genes(pd.DataFrame({"X|1": [1]}), frozenset("A"))


@pytest.mark.parametrize(
    ("values", "spelt"),
    [
        ([1, 2], ["1", "2"]),
        ([1.0, 2.5], ["1", "2.5"]),
        ([True, False], ["true", "false"]),
        ([" G1 ", ""], ["G1", None]),
        ([1.0, np.nan], ["1", None]),
        (["a", None], ["a", None]),
    ],
)
def test_labels_of_any_type_are_spelt(values, spelt):
    found = spell_labels(pd.Series(values))
    assert [None if pd.isna(label) else label for label in found] == spelt


def test_an_unlisted_label_is_an_error_unless_dropped():
    labels = pd.Series(["G1", "GX", None, "G2"])
    mapping = (("G1", "one"), ("G2", "two"))
    with pytest.raises(SourceError, match="unknown labels GX"):
        map_labels(labels, mapping, drop_unlisted=False)
    kept = map_labels(labels, mapping, drop_unlisted=True)
    assert kept.to_dict() == {0: "one", 3: "two"}


def test_classes_without_registry_are_sorted_numbers_as_numbers():
    codes, names = encode_classes(pd.Series(["10", "2", "10"]), ())
    assert names.tolist() == ["2", "10"]
    assert codes.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("counts", "cohort"),
    [((203, 317), [78, 122]), ((62, 304, 125), [25, 124, 51])],
    ids=["tcga-2ysurvival", "tcga-tumor-grade"],
)
def test_the_cohort_has_the_paper_s_class_counts(counts, cohort):
    rng = np.random.default_rng(0)
    labels = pd.Series(rng.permutation(np.repeat(range(len(counts)), counts)).astype(str))
    chosen = sample_cohort(labels)
    assert len(set(chosen)) == 200
    assert labels.loc[chosen].value_counts().sort_index().tolist() == cohort


def test_the_cohort_is_always_the_same():
    labels = pd.Series(["a", "b"] * 250, index=[f"p{i:03d}" for i in range(500)])
    # Made once with scikit-learn's train_test_split on plain arrays.
    assert sample_cohort(labels)[:5].tolist() == ["p362", "p430", "p180", "p429", "p155"]


def test_too_few_patients_for_a_cohort_are_counted():
    with pytest.raises(SourceError, match="only 300 patients"):
        sample_cohort(pd.Series(["a", "b"] * 150))


@pytest.fixture
def labels():
    """520 patients of two classes, sorted."""
    classes = np.random.default_rng(0).permutation(np.repeat([0, 1], [203, 317]))
    return pd.Series(classes, index=[f"p{i:03d}" for i in range(520)])


def test_a_missing_patient_is_replaced_in_place_by_one_of_its_class(labels):
    cohort = sample_cohort(labels)
    missing = cohort[[0, 3, 199]]
    filled = replace_missing(cohort, labels, labels.index.difference(missing))
    kept = cohort.isin(labels.index.difference(missing))
    assert (filled[kept] == cohort[kept]).all()
    assert not filled[~kept].isin(cohort).any()
    assert labels[filled].tolist() == labels[cohort].tolist()
    assert filled.is_unique


def test_a_complete_cohort_stays_as_it_is(labels):
    cohort = sample_cohort(labels)
    assert replace_missing(cohort, labels, labels.index).tolist() == cohort.tolist()


def test_too_few_replacements_are_an_error(labels):
    cohort = sample_cohort(labels)
    with pytest.raises(SourceError, match="too few patients with values"):
        replace_missing(cohort, labels, cohort[1:])


@pytest.mark.realdata
def test_gene_lists_have_the_known_sizes(mirror):
    assert len(read_gene_list(mirror / "imp_genes_list.csv")) == 4470
    assert len(read_gene_list(mirror / "h.all.v6.2.symbols.gmt")) == 4386
