"""Order and titles."""

from benchmark.report.labels import DatasetLabel, Labels, label_methods, order_models


def test_models_follow_the_papers_columns_variants_after_their_method():
    given = ["linear-svm", "lassonet-paper", "lightgbm", "random-forest", "lassonet", "wpfs"]
    assert order_models(given) == [
        "wpfs",
        "lassonet",
        "lassonet-paper",
        "random-forest",
        "lightgbm",
        "linear-svm",
    ]


def test_a_stand_in_takes_its_originals_place():
    labels = Labels(datasets={"cll-standin": DatasetLabel("cll-standin", "cll")})
    given = ["toxicity", "lung", "cll-standin", "aaa"]
    assert labels.order_datasets(given) == ["cll-standin", "lung", "toxicity", "aaa"]


def test_methods_of_the_paper_know_their_column():
    found = label_methods(["wpfs", "random-forest", "linear-svm", "gone-since"])
    assert found["wpfs"].column == "WPFS"
    assert found["random-forest"].column == "Random Forest"
    assert found["linear-svm"].column is None
    assert (found["gone-since"].title, found["gone-since"].column) == ("gone-since", None)


def test_every_column_of_the_paper_has_a_method():
    from baselines._shared.registry import discover
    from benchmark.report.paper import read_paper

    columns = {name.column for name in label_methods(discover()).values()}
    assert columns - {None} == set(read_paper().methods)


def test_labels_fall_back_to_names():
    labels = Labels(label_methods(["wpfs", "mlp"]), titles=False)
    assert labels.title("mlp") == "mlp"
    assert labels.column("mlp") == "MLP"
    assert Labels().title("wpfs, n = 60") == "wpfs, n = 60"
    assert Labels().mark("unknown") == ""
