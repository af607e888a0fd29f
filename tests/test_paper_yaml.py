"""The published numbers are transcribed whole and agree with each other where they should."""

import math

import pytest

from benchmark.report.paper import read_paper

DATASETS = 9
SIZES = {
    "main": 11,
    "full": 11,
    "embedding-type": 8,
    "embedding-size": 3,
    "spn": 2,
    "lambda": 6,
}


@pytest.mark.parametrize(("table", "columns"), SIZES.items())
def test_every_table_is_whole(table, columns):
    published = read_paper().tables[table]
    assert len(published.columns) == columns
    assert list(published.rows) == list(read_paper().datasets)
    assert all(len(row) == columns for row in published.rows.values())
    assert len(published.rows) == DATASETS


def test_main_and_full_table_differ_in_the_two_noted_cells_only():
    paper = read_paper()
    main, full = paper.tables["main"], paper.tables["full"]
    assert main.columns == full.columns
    differing = {
        (dataset, method): (ours[0], other[0])
        for dataset in main.rows
        for method, ours, other in zip(
            main.columns, main.rows[dataset], full.rows[dataset], strict=True
        )
        if ours[0] != other[0]
    }
    noted = {
        (entry["dataset"], entry["method"]): (entry["main"], entry["full"])
        for entry in paper.contradictions
        if "method" in entry
    }
    assert differing == noted
    assert len(noted) == 2


def test_noted_class_counts_are_the_only_ones_that_do_not_add_up():
    wrong = {
        name
        for name, facts in read_paper().datasets.items()
        if sum(facts["samples_per_class"]) != facts["samples"]
        or len(facts["samples_per_class"]) != facts["classes"]
    }
    assert wrong == {"tcga-tumor-grade"}


def test_wpfs_is_the_maximum_of_the_lambda_table():
    paper = read_paper()
    for dataset, row in paper.tables["lambda"].rows.items():
        assert max(row) == paper.tables["full"].rows[dataset][0]


def test_ablation_of_the_sparsity_network_ends_where_the_lambda_table_begins():
    tables = read_paper().tables
    for dataset, row in tables["spn"].rows.items():
        assert row[1] == tables["lambda"].rows[dataset][0]


@pytest.mark.parametrize(
    ("table", "tolerance"), [("embedding-type", 0.011), ("embedding-size", 1e-4)]
)
def test_printed_averages_follow_from_the_rows(table, tolerance):
    import yaml

    from benchmark.files import find_resource

    raw = yaml.safe_load(find_resource("results/paper.yaml").read_text())["tables"][table]
    for column, printed in enumerate(raw["average"]):
        for part in (0, 1):
            mean = sum(row[column][part] for row in raw["rows"].values()) / DATASETS
            assert math.isclose(mean, printed[part], abs_tol=tolerance)


def test_hyper_parameters_live_in_the_methods_files_only():
    from benchmark.files import find_resource

    text = find_resource("results/paper.yaml").read_text()
    assert "max_depth" not in text
    assert "learning_rate" not in text


@pytest.mark.parametrize("name", ["DietNets", "dietnetworks", "diet-networks", "DietNetworks"])
def test_a_method_is_found_by_any_of_its_names(name):
    assert read_paper().find_method(name) == "DietNetworks"


def test_an_unknown_method_is_not_in_the_paper():
    assert read_paper().find_method("linear-svm") is None
