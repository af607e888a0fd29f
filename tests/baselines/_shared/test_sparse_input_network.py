"""SPINN's network, penalty and descent."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from baselines._shared.sparse_input_network import (
    Layers,
    SparseInputObjective,
    minimise,
    shrink_sparse_group,
    softmax,
)


def _objective(rng: np.random.Generator, **strengths: float) -> SparseInputObjective:
    codes = np.arange(12) % 3
    return SparseInputObjective(
        X_transposed=(rng.normal(size=(9, 12)) + (np.arange(9)[:, None] == codes)).astype(
            np.float32
        ),
        codes=codes,
        weights=rng.uniform(0.5, 2, 12),
        **{"lasso": 0.0, "group": 0.0, "ridge": 0.0, **strengths},
    )


def test_shrinking_by_hand():
    rows = np.array([[3.0, -4.0], [0.5, 0.5], [0.0, 0.0], [2.0, 0.2]], dtype=np.float32)
    shrunken = shrink_sparse_group(rows, lasso=1.0, group=1.0)
    # (2, -3) has norm sqrt(13); (0, 0) stays; (1, 0) has norm 1 and just vanishes.
    expected = np.array([[2.0, -3.0]]) * (1 - 1 / np.sqrt(13))
    np.testing.assert_allclose(shrunken[0], expected[0], rtol=1e-6)
    assert not shrunken[1:].any()


@given(
    hnp.arrays(np.float32, (4, 3), elements=st.floats(-5, 5, width=32)),
    hnp.arrays(np.float32, (4, 3), elements=st.floats(-5, 5, width=32)),
    st.floats(0, 3),
    st.floats(0, 3),
)
def test_shrinking_minimises_distance_plus_penalty(start, other, lasso, group):
    def cost(rows: np.ndarray) -> float:
        rows = rows.astype(np.float64)
        penalty = lasso * np.abs(rows).sum() + group * np.linalg.norm(rows, axis=1).sum()
        return 0.5 * ((rows - start) ** 2).sum() + penalty

    assert cost(shrink_sparse_group(start, lasso, group)) <= cost(other) + 1e-3


def test_gradient_agrees_with_finite_differences():
    rng = np.random.default_rng(0)
    objective = _objective(rng, ridge=0.1)
    layers = Layers.draw((9, 5, 4, 3), rng)
    gradient = objective.smooth_gradient(layers, layers.forward(objective.X_transposed))

    def value() -> float:
        logits = layers.forward(objective.X_transposed)[-1]
        return objective.loss(logits) + objective.penalty(layers)

    for array, slope in zip(
        [*layers.weights, *layers.biases], [*gradient.weights, *gradient.biases], strict=True
    ):
        index = np.unravel_index(np.abs(slope).argmax(), slope.shape)
        step = 1e-2
        array[index] += step
        above = value()
        array[index] -= 2 * step
        below = value()
        array[index] += step
        assert (above - below) / (2 * step) == pytest.approx(float(slope[index]), rel=0.02)


def test_unused_features_are_skipped_without_effect():
    rng = np.random.default_rng(1)
    layers = Layers.draw((9, 5, 3), rng)
    layers.weights[0][[0, 2, 3, 5, 6, 8]] = 0
    X = rng.normal(size=(9, 7)).astype(np.float32)
    dense = np.tanh(X.T @ layers.weights[0]) @ layers.weights[1]
    np.testing.assert_allclose(layers.forward(X)[-1], dense, rtol=1e-5)


def test_objective_never_rises_and_too_long_steps_are_taken_back():
    rng = np.random.default_rng(2)
    objective = _objective(rng, lasso=0.001, group=0.01, ridge=1e-4)
    start = Layers.draw((9, 6, 3), rng)
    descent = minimise(objective, start, max_iter=80, step_size=50.0, step_shrink=0.8)
    assert descent.n_iterations == 80
    assert descent.steps[0] > 1
    assert np.all(np.diff(descent.objectives) <= 0)


def test_a_strong_penalty_leaves_no_feature_and_stops():
    rng = np.random.default_rng(3)
    objective = _objective(rng, group=10.0)
    descent = minimise(
        objective, Layers.draw((9, 6, 3), rng), max_iter=500, step_size=0.05, step_shrink=0.8
    )
    assert not descent.layers.weights[0].any()
    assert descent.n_iterations < 500


def test_softmax_survives_large_logits():
    np.testing.assert_allclose(softmax(np.array([[1e4, 0.0], [0.0, 0.0]])), [[1, 0], [0.5, 0.5]])


def test_thinning_keeps_the_expected_output():
    rng = np.random.default_rng(4)
    layers = Layers.draw((3, 400, 2), rng)
    thinned = layers.thin(0.5, rng)
    dropped = ~thinned.weights[1].any(axis=1)
    assert 0.4 < dropped.mean() < 0.6
    np.testing.assert_allclose(thinned.weights[1][~dropped], 2 * layers.weights[1][~dropped])
