"""DietNetworks, FsNet and CAE: what they add to wpfs' network and training loop."""

import numpy as np
import pytest

from baselines import cae, diet_networks, fsnet
from baselines._shared.example_tables import Table, make_table
from baselines.cae import ConcreteSelectorClassifier
from baselines.diet_networks import DietNetworksClassifier
from baselines.fsnet import FsNetClassifier

BRIEF = {"max_steps": 20, "embedding_size": 8, "n_threads": 1, "random_state": 0}


@pytest.fixture(scope="module")
def table() -> Table:
    """Three classes, ten informative features of forty."""
    return make_table((12, 12, 12), 40)


def _fit(model, table: Table):
    return model.fit(table.X, table.y, eval_set=[(table.X_valid, table.y_valid)])


@pytest.mark.parametrize("estimator", [DietNetworksClassifier, FsNetClassifier])
def test_mirroring_gives_each_feature_its_mirror_images_embedding(estimator, table: Table):
    plain, mirrored = (
        _fit(estimator(mirrored=flag, **BRIEF), table).network_.first_layer.embeddings.numpy()
        for flag in (False, True)
    )
    assert plain.shape == (40, 8)
    np.testing.assert_array_equal(plain, mirrored[::-1])


@pytest.mark.parametrize("estimator", [DietNetworksClassifier, FsNetClassifier])
def test_a_decoder_exists_only_where_it_counts(estimator, table: Table):
    without = _fit(estimator(**BRIEF), table)
    assert without.network_.decoder is None
    assert not any(without.history_["penalty"])
    decoding = _fit(estimator(reconstruction=0.2, **BRIEF), table)
    assert all(penalty > 0 for penalty in decoding.history_["penalty"])
    assert decoding.n_parameters_ > without.n_parameters_


def test_embedded_networks_predict_weights_from_few_parameters(table: Table):
    wide = make_table((12, 12, 12), 400)
    narrow_size, wide_size = (
        _fit(DietNetworksClassifier(**BRIEF), data).n_parameters_ for data in (table, wide)
    )
    assert narrow_size == wide_size


@pytest.mark.parametrize("bounded", [True, False])
def test_logits_can_be_freed_from_tanh(bounded, table: Table):
    model = _fit(FsNetClassifier(bounded_logits=bounded, **BRIEF), table)
    first_layer = model.network_.first_layer
    first_layer.weight_predictor.output.bias.data.fill_(5.0)
    largest = first_layer.selector_logits().max().item()
    assert largest <= 1.0 if bounded else largest > 2.0


def test_selectors_settle_on_informative_features(table: Table):
    model = _fit(
        ConcreteSelectorClassifier(
            learning_rate=1e-2, annealing_steps=150, max_steps=400, n_threads=1, random_state=0
        ),
        table,
    )
    assert model.feature_importances_.sum() == 100
    np.testing.assert_array_equal(
        model.selected_features_, np.flatnonzero(model.feature_importances_)
    )
    share = model.feature_importances_[:10].sum() / 100
    assert share > 0.4  # a quarter of the features is informative


def test_unselected_features_do_not_matter(table: Table):
    model = _fit(FsNetClassifier(**BRIEF), table)
    changed = table.X_test.copy()
    ignored = np.setdiff1d(np.arange(40), model.selected_features_)
    changed[:, ignored] += 100
    np.testing.assert_array_equal(model.predict_proba(table.X_test), model.predict_proba(changed))


def test_a_default_of_its_own_keeps_the_range():
    assert ConcreteSelectorClassifier().learning_rate == 1e-3
    with pytest.raises(ValueError, match="learning_rate must be a number above 0, not -1"):
        ConcreteSelectorClassifier(learning_rate=-1).check_hyperparameters()


def test_the_papers_values():
    (method,) = cae.METHODS
    assert method.paper_hyperparameters("prostate") == {
        "learning_rate": 1e-3,
        "validation_interval": 4,
    }
    assert method.paper_hyperparameters("metabric-dr")["annealing_steps"] == 300
    (method,) = fsnet.METHODS
    assert method.paper_hyperparameters("toxicity") == {
        "embedding": "nmf",
        "learning_rate": 1e-3,
        "reconstruction": 0.2,
    }
    (method,) = diet_networks.METHODS
    assert method.paper_hyperparameters("cll") == {"embedding_size": 70, "validation_interval": 4}
