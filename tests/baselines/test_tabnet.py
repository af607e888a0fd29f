"""TabNet: its package's traps."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines._shared.example_tables import make_table
from baselines.tabnet import METHODS, IdentityMatrix, TabNetClassifier, fit_virtual_batch


@given(st.integers(2, 400), st.integers(1, 40))
def test_no_row_is_normalised_alone(n_rows: int, wanted: int):
    size = fit_virtual_batch(n_rows, wanted)
    # What torch.chunk makes of it.
    chunk = math.ceil(n_rows / math.ceil(n_rows / size))
    last = n_rows - chunk * (math.ceil(n_rows / chunk) - 1)
    assert last >= 2


def test_a_size_that_leaves_no_row_alone_is_kept():
    assert fit_virtual_batch(120, 5) == 5
    assert fit_virtual_batch(121, 5) == 7


def test_the_stand_in_for_the_identity_changes_no_output():
    torch = pytest.importorskip("torch")
    model = TabNetClassifier()
    model.classes_ = np.arange(3)
    torch.manual_seed(0)
    network = model._build_network(10, 7)
    network.eval()
    X = torch.randn(10, 7)
    with torch.no_grad():
        logits, entropy = network(X)
        network.tabnet.encoder.group_attention_matrix = torch.eye(7)
        logits_eye, entropy_eye = network(X)
    torch.testing.assert_close(logits, logits_eye)
    torch.testing.assert_close(entropy, entropy_eye)


def test_the_stand_in_refuses_other_operations():
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError):
        torch.add(torch.ones(2, 2), IdentityMatrix(2))


def test_it_trains_on_few_rows_and_keeps_the_best_epoch():
    table = make_table((10, 10), 12)
    model = TabNetClassifier(max_epochs=30, patience=5, random_state=0)
    model.fit(table.X, table.y, eval_set=[(table.X_valid, table.y_valid)])
    losses = model.history_["valid_loss"]
    assert model.history_["train_loss"][0] > 0
    assert model.best_step_ == int(np.argmin(losses)) + 1
    assert model.n_steps_ == 30 or model.n_steps_ == model.best_step_ + 5
    assert model.feature_importances_.sum() == pytest.approx(1, rel=1e-4)


def test_a_training_that_diverges_says_so():
    table = make_table((10, 10), 12)
    model = TabNetClassifier(max_epochs=30, learning_rate=1e30, random_state=0)
    with pytest.raises(ArithmeticError, match=r"the training loss is (nan|inf) at epoch"):
        model.fit(table.X, table.y, eval_set=[(table.X_valid, table.y_valid)])


def test_the_loss_of_the_authors_code_is_of_probabilities_taken_for_logits():
    table = make_table((10, 10), 12)
    losses = {}
    for doubled in (False, True):
        model = TabNetClassifier(max_epochs=1, random_state=0, double_softmax=doubled)
        model.fit(table.X, table.y, eval_set=[(table.X_valid, table.y_valid)])
        (losses[doubled],) = model.history_["valid_loss"]
        probabilities = model.predict_proba(table.X_valid)
    own = probabilities[np.arange(len(table.y_valid)), table.y_valid]
    twice = np.exp(own) / np.exp(probabilities).sum(axis=1)
    assert losses[False] == pytest.approx(-np.log(own).mean(), rel=1e-4)
    assert losses[True] == pytest.approx(-np.log(twice).mean(), rel=1e-4)


def test_the_papers_values_per_data_set():
    (method,) = METHODS
    assert method.paper_hyperparameters("toxicity") == {"learning_rate": 0.03, "sparsity": 0.1}
    assert method.paper_hyperparameters("lung")["virtual_batch_size"] == 6
