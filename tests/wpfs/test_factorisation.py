import numpy as np
import pytest
from sklearn.decomposition import non_negative_factorization

from wpfs.factorisation import factorise, random_start


@pytest.fixture
def X():  # noqa: N802
    generator = np.random.default_rng(0)
    return generator.random((40, 6)) @ generator.random((6, 150)) + 0.1 * generator.random(
        (40, 150)
    )


@pytest.mark.parametrize("iterations", [10, 200])
def test_reaches_the_objective_of_scikit_learns_solver_from_the_same_start(X, iterations):
    W, H = random_start(X.shape, 8, seed=3)
    ours = factorise(X, W, H, max_iterations=iterations, tolerance=0.0)
    W_reference, H_reference, _ = non_negative_factorization(
        X,
        W=W.astype(np.float64),
        H=H.astype(np.float64),
        n_components=8,
        init="custom",
        solver="mu",
        max_iter=iterations,
        tol=0,
    )
    reference = np.linalg.norm(X - W_reference @ H_reference)
    assert ours.error == pytest.approx(reference, rel=1e-3)
    assert ours.error == pytest.approx(np.linalg.norm(X - ours.W @ ours.H), rel=1e-3)


def test_stops_where_scikit_learn_stops(X):
    W, H = random_start(X.shape, 8, seed=3)
    ours = factorise(X, W, H, max_iterations=1000, tolerance=1e-4)
    *_, n_reference = non_negative_factorization(
        X, W=W.astype(float), H=H.astype(float), n_components=8, init="custom", solver="mu",
        max_iter=1000, tol=1e-4,
    )  # fmt: skip
    assert ours.n_iterations == n_reference < 1000


def test_never_goes_uphill_nor_below_zero_and_leaves_its_start_alone(X):
    W, H = random_start(X.shape, 8, seed=3)
    start = W.copy(), H.copy()
    errors = [factorise(X, W, H, max_iterations=n, tolerance=0.0).error for n in (0, 1, 5, 20, 80)]
    assert errors == sorted(errors, reverse=True)
    result = factorise(X, W, H)
    assert result.W.min() >= 0
    assert result.H.min() >= 0
    np.testing.assert_array_equal(W, start[0])
    np.testing.assert_array_equal(H, start[1])


def test_a_matrix_of_zeros_is_no_problem():
    result = factorise(np.zeros((5, 9)), *random_start((5, 9), 2, seed=0))
    assert np.isfinite(result.H).all()
    assert result.error == pytest.approx(0.0, abs=1e-3)
