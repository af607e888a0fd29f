import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from threadpoolctl import threadpool_limits

from wpfs.embeddings import EMBEDDINGS, embed_features, preprocess


@pytest.fixture
def X():  # noqa: N802
    return np.random.default_rng(0).gamma(2.0, 3.0, size=(30, 80))


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_one_row_of_the_asked_size_per_feature(X, embedding):
    E = embed_features(X, embedding, size=12)
    assert E.shape == (80, 12)
    assert E.dtype == np.float32
    assert np.isfinite(E).all()


# Not NMF: its random start goes by place.
@pytest.mark.parametrize("embedding", ["svd", "feature-values", "dot-histogram"])
def test_follows_a_permutation_of_the_features(X, embedding):
    """The embedding belongs to the feature, not to its place (the authors' code mirrored two)."""
    order = np.random.default_rng(1).permutation(80)
    E = embed_features(X, embedding, size=8)
    permuted = embed_features(X[:, order], embedding, size=8)
    np.testing.assert_allclose(permuted, E[order], atol=1e-5)


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_mirrored_gives_each_feature_the_embedding_of_its_mirror_image(X, embedding):
    plain = embed_features(X, embedding, size=8)
    np.testing.assert_array_equal(embed_features(X, embedding, size=8, mirrored=True), plain[::-1])


def test_feature_values_are_the_first_training_samples(X):
    E = embed_features(X, "feature-values", size=5, preprocessing="raw")
    np.testing.assert_allclose(E, X[:5].T, rtol=1e-6)


def test_svd_spans_the_right_singular_vectors_without_their_values(X):
    E = embed_features(X, "svd", size=6, preprocessing="z-score")
    np.testing.assert_allclose(E.T @ E, np.eye(6), atol=1e-5)
    Vh = np.linalg.svd(preprocess(X, "z-score"), full_matrices=False)[2]
    np.testing.assert_allclose(np.abs(E.T), np.abs(Vh[:6]), atol=1e-5)


@given(
    arrays(
        np.float64,
        st.tuples(st.integers(1, 12), st.integers(1, 6)),
        elements=st.floats(-1e3, 1e3, allow_nan=False).map(lambda v: round(v, 3)),
    ),
    st.integers(1, 9),
)
@settings(max_examples=150)
def test_dot_histogram_is_numpys_histogram_times_bin_centres(X, bins):
    E = embed_features(X, "dot-histogram", size=bins, preprocessing="raw")
    for feature, row in zip(X.T, E, strict=True):
        counts, edges = np.histogram(feature, bins=bins)
        expected = counts * (edges[1:] + edges[:-1]) / 2
        np.testing.assert_allclose(row, expected, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("embedding", EMBEDDINGS)
@pytest.mark.parametrize("preprocessing", ["min-max", "raw"])
def test_constant_features_are_harmless(X, embedding, preprocessing):
    X[:, 3] = 7.0
    E = embed_features(X, embedding, size=10, preprocessing=preprocessing)
    assert np.isfinite(E).all()


@pytest.mark.parametrize(("embedding", "limit"), [("nmf", 30), ("svd", 30), ("feature-values", 30)])
def test_rank_is_capped_with_a_warning(X, embedding, limit):
    with pytest.warns(UserWarning, match=f"at most {limit} dimensions"):
        E = embed_features(X, embedding, size=50)
    assert E.shape[1] == limit


def test_dot_histogram_needs_no_cap(X):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert embed_features(X, "dot-histogram", size=50).shape == (80, 50)


def test_nmf_explains_a_table_of_its_rank():
    generator = np.random.default_rng(0)
    X = generator.random((40, 6)) @ generator.random((6, 150))
    E = embed_features(X, "nmf", size=8, preprocessing="raw")
    assert E.min() >= 0
    residual = X - X @ np.linalg.pinv(E.T) @ E.T
    assert np.linalg.norm(residual) < 0.05 * np.linalg.norm(X)


def test_nmf_of_a_table_without_any_differences():
    E = embed_features(np.full((5, 9), 3.0), "nmf", size=2)
    assert np.isfinite(E).all()


def test_nmf_of_negative_values_says_what_to_do(X):
    with pytest.raises(ValueError, match=r"non-negative.*min-max"):
        embed_features(X - 100, "nmf", preprocessing="raw", size=5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"embedding": "pca"}, "unknown embedding 'pca'"),
        ({"preprocessing": "log"}, "unknown preprocessing 'log'"),
        ({"size": 0}, "at least 1"),
    ],
)
def test_wrong_settings_are_named(X, arguments, message):
    with pytest.raises(ValueError, match=message):
        embed_features(X, **arguments)


def test_same_seed_same_nmf_other_seed_another(X):
    first = embed_features(X, size=5, seed=1)
    np.testing.assert_array_equal(first, embed_features(X, size=5, seed=1))
    assert not np.allclose(first, embed_features(X, size=5, seed=2))


def test_min_max_of_standardised_data_equals_min_max_of_raw_data(X):
    np.testing.assert_allclose(
        preprocess(preprocess(X, "z-score"), "min-max"), preprocess(X, "min-max"), atol=1e-12
    )


def test_nmf_does_not_depend_on_the_number_of_threads():
    X = np.random.default_rng(0).random((74, 6000))
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            found.append(embed_features(X, "nmf", size=50))
    np.testing.assert_array_equal(*found)


def test_nmf_leaves_no_subnormal_numbers():
    """Multiplicative updates shrink entries of H without end."""
    X = np.random.default_rng(0).gamma(0.3, 1.0, size=(30, 400))
    E = embed_features(X, "nmf", size=10)
    smallest = E[E > 0].min()
    assert smallest >= np.finfo(np.float32).tiny
