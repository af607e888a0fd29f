"""New samples: genes by name, gaps, scales."""

from dataclasses import replace

import numpy as np
import pytest

from benchmark.errors import UserError
from benchmark.models.fit import FitRequest, fit_model
from benchmark.models.matching import match_genes
from benchmark.models.predict import describe_misfit, list_rows, predict

from .conftest import make_cohort, to_samples


@pytest.fixture(scope="module")
def fitted():
    return fit_model(FitRequest("linear-svm"), make_cohort())


def test_genes_are_found_in_any_order_and_others_are_counted(fitted):
    samples = to_samples(make_cohort(seed=1))
    order = np.random.default_rng(0).permutation(20)
    shuffled = replace(
        samples,
        X=np.column_stack([samples.X[:, order], np.zeros(len(samples.X))]),
        feature_names=(*np.array(samples.feature_names)[order].tolist(), "AGE"),
        n_ignored=2,
    )
    expected, found = predict(fitted, samples), predict(fitted, shuffled)
    np.testing.assert_array_equal(found.proba, expected.proba)
    assert found.notes == ("20 of the model's 20 genes found; 3 other columns not used",)


def test_missing_genes_are_named_unless_they_are_to_be_filled(fitted):
    samples = to_samples(make_cohort(seed=1), slice(0, 13))
    with pytest.raises(
        UserError,
        match=r"7 of the model's 20 genes are missing \(GENE13, .*, GENE17, \.\.\.\): add them",
    ):
        predict(fitted, samples)
    filled = predict(fitted, samples, missing="median")
    assert "filled with training medians: 7 genes" in filled.notes[-1]
    whole = np.tile(fitted.model.medians, (len(samples.X), 1))
    whole[:, :13] = samples.X
    expected = predict(fitted, to_samples(make_cohort(seed=1), X=whole))
    np.testing.assert_array_equal(filled.proba, expected.proba)


def test_missing_values_are_an_error_unless_they_are_to_be_filled(fitted):
    X = make_cohort(seed=1).X.astype(float)
    X[3, 4] = np.nan
    samples = to_samples(make_cohort(seed=1), X=X)
    with pytest.raises(UserError, match="1 missing value in genes of the model"):
        predict(fitted, samples)
    assert "1 value" in predict(fitted, samples, missing="median").notes[-1]


def test_no_gene_in_common_is_said_with_names(fitted):
    samples = to_samples(make_cohort(), feature_names=tuple(f"ENSG{j}" for j in range(20)))
    with pytest.raises(UserError, match="none of the model's 20 genes"):
        predict(fitted, samples, missing="median")


def test_another_platform_is_noticed_and_rescaling_undoes_it(fitted):
    cohort = make_cohort(seed=1)
    scale = np.random.default_rng(2).uniform(0.2, 5, 20)
    moved = to_samples(cohort, X=cohort.X * scale + 40)
    naive = predict(fitted, moved)
    assert "use --rescale cohort" in naive.warnings[0]
    rescaled = predict(fitted, moved, rescale="cohort")
    assert rescaled.warnings == ()
    same_platform = predict(fitted, to_samples(cohort), rescale="cohort")
    np.testing.assert_allclose(rescaled.proba, same_platform.proba, atol=1e-4)
    assert np.mean(rescaled.codes == cohort.y) > 0.9
    assert np.mean(naive.codes == cohort.y) < 0.7


@pytest.mark.parametrize("n", [1, 2, 40])
def test_samples_of_the_same_cohort_raise_no_alarm(fitted, n: int):
    for seed in range(20):
        samples = make_cohort(seed=seed + 1).X[:n].astype(float)
        assert describe_misfit(samples, fitted.model) is None


def test_a_stretched_scale_is_noticed_with_the_same_means(fitted):
    X = (make_cohort(seed=1).X - fitted.model.means) * 3 + fitted.model.means
    assert "deviation is" in describe_misfit(X, fitted.model)


def test_one_sample_cannot_be_rescaled_and_few_are_a_warning(fitted):
    cohort = make_cohort(seed=1)
    one = to_samples(cohort, X=cohort.X[:1].astype(float), sample_ids=("P0",))
    with pytest.raises(UserError, match="one sample has no spread"):
        predict(fitted, one, rescale="cohort")
    few = to_samples(cohort, X=cohort.X[:5].astype(float), sample_ids=tuple("abcde"))
    assert "only 5 samples" in predict(fitted, few, rescale="cohort").warnings[0]


def test_the_model_s_transform_is_applied(fitted):
    counts = 2 ** make_cohort().X.astype(float) - 1
    logged = fit_model(
        FitRequest("linear-svm"), make_cohort(name="cohort+log2p1", X=np.log2(counts + 1))
    )
    new = make_cohort(seed=1)
    raw = to_samples(new, X=2 ** new.X.astype(float) - 1)
    np.testing.assert_allclose(
        predict(logged, raw).proba, predict(fitted, to_samples(new)).proba, atol=1e-4
    )
    with pytest.raises(UserError, match="after --transform log2p1"):
        predict(logged, to_samples(new, X=-raw.X))


def test_rows_name_classes_and_probabilities(fitted):
    predictions = predict(fitted, to_samples(make_cohort(seed=1)))
    rows = list_rows(predictions, fitted.model.classes)
    assert list(rows[0]) == ["sample", "class", "p(luminal)", "p(basal)", "p(normal)"]
    assert rows[4]["sample"] == "P4"
    best = max(fitted.model.classes, key=lambda name: rows[4][f"p({name})"])
    assert rows[4]["class"] == best


def test_a_name_in_another_case_counts_only_where_it_means_one_gene():
    match = match_genes(["TP53", "Esr1", "MYC", "ABC"], ["esr1", "tp53", "TP53", "Myc", "mYC"])
    assert match.places.tolist() == [2, 0, -1, -1]
    assert match.missing == ("MYC", "ABC")
    assert match.n_by_case == 1
