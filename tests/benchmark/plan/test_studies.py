"""The paper's ablations as lists of runs."""

import pytest

from baselines._shared.registry import get_method
from benchmark.plan.hyperparameters import hash_values, normalise
from benchmark.plan.studies import STUDIES


def paper_values(model, dataset):
    return get_method(model).paper_hyperparameters(dataset)


def base(model, dataset):
    return {"validation_interval": 4, "sparsity": 3e-3} if dataset == "prostate" else {}


def test_lambda_varies_sparsity_and_keeps_the_rest_of_the_papers_values():
    runs = STUDIES["lambda"].runs(["prostate"], base)
    assert [values["sparsity"] for _, _, values in runs] == [0, 3e-6, 3e-5, 3e-4, 3e-3, 1e-2]
    assert all(values["validation_interval"] == 4 for _, _, values in runs)
    assert {model for model, _, _ in runs} == {"wpfs"}


def test_embedding_types_drop_the_sparsity_network_at_size_50():
    runs = STUDIES["embedding-type"].runs(["prostate"], base)
    assert len(runs) == 8
    for _, _, values in runs:
        assert values["embedding_size"] == 50
        assert values["sparsity_network"] is False
        assert values["sparsity"] == 0
    pairs = {(v["embedding"], v["embedding_preprocessing"]) for _, _, v in runs}
    assert ("nmf", "z-score") not in pairs, "NMF needs non-negative values"
    assert ("nmf", "raw") in pairs


def test_embedding_sizes_use_batches_of_16_and_no_sparsity_loss():
    runs = STUDIES["embedding-size"].runs(["prostate"], base)
    assert [values["embedding_size"] for _, _, values in runs] == [20, 50, 70]
    assert {(v["batch_size"], v["sparsity"]) for _, _, v in runs} == {(16, 0.0)}


def test_spn_and_wpn_switch_one_network_each():
    spn = STUDIES["spn"].runs(["toxicity"], base)
    assert [values.get("sparsity_network", True) for _, _, values in spn] == [False, True]
    assert {values["sparsity"] for _, _, values in spn} == {0.0}
    wpn = STUDIES["wpn"].runs(["toxicity"], base)
    assert {(v["weight_predictor"], v["sparsity"]) for _, _, v in wpn} == {
        (False, 0.0),
        (False, 3e-5),
        (True, 0.0),
        (True, 3e-5),
    }


def test_data_set_size_is_for_metabric_and_both_models():
    study = STUDIES["dataset-size"]
    assert study.runs(["prostate"], base) == []
    runs = study.runs(["metabric-dr"], base)
    assert {model for model, _, _ in runs} == {"wpfs", "mlp"}
    assert ("wpfs", "metabric-dr:samples=100", {}) in runs


def test_the_first_variants_of_studies_of_one_baseline_are_the_runs_of_the_main_table():
    for name in ("fsnet", "tabnet", "cae"):
        for dataset in ("prostate", "toxicity"):
            model, _, values = STUDIES[name].runs([dataset], paper_values)[0]
            method = get_method(model)
            assert normalise(method, values) == normalise(method, paper_values(name, dataset))


def test_schedules_include_the_text_and_the_code():
    runs = STUDIES["schedule"].runs(["toxicity"], base)
    assert [values["schedule"] for _, _, values in runs] == ["exponential", "linear", "constant"]


def test_mirrored_pairs_differ_in_nothing_else():
    runs = STUDIES["mirrored"].runs(["toxicity"], base)
    right = [(model, values) for model, _, values in runs if "mirrored" not in values]
    mirrored = [(model, values) for model, _, values in runs if values.get("mirrored")]
    assert [(model, {**values, "mirrored": True}) for model, values in right] == mirrored
    assert {model for model, _ in right} == {"wpfs", "diet-networks", "fsnet"}


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_every_run_is_listed_once_and_has_arguments_the_method_takes(study):
    from baselines._shared.registry import discover

    datasets = study.datasets or ("prostate", "toxicity", "lung", "a-users-own")
    runs = study.runs(datasets, paper_values)
    assert runs
    assert all(runs.count(run) == 1 for run in runs)
    methods = discover()
    for model, _, values in runs:
        assert values.keys() <= methods[model].defaults().keys()


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_variants_differ_so_that_a_run_belongs_to_one_column(study):
    for dataset in study.datasets or ("prostate", "toxicity", "lung", "a-users-own"):
        keys = [
            (model, name, hash_values(normalise(get_method(model), values)))
            for model, name, values in (v.run(dataset, paper_values) for v in study.variants)
        ]
        assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_gains_are_over_variants_of_the_same_study(study):
    labels = [variant.label for variant in study.variants]
    for variant in study.variants:
        assert not variant.over or variant.over in labels
        assert variant.over != variant.label
